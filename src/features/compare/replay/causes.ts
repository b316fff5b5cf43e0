/** For each event, the action that causes it; and the parameters of that action, read from events and answers. */
import { type ActionName, type EventName, isCurrency, labelOf, networksOf, railOf } from '../../../inside/platform.js'
import { type Fields, fieldsIn, isJsonObject, parseMoment } from '../../../inside/values.js'
import { findObject, newestWallet, type Subject } from '../../../inside/workspace.js'
import type { Scratch } from './scratch.js'

interface CauseRow {
  action: ActionName
  /** The field of `data` that identifies the object of the action (default: `transaction_id`). */
  subject?: 'original_transaction_id' | 'original_conversion_id' | 'infraction_id'
  /** The fields of `data` that are parameters of the action. */
  params?: readonly string[]
  /** A parameter that is omitted if that many events of a recording, and all, have the same value: that is the platform's default. */
  optional?: readonly [param: string, leastEvents: number]
  /** What the documentation says about the balance (interface.md §3). */
  balance?: string
}

/** Events that only a call can cause have no row. */
export const causes: Readonly<Partial<Record<EventName, CauseRow>>> = {
  'cashin.confirmed': { action: 'cashin.pay', params: ['amount', 'payer'], balance: 'Balance credited' },
  'cashin.refunded': {
    ...{ action: 'cashin.refund', subject: 'original_transaction_id', params: ['amount_refunded', 'reason'] },
    balance: 'Balance debited',
  },
  'cashin.expired': { action: 'cashin.expire' },
  'cashout.confirmed': { action: 'cashout.confirm', params: ['receiver'] },
  'cashout.failed': {
    ...{ action: 'cashout.fail', params: ['error_code', 'error_message'] },
    balance: 'Balance refunded automatically',
  },
  'cashout.refunded': {
    ...{ action: 'cashout.refund', subject: 'original_transaction_id', params: ['amount_refunded', 'reason'] },
    ...{ optional: ['reason', 1], balance: 'Balance credited back' },
  },
  'conversion.refunded': { action: 'conversion.refund', subject: 'original_conversion_id', params: ['reason'] },
  'chargeback.opened': {
    ...{ action: 'dispute.open', params: ['amount', 'type', 'reason'], optional: ['reason', 2] },
    balance: 'Balance blocked',
  },
  'chargeback.responded': { action: 'dispute.respond', subject: 'infraction_id' },
  'chargeback.confirmed': { action: 'dispute.confirm', subject: 'infraction_id' },
  'chargeback.won': { action: 'dispute.win', subject: 'infraction_id', balance: 'Balance unblocked and kept' },
  'chargeback.lost': {
    ...{ action: 'dispute.lose', subject: 'infraction_id' },
    balance: 'Balance debited and returned to payer',
  },
  'chargeback.canceled': { action: 'dispute.cancel', subject: 'infraction_id', balance: 'Balance unblocked' },
}

/** The field of `data` that identifies the object of an event. */
export const subjectField = (event: EventName): string =>
  causes[event]?.subject ?? (event === 'conversion.confirmed' ? 'conversion_id' : 'transaction_id')

/** The event that an action causes. */
export const eventOfAction = (action: ActionName): EventName | undefined =>
  // The keys of the table are event names.
  (Object.keys(causes) as EventName[]).find((event) => causes[event]?.action === action)

/** An object in an answer. */
export interface ObservedObject {
  id: string
  status: string
  fields: Fields
  /** The last change; null if the object does not say. */
  atMs: number | null
  createdMs: number | null
}

const changeFields = ['updated_at', 'resolved_at', 'confirmed_at', 'completed_at']

