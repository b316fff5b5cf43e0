/** Endpoints for money in: charges and fixed wallets. */
import { exampleAt, exampleAtUtc, exampleChargeId } from '../example-values.js'
import * as requests from '../requests.js'
import * as responses from '../responses.js'
import { amountErrors, limitErrors, type Rows } from './row.js'

export const charges = {
  cashin: {
    method: 'POST',
    path: '/v2/transactions/cashin',
    title: 'Create a charge',
    auth: 'bearer',
    input: 'json',
    request: requests.cashin,
    response: responses.cashin,
    status: 200,
    rate: 'cashin',
    operation: 'cashin',
    basis: 'spec',
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
      'Creates a charge and returns the data that the payer needs: a PIX QR code, a SPEI CLABE, or a temporary deposit address. When the charge is paid, the balance is credited and `cashin.confirmed` is sent. A second call with the same external_id returns the same charge.',
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
    method: 'POST',
    path: '/v2/transactions/wallet',
    title: 'Create a fixed wallet',
    auth: 'bearer',
    input: 'json',
    request: requests.wallet,
    response: responses.wallet,
    status: 200,
    operation: 'wallet',
    errors: ['MISSING_REQUIRED_FIELD', 'INVALID_CURRENCY', 'UNSUPPORTED_CHAIN', 'PROVIDER_ERROR'],
    basis: 'spec',
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
