/** Endpoints for money out. */
import { exampleAt } from '../example-values.js'
import * as requests from '../requests.js'
import * as responses from '../responses.js'
import { amountErrors, limitErrors, type Rows } from './row.js'

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
    method: 'POST',
    path: '/v2/transactions/cashout',
    title: 'Create a withdrawal',
    auth: 'bearer',
    hmac: true,
    input: 'json',
    request: requests.cashout,
    response: responses.cashout,
    status: 202,
    operation: 'cashout',
    basis: 'spec',
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
    method: 'POST',
    path: '/v2/pix/payment',
    title: 'Create a PIX withdrawal (legacy)',
    auth: 'bearer',
    hmac: true,
    input: 'json',
    request: requests.pixPayment,
    response: responses.cashout,
    status: 202,
    operation: 'cashout',
    basis: 'spec',
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