/** All objects in an answer that have an id and a status. */
export function observedIn(value: unknown): ObservedObject[] {
  if (Array.isArray(value)) return value.flatMap(observedIn)
  if (!isJsonObject(value)) return []
  const id = value.infraction_id ?? value.transaction_id ?? value.conversion_id
  const below = Object.values(value).flatMap(observedIn)
  if (typeof id !== 'string' || typeof value.status !== 'string') return below
  const at = changeFields.map((name) => value[name]).find((one) => typeof one === 'string')
  const [atMs, createdMs] = [at, value.created_at].map((one) => (typeof one === 'string' ? parseMoment(one) : null))
  return [{ id, status: value.status, fields: value, atMs: atMs ?? null, createdMs: createdMs ?? null }, ...below]
}

/** The parameters of the action that the event reports. */
export function paramsFrom(event: EventName, data: Fields, subject: Subject): Fields {
  const params: Fields = {}
  for (const field of causes[event]?.params ?? []) {
    const [name, value] = [field === 'amount_refunded' ? 'amount' : field, data[field]]
    if (value === undefined || value === null || value === '') continue
    if (name === 'payer' || name === 'receiver')
      Object.assign(params, payerFrom(value) === null ? {} : { [name]: payerFrom(value) })
    else if (name !== 'amount') params[name] = value
    else if (!isAmountImplied(event, subject)) params.amount = value
  }
  return params
}

/** A PIX charge can be paid only with its exact amount, so the action needs none. */
const isAmountImplied = (event: EventName, subject: Subject) =>
  event === 'cashin.confirmed' && subject.kind === 'cashin' && railOf(subject.row.currency).isPaidExactly

export function payerFrom(value: unknown): Fields | null {
  const known = Object.entries(fieldsIn(value)).filter(
    ([name, one]) => ['name', 'document', 'bank'].includes(name) && typeof one === 'string' && one !== '',
  )
  return known.length === 0 ? null : Object.fromEntries(known)
}

/** The field of a request that names the network with this label; none for currencies without networks. */
export function networkOf(currency: string, label: string, field: 'chain' | 'network' = 'chain'): Fields {
  if (!isCurrency(currency)) return {}
  const network = networksOf(currency).find((one) => labelOf(currency, one) === label) ?? networksOf(currency)[0]
  return network === undefined ? {} : { [field]: network }
}

/** The field of an event's `data` with the value of each field of the request that creates the object. */
const requestFields = {
  cashin: { amount: 'amount', currency: 'currency', external_id: 'external_id' },
  cashout: { amount: 'amount', currency: 'currency', key: 'wallet', external_id: 'external_id' },
  transfer: { amount: 'amount', currency: 'currency', description: 'description' },
  conversion: {
    amount: 'amount_from',
    base_currency: 'currency_from',
    destination_currency: 'currency_to',
    external_id: 'external_id',
  },
  /** The amounts of a reversal are those of the original conversion. */
  reversal: {
    amount: 'amount_returned_to',
    base_currency: 'currency_returned_to',
    destination_currency: 'currency_reverted_from',
  },
} as const
const optionalFields = ['external_id', 'description']

export function requestFrom(kind: keyof typeof requestFields, data: Fields): Fields {
  const present = Object.entries<string>(requestFields[kind]).filter(
    ([name, from]) => !optionalFields.includes(name) || typeof data[from] === 'string',
  )
  const field = { cashin: 'chain', cashout: 'network' } as const
  const chain =
    kind === 'cashin' || kind === 'cashout' ? networkOf(String(data.currency), String(data.network), field[kind]) : {}
  return { ...Object.fromEntries(present.map(([name, from]) => [name, data[from]])), ...chain }
}

/** The newest wallet with this currency and network label, or else the newest with this currency. */
export function newestWalletOf({ ws }: Scratch, currency: string, label: string): Subject | undefined {
  let newest: Subject | undefined
  for (let seq = newestWallet(ws.db, null)?.seq ?? 0; seq > 0; seq--) {
    const subject = findObject(ws.db, ['wallet'], String(seq))
    if (subject?.kind !== 'wallet') continue
    if (subject.row.currency !== currency) continue
    if (labelOf(subject.row.currency, subject.row.chain) === label) return subject
    newest ??= subject
  }
  return newest
}
