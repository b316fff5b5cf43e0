/**
 * The objects of both APIs, which write amounts differently, and the `data` of each endpoint's answer (interface.md §2.2,
 * assumptions.md decisions 9, 15, 19, 21 to 27). Only the answers of the token and of charges are documented.
 */
import * as z from 'zod'
import { currencyNames, networkNames } from './currencies.js'
import { cashoutFailureCodes } from './failures.js'
import { assumed, assumedChoice, dateTime, dateTimeUtc, money, networkLabel } from './fields.js'
import { operations } from './limits.js'
import { type ObjectKind, statusesOf } from './transitions.js'

const externalId = () => z.string().nullable()
const currency = () => z.enum(currencyNames)
const currencyType = () => z.enum(['fiat', 'crypto'])

const pixInfo = () => z.object({ qrcode: z.string(), expiration: z.int(), expires_at: dateTime() })
const cryptoInfo = () =>
  z
    .object({
      address: z.string(),
      chain: z.enum(networkNames),
      network: networkLabel(),
      min_confirmations: z.int(),
      expiration: z.int(),
      expires_at: dateTime(),
    })
    .meta(assumed)
const speiInfo = () =>
  z
    .object({
      clabe: z.string(),
      bank_code: z.string().nullable(),
      bank_name: z.string().nullable(),
      beneficiary_name: z.string(),
      reference: z.string(),
    })
    .meta(assumed)

/** `payment_info` of a charge (assumptions.md decision 15). */
export const paymentInfo = () => z.union([pixInfo(), cryptoInfo(), speiInfo()])
/** Besides `pix`, which is documented. */
export const assumedPaymentMethods = ['crypto', 'spei'] as const
export const paymentMethod = () => z.enum(['pix', ...assumedPaymentMethods])

const common = <Money extends z.ZodType>(money: () => Money) => ({
  transaction_id: z.string(),
  external_id: externalId(),
  source: z.string().nullable(),
  currency: currency(),
  currency_type: currencyType(),
  network: networkLabel().nullable(),
  amount: money(),
  fee: money(),
  created_at: dateTime(),
  updated_at: dateTime(),
})

const kind = <Kind extends Exclude<ObjectKind, 'wallet' | 'dispute'>>(name: Kind) => ({
  type: z.literal(name),
  status: z.enum(statusesOf(name)),
})

/** The proof of payment for PIX, SPEI and chains. A withdrawal also has it as `hash`. */
const proof = () => ({
  e2e_id: z.string().nullable(),
  tracking_key: z.string().nullable(),
  hash: z.string().nullable(),
})

const refund = <Money extends z.ZodType>(money: () => Money) => ({
  amount_refunded: money().optional(),
  reason: z.string().optional(),
})

export const cashinItem = <Money extends z.ZodType>(money: () => Money) =>
  z.object({
    ...common(money),
    ...kind('cashin'),
    payment_method: paymentMethod(),
    payment_info: paymentInfo().nullable(),
    ...proof(),
    payer: z
      .object({ name: z.string().nullable(), document: z.string().nullable(), email: z.string().nullable().optional() })
      .nullable(),
    wallet_id: z.int().optional(),
    wallet: z.string().optional(),
    ...refund(money),
  })

export const cashoutItem = <Money extends z.ZodType>(money: () => Money) =>
  z.object({
    ...common(money),
    ...kind('cashout'),
    wallet: z.string().nullable(),
    key_type: z.string().nullable(),
    ...proof(),
    receiver: z
      .object({ name: z.string().nullable(), document: z.string().nullable(), bank: z.string().nullable() })
      .nullable(),
    error_code: z.enum(cashoutFailureCodes).nullable(),
    error_message: z.string().nullable(),
    ...refund(money),
  })

export const transferItem = <Money extends z.ZodType>(money: () => Money) =>
  z.object({
    ...common(money),
    ...kind('transfer'),
    direction: z.enum(['sent', 'received']),
    from_user: z.string(),
    to_user: z.string(),
    description: z.string().nullable(),
  })

export const conversionItem = <Money extends z.ZodType>(money: () => Money) =>
  z.object({
    ...common(money),
    ...kind('conversion'),
    conversion_id: z.string(),
    amount_from: money(),
    currency_from: currency(),
    amount_to: money(),
    currency_to: currency(),
    rate: money(),
    completed_at: dateTimeUtc(),
  })

