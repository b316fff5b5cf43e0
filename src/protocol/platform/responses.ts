/**
 * The `data` of each endpoint's answer (§2.2, decisions 15, 19, 21 to 27). Only those of the token and of charges are
 * documented.
 */
import * as z from 'zod'
import { currencyNames } from './currencies.js'
import { assumed, assumedChoice, dateTime, dateTimeUtc, money, networkLabel } from './fields.js'
import { operations } from './limits.js'
import {
  cashinItem,
  cashoutItem,
  conversionItem,
  disputeItem,
  paymentInfo,
  paymentMethod,
  replyFile,
  replyItem,
  transferItem,
  walletItem,
} from './objects.js'
import { statusesOf } from './transitions.js'

const id = () => z.string()
const externalId = () => z.string().nullable().meta(assumedChoice('null if you sent none'))
const currency = () => z.enum(currencyNames)

export const token = z.object({
  access_token: z.string(),
  expires_in: z.int(),
  meta: z.object({ request_id: z.string(), timestamp: dateTimeUtc() }),
})

export const cashin = z.object({
  transaction_id: id(),
  external_id: externalId(),
  currency: currency(),
  amount: money(),
  fee: money(),
  payment_method: paymentMethod().meta(assumedChoice('the values `spei` and `crypto`')),
  payment_info: paymentInfo(),
  status: z.enum(statusesOf('cashin')),
  postback_url: z.string().nullable().meta(assumedChoice('null if no webhook URL is set')),
  created_at: dateTime(),
})

export const cashout = z
  .object({
    transaction_id: id(),
    external_id: externalId(),
    type: z.literal('cashout'),
    currency: currency(),
    network: networkLabel(),
    amount: money(),
    fee: money(),
    wallet: z.string(),
    key_type: z.string().nullable(),
    status: z.enum(statusesOf('cashout')),
    created_at: dateTime(),
  })
  .meta(assumed)

export const wallet = walletItem().meta(assumed)

export const transfer = z
  .object({
    transaction_id: id(),
    external_id: externalId(),
    from_user: z.string(),
    to_user: z.string(),
    amount: money(),
    currency: currency(),
    description: z.string().nullable(),
    status: z.enum(statusesOf('transfer')),
    confirmed_at: dateTimeUtc(),
  })
  .meta(assumed)

export const rate = z
  .object({
    base_currency: currency(),
    destination_currency: currency(),
    amount: money(),
    rate: z.number(),
    estimated_amount: money(),
    timestamp: dateTimeUtc(),
  })
  .meta(assumed)

export const simulation = z
  .object({
    from_amount: money(),
    to_amount: money(),
    base_currency: currency(),
    destination_currency: currency(),
    rate: z.number(),
    spread: z.number(),
    fee: money(),
    expires_at: dateTimeUtc(),
  })
  .meta(assumed)

export const conversion = z
  .object({
    conversion_id: id(),
    external_id: externalId(),
    amount_from: money(),
    currency_from: currency(),
    amount_to: money(),
    currency_to: currency(),
    rate: z.number(),
    fee: money(),
    status: z.enum(statusesOf('conversion')),
    completed_at: dateTimeUtc(),
  })
  .meta(assumed)

const pagination = z.object({ page: z.int(), page_size: z.int(), total: z.int(), total_pages: z.int() })
const listItem = z.discriminatedUnion('type', [
  cashinItem(money),
  cashoutItem(money),
  transferItem(money),
  conversionItem(money),
])
export const transactionList = z.object({ items: z.array(listItem), pagination }).meta(assumed)

export const balance = z
  .object({
    balances: z.array(
      z.object({
        currency: currency(),
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
    created_at: dateTimeUtc(),
    webhook_url: z.string().nullable(),
  })
  .meta(assumed)

const operation = z.enum(operations)
export const limits = z
  .object({
    limits: z.array(
      z.object({
        currency: currency(),
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
  .object({ fees: z.array(z.object({ currency: currency(), operation, fixed: money(), percent: z.number() })) })
  .meta(assumed)

const infraction = disputeItem(money)
export const infractionList = z.object({ items: z.array(infraction), pagination }).meta(assumed)
export const infractionDetail = infraction
  .extend({
    replies: z.array(replyItem()),
  })
  .meta(assumed)
export const infractionReply = z
  .object({
    infraction_id: z.uuid(),
    transaction_id: id(),
    reply_id: z.int(),
    status: z.literal('responded'),
    files: z.array(replyFile()),
    responded_at: dateTimeUtc(),
  })
  .meta(assumed)
