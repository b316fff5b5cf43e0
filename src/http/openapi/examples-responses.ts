/** An answer of each endpoint (`data` of the envelope; the token endpoint answers its own shape), as a sandbox gives it. */
import type { EndpointName, ResponseOf } from '../../protocol/api/endpoints.js'
import { exampleInfractionId } from './examples-requests.js'

const at = '2026-11-21T12:00:00.000-03:00'
const atUtc = '2026-11-21T15:00:00.000Z'
const deadlineUtc = '2026-11-28T15:00:00.000Z'
export const exampleChargeId = 'tx_0000001egshtftq4r552'
export const exampleE2eId = 'E12345678202611211500WZzgnd0FpHX'

const cashout: ResponseOf<'cashout'> = {
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
  created_at: at,
}

const file = {
  name: 'receipt.pdf',
  size: 14,
  type: 'application/pdf',
  sha256: '41047511265df5e9b90e0a1ac183f776c3a642232bb34a17907b5f2cfc9d498e',
}

const infraction: ResponseOf<'infractionList'>['items'][number] = {
  infraction_id: exampleInfractionId,
  transaction_id: exampleChargeId,
  type: 'REFUND_REQUEST',
  status: 'open',
  amount: 150,
  currency: 'BRL',
  e2e_id: exampleE2eId,
  reason: 'Payer does not recognise the transaction',
  deadline_at: deadlineUtc,
  created_at: atUtc,
  resolved_at: null,
}

const conversion: ResponseOf<'conversion'> = {
  conversion_id: 'tx_000000810bzv202k6emf',
  external_id: 'conversion-4001',
  amount_from: 100,
  currency_from: 'BRL',
  amount_to: 18.33,
  currency_to: 'USDT',
  rate: 0.183333333333,
  fee: 0,
  status: 'completed',
  completed_at: atUtc,
}

export const responseExamples: { [Name in EndpointName]: ResponseOf<Name> } = {
  token: {
    access_token: 'at_41pewk05e4h7sk192br54cge96rjz25b5qzg80b5r8eys5xqyv5a',
    expires_in: 3600,
    meta: { request_id: 'req_000000217qj71rf9pe2r', timestamp: atUtc },
  },
  cashin: {
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
    created_at: at,
  },
  cashout,
  pixPayment: { ...cashout, transaction_id: 'tx_00000057rdnt2x2s7k3q', external_id: 'payout-2004' },
  wallet: {
    wallet_id: 1,
    currency: 'USDT',
    currency_type: 'crypto',
    chain: 'tron',
    network: 'TRC20',
    address: 'TXyMNZtrVBo5T8hex3z4NZJygK1Ht5VXCC',
    min_confirmations: 20,
    created_at: atUtc,
  },
  transfer: {
    transaction_id: 'tx_0000006edwet49dxy2db',
    external_id: 'transfer-3001',
    from_user: 'merchant',
    to_user: 'customer',
    amount: 25,
    currency: 'BRL',
    description: 'Shared dinner',
    status: 'confirmed',
    confirmed_at: atUtc,
  },
  rate: {
    base_currency: 'BRL',
    destination_currency: 'USDT',
    amount: 100,
    rate: 0.183333333333,
    estimated_amount: 18.33,
    timestamp: atUtc,
  },
  simulate: {
    from_amount: 100,
    to_amount: 18.33,
    base_currency: 'BRL',
    destination_currency: 'USDT',
    rate: 0.183333333333,
    spread: 1,
    fee: 0,
    expires_at: '2026-11-21T15:00:30.000Z',
  },
  conversion,
  transactionList: {
    items: [
      {
        transaction_id: 'tx_0000006edwet49dxy2db',
        external_id: 'transfer-3001',
        type: 'transfer',
        status: 'confirmed',
        source: null,
        currency: 'BRL',
        currency_type: 'fiat',
        network: null,
        amount: 25,
        fee: 0,
        created_at: at,
        updated_at: at,
        direction: 'sent',
        from_user: 'merchant',
        to_user: 'customer',
        description: 'Shared dinner',
      },
    ],
    pagination: { page: 1, page_size: 20, total: 1, total_pages: 1 },
  },
  balance: {
    balances: [
      { currency: 'BRL', currency_type: 'fiat', available: 9711, blocked: 150, pending: 162 },
      { currency: 'BTC', currency_type: 'crypto', available: 0.1, blocked: 0, pending: 0 },
    ],
  },
  profile: {
    username: 'merchant',
    name: 'Merchant Demo Ltda',
    document: '12ABC34501DE35',
    created_at: atUtc,
    webhook_url: null,
  },
  limits: {
    limits: [
      {
        currency: 'BRL',
        operation: 'cashin',
        min_amount: 1,
        max_amount: 100000,
        daily_limit: 1000000000,
        daily_used: 150,
      },
    ],
  },
  fees: {
    fees: [
      { currency: 'BRL', operation: 'cashin', fixed: 0, percent: 1 },
      { currency: 'BRL', operation: 'cashout', fixed: 1, percent: 0 },
    ],
  },
  infractionList: { items: [infraction], pagination: { page: 1, page_size: 50, total: 1, total_pages: 1 } },
  infractionDetail: {
    ...infraction,
    status: 'responded',
    replies: [{ reply_id: 1, message: 'The goods were delivered.', files: [file], created_at: atUtc }],
  },
  infractionReply: {
    infraction_id: exampleInfractionId,
    transaction_id: exampleChargeId,
    reply_id: 1,
    status: 'responded',
    files: [file],
    responded_at: atUtc,
  },
}