export const disputeItem = <Money extends z.ZodType>(money: () => Money) =>
  z.object({
    infraction_id: z.uuid(),
    transaction_id: z.string(),
    type: z.string(),
    status: z.enum(statusesOf('dispute')),
    amount: money(),
    currency: currency(),
    e2e_id: z.string(),
    reason: z.string(),
    deadline_at: dateTimeUtc(),
    created_at: dateTimeUtc(),
    resolved_at: dateTimeUtc().nullable(),
  })

export const replyItem = () =>
  z.object({ reply_id: z.int(), message: z.string(), files: z.array(replyFile()), created_at: dateTimeUtc() })
const replyFile = () => z.object({ name: z.string(), size: z.int(), type: z.string(), sha256: z.string() })

export const walletItem = () =>
  z.object({
    wallet_id: z.int(),
    currency: currency(),
    currency_type: currencyType(),
    chain: z.enum(networkNames).nullable(),
    network: networkLabel(),
    address: z.string(),
    min_confirmations: z.int(),
    created_at: dateTimeUtc(),
  })

const id = () => z.string()
const sentExternalId = () => z.string().nullable().meta(assumedChoice('null if you sent none'))

export const token = () =>
  z.object({
    access_token: z.string(),
    expires_in: z.int(),
    meta: z.object({ request_id: z.string(), timestamp: dateTimeUtc() }),
  })

export const cashin = () =>
  z.object({
    transaction_id: id(),
    external_id: sentExternalId(),
    currency: currency(),
    amount: money(),
    fee: money(),
    payment_method: paymentMethod().meta(assumedChoice('the values `spei` and `crypto`')),
    payment_info: paymentInfo(),
    status: z.enum(statusesOf('cashin')),
    postback_url: z.string().nullable().meta(assumedChoice('null if no webhook URL is set')),
    created_at: dateTime(),
  })

export const cashout = () =>
  z
    .object({
      transaction_id: id(),
      external_id: sentExternalId(),
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

export const wallet = () => walletItem().meta(assumed)

export const transfer = () =>
  z
    .object({
      transaction_id: id(),
      external_id: sentExternalId(),
      from_user: z.string(),
      to_user: z.string(),
      amount: money(),
      currency: currency(),
      description: z.string().nullable(),
      status: z.enum(statusesOf('transfer')),
      confirmed_at: dateTimeUtc(),
    })
    .meta(assumed)

export const rate = () =>
  z
    .object({
      base_currency: currency(),
      destination_currency: currency(),
      amount: money(),
      rate: z.number(),
      estimated_amount: money(),
      timestamp: dateTimeUtc(),
    })
    .meta(assumed)

export const simulation = () =>
  z
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

export const conversion = () =>
  z
    .object({
      conversion_id: id(),
      external_id: sentExternalId(),
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

const pagination = () => z.object({ page: z.int(), page_size: z.int(), total: z.int(), total_pages: z.int() })
const listItem = () =>
  z.discriminatedUnion('type', [cashinItem(money), cashoutItem(money), transferItem(money), conversionItem(money)])
export const transactionList = () => z.object({ items: z.array(listItem()), pagination: pagination() }).meta(assumed)

export const balance = () =>
  z
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

export const profile = () =>
  z
    .object({
      username: z.string(),
      name: z.string(),
      document: z.string(),
      created_at: dateTimeUtc(),
      webhook_url: z.string().nullable(),
    })
    .meta(assumed)

const operation = () => z.enum(operations)
export const limits = () =>
  z
    .object({
      limits: z.array(
        z.object({
          currency: currency(),
          operation: operation(),
          min_amount: money(),
          max_amount: money(),
          daily_limit: money(),
          daily_used: money(),
        }),
      ),
    })
    .meta(assumed)
export const fees = () =>
  z
    .object({
      fees: z.array(z.object({ currency: currency(), operation: operation(), fixed: money(), percent: z.number() })),
    })
    .meta(assumed)

const infraction = () => disputeItem(money)
export const infractionList = () => z.object({ items: z.array(infraction()), pagination: pagination() }).meta(assumed)
export const infractionDetail = () =>
  infraction()
    .extend({
      replies: z.array(replyItem()),
    })
    .meta(assumed)
export const infractionReply = () =>
  z
    .object({
      infraction_id: z.uuid(),
      transaction_id: id(),
      reply_id: z.int(),
      status: z.literal('responded'),
      files: z.array(replyFile()),
      responded_at: dateTimeUtc(),
    })
    .meta(assumed)
