/** Endpoints for money in (charges and fixed wallets), money out, and money between accounts and between currencies. */

import { exampleAt, exampleAtUtc, exampleChargeId } from '../emulated-interface.js'
import * as requests from '../requests.js'
import * as responses from '../responses.js'
import { amountErrors, limitErrors, quoteErrors, type Rows, signed, usual } from './row.js'

export const charges = {
  cashin: {
    ...usual,
    path: '/v2/transactions/cashin',
    title: 'Create a charge',
    request: requests.cashin,
    response: responses.cashin,
    rate: 'cashin',
    operation: 'cashin',
    errors: [
      'MISSING_REQUIRED_FIELD',
      ...amountErrors,
      'UNSUPPORTED_CHAIN',
      'INVALID_POSTBACK_URL',
      'INVALID_SPLIT_CONFIG',
      ...limitErrors,
      'RATE_LIMIT_EXCEEDED',
      'PROVIDER_ERROR',
    ],
    tag: 'Charges',
    about:
      'Creates a charge and returns the data that the payer needs: a PIX QR code, a SPEI CLABE, or a temporary deposit address. When the charge is paid, the balance is credited and `cashin.confirmed` is sent.',
    examples: {
      pix: {
        summary: 'A PIX charge',
        value: {
          amount: 150,
          currency: 'BRL',
          external_id: 'order-1001',
          payer: { name: 'Ana Souza', document: '52998224725', email: 'ana@example.com' },
        },
      },
      crypto: {
        summary: 'A USDT charge over Tron',
        value: { amount: 50, currency: 'USDT', chain: 'tron', external_id: 'order-1002' },
      },
      spei: { summary: 'A SPEI charge', value: { amount: 250, currency: 'MXN', external_id: 'order-1003' } },
      split: {
        summary: 'A charge shared with another account',
        value: {
          amount: 80,
          currency: 'BRL',
          external_id: 'order-1004',
          split: [{ username: 'customer', percentage: 10 }],
        },
      },
    },
    answer: {
      transaction_id: exampleChargeId,
      external_id: 'order-1001',
      currency: 'BRL',
      amount: 150,
      fee: 1.5,
      payment_method: 'pix',
      payment_info: {
        qrcode:
          '00020101021226800014br.gov.bcb.pix2558qr.sandbox.example/v2/cob/iT0aW3bIgeOXVms2CEFKaJKb05TAb3TG5204000053039865406150.005802BR5918Merchant Demo Ltda6009SAO PAULO62070503***63047A0A',
        expiration: 3600,
        expires_at: '2026-11-21T13:00:00.000-03:00',
      },
      status: 'pending',
      postback_url: null,
      created_at: exampleAt,
    },
  },
  wallet: {
    ...usual,
    path: '/v2/transactions/wallet',
    title: 'Create a fixed wallet',
    request: requests.wallet,
    response: responses.wallet,
    operation: 'wallet',
    errors: ['MISSING_REQUIRED_FIELD', 'INVALID_CURRENCY', 'UNSUPPORTED_CHAIN', 'PROVIDER_ERROR'],
    tag: 'Charges',
    about:
      'Creates a permanent destination for deposits: a static PIX key, a permanent CLABE, or an on-chain address. For each deposit `cashin.confirmed` is sent with the source `static`.',
    examples: {
      crypto: { summary: 'A Tron address', value: { currency: 'USDT', chain: 'tron' } },
      pix: { summary: 'A static PIX key', value: { currency: 'BRL' } },
    },
    answer: {
      wallet_id: 1,
      currency: 'USDT',
      currency_type: 'crypto',
      chain: 'tron',
      network: 'TRC20',
      address: 'TXyMNZtrVBo5T8hex3z4NZJygK1Ht5VXCC',
      min_confirmations: 20,
      created_at: exampleAtUtc,
    },
  },
} as const satisfies Rows

const answer = {
  transaction_id: 'tx_0000004jjevm007ymfcx',
  external_id: 'payout-2001',
  type: 'cashout',
  currency: 'BRL',
  network: 'PIX',
  amount: 80,
  fee: 1,
  wallet: '52998224725',
  key_type: 'cpf',
  status: 'pending',
  created_at: exampleAt,
} as const

