/** The events (interface.md §6.4) and the payload of each (§6.5). Amounts are decimal strings. */
import * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import { currencyNames } from './currencies.js'
import { cashoutFailureCodes } from './failures.js'
import { assumed, assumedChoice, dateTimeUtc, decimal, networkLabel } from './fields.js'
import { ratePlaces } from './limits.js'

/** The source of a charge: its own code, or a fixed wallet. */
export const sources = ['dynamic_qr', 'static'] as const
export type Source = (typeof sources)[number]

const id = () => z.string()
const currency = () => z.enum(currencyNames)
const maybe = () => z.string().nullable().meta(assumedChoice('null if there is none'))
const externalId = maybe
const payer = () => z.object({ name: maybe(), document: maybe() })
/** Only `cashin.confirmed` documents that its moment is in UTC. */
const when = () => dateTimeUtc().meta(assumedChoice('UTC, ending in Z'))
const balances = () => ({ old_balance: decimal(), new_balance: decimal() })
const infraction = () => ({ infraction_id: z.uuid(), transaction_id: id(), amount: decimal(), currency: currency() })
const currencyType = () => z.enum(['fiat', 'crypto'])

export const eventTable = {
  'cashin.confirmed': {
    sentWhen: 'PIX, crypto or SPEI received (charge or fixed wallet)',
    data: () =>
      z.object({
        transaction_id: id(),
        external_id: externalId(),
        type: z.literal('cashin'),
        currency: currency(),
        currency_type: currencyType(),
        amount: decimal(),
        fee: decimal(),
        amount_net: decimal(),
        status: z.literal('confirmed'),
        source: z.enum(sources),
        network: networkLabel(),
        e2e_id: z.string().optional().describe('PIX only'),
        hash: z.string().optional().meta(assumed).describe('Crypto only'),
        tracking_key: z.string().optional().meta(assumed).describe('SPEI only'),
        payer: payer(),
        ...balances(),
        confirmed_at: dateTimeUtc(),
      }),
  },
  'cashin.refunded': {
    sentWhen: 'Charge refunded (manual refund, provider failure or lost dispute)',
    data: () =>
      z.object({
        transaction_id: id(),
        original_transaction_id: id(),
        external_id: externalId(),
        currency: currency(),
        amount: decimal(),
        amount_refunded: decimal(),
        status: z.literal('refunded'),
        reason: z.string(),
        ...balances(),
        refunded_at: when(),
      }),
  },
  'cashin.expired': {
    sentWhen: 'PIX charge expired without a payment',
    data: () =>
      z.object({
        transaction_id: id(),
        external_id: externalId(),
        currency: currency(),
        amount: decimal(),
        status: z.literal('expired'),
        expired_at: when(),
      }),
  },
  'cashout.confirmed': {
    sentWhen: 'Withdrawal settled',
    data: () =>
      z.object({
        transaction_id: id(),
        external_id: externalId(),
        type: z.literal('cashout'),
        currency: currency(),
        currency_type: currencyType(),
        network: networkLabel(),
        amount: decimal(),
        fee: decimal(),
        status: z.literal('confirmed'),
        wallet: z.string(),
        key_type: maybe(),
        hash: z.string().meta(assumedChoice('the tracking key for SPEI')),
        receiver: z.object({
          name: maybe(),
          document: maybe(),
          bank: z.string().nullable().meta(assumedChoice('the code of the bank; null if there is none')),
        }),
        confirmed_at: when(),
      }),
  },
  'cashout.failed': {
    sentWhen: 'Withdrawal rejected; balance refunded automatically',
    data: () =>
      z.object({
        transaction_id: id(),
        external_id: externalId(),
        type: z.literal('cashout'),
        currency: currency(),
        network: networkLabel(),
        amount: decimal(),
        status: z.literal('failed'),
        wallet: z.string(),
        error_code: z.enum(cashoutFailureCodes),
        error_message: z.string(),
        refunded_amount: decimal().meta(assumedChoice('the amount and the fee')),
        failed_at: when(),
      }),
  },
  'cashout.refunded': {
    sentWhen: 'Withdrawal reversed by the provider after its confirmation',
    data: () =>
      z.object({
        transaction_id: id(),
        original_transaction_id: id(),
        external_id: externalId(),
        currency: currency(),
        network: networkLabel(),
        amount: decimal(),
        amount_refunded: decimal(),
        status: z.literal('refunded'),
        reason: z.string(),
        refunded_at: when(),
      }),
  },
  'transfer.confirmed': {
    sentWhen: 'Internal transfer concluded (sent to both accounts)',
    data: () =>
      z.object({
        transaction_id: id(),
        direction: z.enum(['received', 'sent']).meta(assumedChoice('`sent`')),
        amount: decimal(),
        currency: currency(),
        counterparty: z.string(),
        description: maybe(),
        ...balances(),
        confirmed_at: when(),
      }),
  },
  'conversion.confirmed': {
    sentWhen: 'Conversion completed',
    data: () =>
      z.object({
        conversion_id: id(),
        external_id: externalId(),
        amount_from: decimal(),
        currency_from: currency(),
        amount_to: decimal(),
        currency_to: currency(),
        rate: decimal().meta(assumedChoice(`a decimal string of at most ${ratePlaces} decimals`)),
        fee: decimal(),
        status: z.literal('completed'),
        completed_at: when(),
      }),
  },
  'conversion.refunded': {
    sentWhen: 'Conversion reversed by support',
    data: () =>
      z.object({
        conversion_id: id(),
        original_conversion_id: id(),
        amount_reverted_from: decimal().meta(assumedChoice('the converted amount')),
        currency_reverted_from: currency().meta(assumedChoice('the destination currency')),
        amount_returned_to: decimal().meta(assumedChoice('the amount without the fee')),
        currency_returned_to: currency().meta(assumedChoice('the source currency')),
        reason: z.string(),
        refunded_at: when(),
      }),
  },
  'wallet.created': {
    sentWhen: 'Fixed wallet provisioned',
    data: () =>
      z.object({
        wallet_id: z.int(),
        currency: currency(),
        currency_type: currencyType(),
        chain: maybe(),
        network: networkLabel(),
        address: z.string(),
        min_confirmations: z.int().meta(assumedChoice('0 for PIX and SPEI')),
        created_at: when(),
      }),
  },
  'chargeback.opened': {
    sentWhen: 'PIX dispute (MED) opened by the payer',
    data: () =>
      z.object({
        infraction_id: z.uuid(),
        transaction_id: id(),
        type: z.string(),
        status: z.literal('open'),
        amount: decimal(),
        currency: currency(),
        e2e_id: z.string(),
        deadline_at: when(),
        reason: z.string(),
        created_at: when(),
      }),
  },
  'chargeback.responded': {
    sentWhen: 'Reply of the merchant registered',
    data: () =>
      z.object({
        infraction_id: z.uuid(),
        transaction_id: id(),
        reply_id: z.int(),
        status: z.literal('responded'),
        responded_at: when(),
      }),
  },
  'chargeback.confirmed': {
    sentWhen: 'Dispute confirmed; money returned to the payer',
    data: () => z.object({ ...infraction(), confirmed_at: when() }),
  },
  'chargeback.won': {
    sentWhen: 'Reply of the merchant accepted; dispute won',
    data: () => z.object({ ...infraction(), resolved_at: when() }),
  },
  'chargeback.lost': {
    sentWhen: 'Reply of the merchant rejected; dispute lost',
    data: () => z.object({ ...infraction(), amount_refunded: decimal(), resolved_at: when() }),
  },
  'chargeback.canceled': {
    sentWhen: 'Dispute canceled by the payer',
    data: () => z.object({ ...infraction(), canceled_by: z.literal('payer'), canceled_at: when() }),
  },
} as const satisfies Record<string, { sentWhen: string; data: () => z.ZodObject }>

export type EventName = keyof typeof eventTable
export const eventNames = keysOf(eventTable)
export type EventData = { [Name in EventName]: z.infer<ReturnType<(typeof eventTable)[Name]['data']>> }
