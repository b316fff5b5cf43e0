/** What each endpoint answers in `data` (§2.2, decisions 15, 19, 21 to 27): all but the token and cash-in are assumed. */
import * as z from 'zod'
import { assumed, moment, momentUtc, money, ours } from './fields.js'

const id = () => z.string()
const externalId = () => z.string().nullable().meta(ours('null where there is none'))
const status = () => z.string()
const file = z.object({ name: z.string(), size: z.int(), type: z.string(), sha256: z.string() })

const pixInfo = z.object({ qrcode: z.string(), expiration: z.int(), expires_at: moment() })
const cryptoInfo = z
  .object({
    address: z.string(),
    chain: z.string(),
    network: z.string(),
    min_confirmations: z.int(),
    expiration: z.int(),
    expires_at: moment(),
  })
  .meta(assumed)
const speiInfo = z
  .object({
    clabe: z.string(),
    bank_code: z.string().nullable(),
    bank_name: z.string().nullable(),
    beneficiary_name: z.string(),
    reference: z.string(),
  })
  .meta(assumed)

export const token = z.object({
  access_token: z.string(),
  expires_in: z.int(),
  meta: z.object({ request_id: z.string(), timestamp: momentUtc() }),
})

export const cashin = z.object({
  transaction_id: id(),
  external_id: externalId(),
  currency: z.string(),
  amount: money(),
  fee: money(),
  payment_method: z.enum(['pix', 'spei', 'crypto']).meta(ours('`spei` and `crypto`')),
  payment_info: z.union([pixInfo, cryptoInfo, speiInfo]),
  status: status(),
  postback_url: z.string().nullable().meta(ours('null where no address is set anywhere')),
  created_at: moment(),
})

export const cashout = z
  .object({
    transaction_id: id(),
    external_id: externalId(),
    type: z.literal('cashout'),
    currency: z.string(),
    network: z.string(),
    amount: money(),
    fee: money(),
    wallet: z.string(),
    key_type: z.string().nullable(),
    status: status(),
    created_at: moment(),
  })
  .meta(assumed)

export const wallet = z
  .object({
    wallet_id: z.int(),
    currency: z.string(),
    currency_type: z.enum(['fiat', 'crypto']),
    chain: z.string().nullable(),
    network: z.string(),
    address: z.string(),
    min_confirmations: z.int(),
    created_at: momentUtc(),
  })
  .meta(assumed)

export const transfer = z
  .object({
    transaction_id: id(),
    external_id: externalId(),
    from_user: z.string(),
    to_user: z.string(),
    amount: money(),
    currency: z.string(),
    description: z.string().nullable(),
    status: status(),
    confirmed_at: momentUtc(),
  })
  .meta(assumed)

export const rate = z
  .object({
    base_currency: z.string(),
    destination_currency: z.string(),
    amount: money(),
    rate: z.number(),
    estimated_amount: money(),
    timestamp: momentUtc(),
  })
  .meta(assumed)

export const simulation = z
  .object({
    from_amount: money(),
    to_amount: money(),
    base_currency: z.string(),
    destination_currency: z.string(),
    rate: z.number(),
    spread: z.number(),
    fee: money(),
    expires_at: momentUtc(),
  })
  .meta(assumed)

export const conversion = z
  .object({
    conversion_id: id(),
    external_id: externalId(),
    amount_from: money(),
    currency_from: z.string(),
    amount_to: money(),
    currency_to: z.string(),
    rate: z.number(),
    fee: money(),
    status: status(),
    completed_at: momentUtc(),
  })
  .meta(assumed)

const pagination = z.object({ page: z.int(), page_size: z.int(), total: z.int(), total_pages: z.int() })
const listItem = z.looseObject({
  transaction_id: id(),
  external_id: externalId(),
  type: z.enum(['cashin', 'cashout', 'transfer', 'conversion']),
  status: status(),
  source: z.string().nullable(),
  currency: z.string(),
  currency_type: z.enum(['fiat', 'crypto']),
  network: z.string().nullable(),
  amount: money(),
  fee: money(),
  created_at: moment(),
  updated_at: moment(),
})
export const transactionList = z.object({ items: z.array(listItem), pagination }).meta(assumed)

export const balance = z
  .object({
    balances: z.array(
      z.object({
        currency: z.string(),
        currency_type: z.enum(['fiat', 'crypto']),
        available: money(),
        blocked: money(),
        pending: money(),
      }),
    ),
  })
  .meta(assumed)

export const profile = z
  .object({
    username: z.string(),
    name: z.string(),
    document: z.string(),
    created_at: momentUtc(),
    webhook_url: z.string().nullable(),
  })
  .meta(assumed)

const operation = z.enum(['cashin', 'cashout', 'transfer', 'conversion'])
export const limits = z
  .object({
    limits: z.array(
      z.object({
        currency: z.string(),
        operation,
        min_amount: money(),
        max_amount: money(),
        daily_limit: money(),
        daily_used: money(),
      }),
    ),
  })
  .meta(assumed)
export const fees = z
  .object({ fees: z.array(z.object({ currency: z.string(), operation, fixed: money(), percent: z.number() })) })
  .meta(assumed)

const infraction = z.object({
  infraction_id: z.uuid(),
  transaction_id: id(),
  type: z.string(),
  status: status(),
  amount: money(),
  currency: z.string(),
  e2e_id: z.string(),
  reason: z.string(),
  deadline_at: momentUtc(),
  created_at: momentUtc(),
  resolved_at: momentUtc().nullable(),
})
export const infractionList = z.object({ items: z.array(infraction), pagination }).meta(assumed)
export const infractionDetail = infraction
  .extend({
    replies: z.array(
      z.object({ reply_id: z.int(), message: z.string(), files: z.array(file), created_at: momentUtc() }),
    ),
  })
  .meta(assumed)
export const infractionReply = z
  .object({
    infraction_id: z.uuid(),
    transaction_id: id(),
    reply_id: z.int(),
    status: z.literal('responded'),
    files: z.array(file),
    responded_at: momentUtc(),
  })
  .meta(assumed)