export const withdrawals = {
  cashout: {
    ...signed,
    path: '/v2/transactions/cashout',
    title: 'Create a withdrawal',
    request: requests.cashout,
    response: responses.cashout,
    status: 202,
    operation: 'cashout',
    errors: [
      'MISSING_REQUIRED_FIELD',
      ...amountErrors,
      'UNSUPPORTED_CHAIN',
      ...limitErrors,
      'INSUFFICIENT_BALANCE',
      'PROVIDER_ERROR',
    ],
    tag: 'Withdrawals',
    about:
      'Sends money by PIX, SPEI or a blockchain. The result comes later, as `cashout.confirmed` or `cashout.failed`.',
    examples: {
      pix: {
        summary: 'To a PIX key',
        value: { external_id: 'payout-2001', amount: 80, currency: 'BRL', key: '52998224725', key_type: 'cpf' },
      },
      crypto: {
        summary: 'USDT over Tron',
        value: {
          external_id: 'payout-2002',
          amount: 10,
          currency: 'USDT',
          network: 'tron',
          key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
        },
      },
      spei: {
        summary: 'To a CLABE',
        value: {
          external_id: 'payout-2003',
          amount: 100,
          currency: 'MXN',
          key: '032180000118359719',
          name: 'Ana Souza',
        },
      },
    },
    answer,
  },
  pixPayment: {
    ...signed,
    path: '/v2/pix/payment',
    title: 'Create a PIX withdrawal (legacy)',
    request: requests.pixPayment,
    response: responses.cashout,
    status: 202,
    operation: 'cashout',
    errors: ['MISSING_REQUIRED_FIELD', 'INVALID_AMOUNT', ...limitErrors, 'INSUFFICIENT_BALANCE', 'PROVIDER_ERROR'],
    tag: 'Withdrawals',
    about: 'The older way to withdraw by PIX. Prefer /v2/transactions/cashout.',
    examples: {
      pix: {
        summary: 'To a PIX key',
        value: {
          amount: 80,
          external_id: 'payout-2004',
          description: 'Withdrawal of November',
          creditParty: { name: 'Ana Souza', keyType: 'cpf', key: '52998224725', taxId: '52998224725' },
        },
      },
    },
    answer: { ...answer, transaction_id: 'tx_00000057rdnt2x2s7k3q', external_id: 'payout-2004' },
  },
} as const satisfies Rows

const conversionExample = { base_currency: 'BRL', destination_currency: 'USDT', amount: 100 } as const

export const exchanges = {
  transfer: {
    ...signed,
    path: '/v2/internal_transfers/payment',
    title: 'Create an internal transfer',
    request: requests.transfer,
    response: responses.transfer,
    operation: 'transfer',
    errors: [
      'MISSING_REQUIRED_FIELD',
      ...amountErrors,
      ...limitErrors,
      'INSUFFICIENT_BALANCE',
      'SELF_TRANSFER_BLOCKED',
      'NOT_FOUND',
    ],
    tag: 'Transfers and conversions',
    about:
      'Moves money to another account of the platform, which is named by its username. Both accounts get `transfer.confirmed`.',
    examples: {
      transfer: {
        summary: 'A transfer',
        value: {
          username: 'customer',
          amount: 25,
          currency: 'BRL',
          external_id: 'transfer-3001',
          description: 'Shared dinner',
        },
      },
    },
    answer: {
      transaction_id: 'tx_0000006edwet49dxy2db',
      external_id: 'transfer-3001',
      from_user: 'merchant',
      to_user: 'customer',
      amount: 25,
      currency: 'BRL',
      description: 'Shared dinner',
      status: 'confirmed',
      confirmed_at: exampleAtUtc,
    },
  },
  rate: {
    ...usual,
    path: '/v2/conversions/rate',
    title: 'Get the rate of a conversion',
    request: requests.conversion,
    response: responses.rate,
    errors: ['MISSING_REQUIRED_FIELD', ...amountErrors, ...quoteErrors],
    tag: 'Transfers and conversions',
    about: 'Returns the result of converting an amount at the current rate.',
    examples: { rate: { summary: 'BRL to USDT', value: conversionExample } },
    answer: {
      base_currency: 'BRL',
      destination_currency: 'USDT',
      amount: 100,
      rate: 0.183333333333,
      estimated_amount: 18.33,
      timestamp: exampleAtUtc,
    },
  },
  simulate: {
    ...usual,
    path: '/v2/conversions/simulate',
    title: 'Simulate a conversion',
    request: requests.conversion,
    response: responses.simulation,
    errors: ['MISSING_REQUIRED_FIELD', ...amountErrors, ...quoteErrors],
    tag: 'Transfers and conversions',
    about: 'Calculates a conversion with spread and fee, but does not execute it.',
    examples: { simulate: { summary: 'BRL to USDT', value: conversionExample } },
    answer: {
      from_amount: 100,
      to_amount: 18.33,
      base_currency: 'BRL',
      destination_currency: 'USDT',
      rate: 0.183333333333,
      spread: 1,
      fee: 0,
      expires_at: '2026-11-21T15:00:30.000Z',
    },
  },
  conversion: {
    ...signed,
    path: '/v2/conversions/new',
    title: 'Convert between balances',
    request: requests.conversion,
    response: responses.conversion,
    operation: 'conversion',
    errors: ['MISSING_REQUIRED_FIELD', ...amountErrors, ...limitErrors, 'INSUFFICIENT_BALANCE'],
    tag: 'Transfers and conversions',
    about: 'Debits one balance and credits another, and sends `conversion.confirmed`.',
    examples: {
      conversion: { summary: 'BRL to USDT', value: { ...conversionExample, external_id: 'conversion-4001' } },
    },
    answer: {
      conversion_id: 'tx_000000810bzv202k6emf',
      external_id: 'conversion-4001',
      amount_from: 100,
      currency_from: 'BRL',
      amount_to: 18.33,
      currency_to: 'USDT',
      rate: 0.183333333333,
      fee: 0,
      status: 'completed',
      completed_at: exampleAtUtc,
    },
  },
} as const satisfies Rows
