/** Writes answers and events in the form that the settings choose. With the defaults there is nothing to change. */
import { isoAt, offsetMsOf } from '../../base/iso.js'
import { rowAt } from '../../base/keys.js'
import { withoutTrailingZeros } from '../../base/text.js'
import { type Fields, isJsonObject } from '../../base/unknown.js'
import { currencies, isCurrency } from '../platform/currencies.js'
import type { EndpointName } from '../platform/endpoints.js'
import type { ErrorForm } from '../platform/errors.js'
import { type Config, defaultConfig } from './platform.js'

/** Changes one field; undefined: the field is left out. */
type Change = (value: unknown, name: string, holder: Fields) => unknown

/** Amounts in answers, by the field that names their currency, if it is not `currency`. */
const answerAmounts: Readonly<Record<string, string>> = {
  ...{ amount_from: 'currency_from', amount_to: 'currency_to' },
  ...{ from_amount: 'base_currency', to_amount: 'destination_currency', estimated_amount: 'destination_currency' },
  ...{ amount: 'base_currency', fee: 'base_currency', amount_refunded: '', fixed: '' },
  ...{ available: '', blocked: '', pending: '', min_amount: '', max_amount: '', daily_limit: '', daily_used: '' },
}
/** Amounts in events besides. */
const eventAmounts = ['amount_net', 'old_balance', 'new_balance', 'refunded_amount']
const moreEventAmounts = ['amount_reverted_from', 'amount_returned_to']
const amounts: ReadonlySet<string> = new Set([...Object.keys(answerAmounts), ...eventAmounts, ...moreEventAmounts])

type Names = Readonly<Record<string, string | undefined>>

/** The values that settings rename, by field. */
export const renamedValues = ({ paymentMethods, networkLabels, sentDirection }: Config) => {
  const direction: Names = sentDirection === defaultConfig.sentDirection ? {} : { sent: sentDirection }
  return { payment_method: paymentMethods, network: networkLabels, direction } as Readonly<Record<string, Names>>
}

/** Whether the setting `answer_amounts` decides the type of a field. */
export const isTextualAmount = (name: string) => Object.hasOwn(answerAmounts, name)

/** The answer to a charge is documented, so `answer_amounts` does not change it. */
export const isDocumentedAnswer = (endpoint: EndpointName) => endpoint === 'cashin' || endpoint === 'token'

/** The changes of answers and events, one for each setting. */
const changes: readonly ((config: Config) => Change | null)[] = [
  (config) => renaming(renamedValues(config)),
  ({ minConfirmations }) => (isEmpty(minConfirmations) ? null : counting(minConfirmations)),
  ({ timeOffset }) => (timeOffset === defaultConfig.timeOffset ? null : shifting(timeOffset)),
  ({ amountDecimals }) =>
    amountDecimals === 'full'
      ? null
      : (value, name) => (typeof value === 'string' && amounts.has(name) ? withoutTrailingZeros(value) : value),
  ({ emptyFields }) => (emptyFields === 'null' ? null : (value) => (value === null ? undefined : value)),
]

const isEmpty = (table: object) => Object.keys(table).length === 0

function renaming(values: Readonly<Record<string, Names>>): Change | null {
  const fields = new Map(Object.entries(values).filter(([, names]) => !isEmpty(names)))
  if (fields.size === 0) return null
  return (value, name) => (typeof value === 'string' ? (fields.get(name)?.[value] ?? value) : value)
}

const counting =
  (figures: Readonly<Record<string, number | undefined>>): Change =>
  (value, name, { chain }) =>
    name === 'min_confirmations' && typeof chain === 'string' ? (rowAt(figures, chain) ?? value) : value

function shifting(offset: string): Change {
  const offsetMs = offsetMsOf(offset)
  const usual = defaultConfig.timeOffset
  return (value, name) =>
    (name === 'timestamp' || name.endsWith('_at')) && typeof value === 'string' && value.endsWith(usual)
      ? isoAt(Date.parse(value), offset, offsetMs)
      : value
}

/** An amount as a decimal string of its currency. */
const asText: Change = (value, name, holder) => {
  const field = rowAt(answerAmounts, name)
  if (field === undefined || typeof value !== 'number') return value
  const currency = holder[field] ?? holder.currency ?? holder.currency_from
  return isCurrency(currency) ? value.toFixed(currencies[currency].scale) : value
}

export interface WireFormat {
  answer(endpoint: EndpointName, data: unknown): unknown
  event(body: Fields): unknown
}

/** Null if everything is written as by default. */
export function wireFormatOf(config: Config): WireFormat | null {
  const active = changes.map((make) => make(config)).filter((change) => change !== null)
  const allChanges = config.answerAmounts === 'string' ? [asText, ...active] : active
  if (allChanges.length === 0) return null
  return {
    answer: (endpoint, data) => changed(data, isDocumentedAnswer(endpoint) ? active : allChanges),
    event: (body) => changed(body, active),
  }
}

function changed(item: unknown, by: readonly Change[]): unknown {
  if (Array.isArray(item)) return item.map((one) => changed(one, by))
  if (!isJsonObject(item)) return item
  const entries = Object.entries(item).map(([name, value]) => {
    const result = by.reduce(
      (current, change) => (current === undefined ? current : change(current, name, item)),
      value,
    )
    return [name, changed(result, by)] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** `error.group` and `error.retryable`, where the settings differ. */
export function errorFormOf({ errorGroups, retryableErrors }: Config): ErrorForm {
  const groups: Readonly<Record<string, string | undefined>> = errorGroups
  const flags: Readonly<Record<string, boolean | undefined>> = retryableErrors
  return ({ code, group, retryable }) => ({
    group: groups[code] ?? groups[group] ?? group,
    retryable: flags[code] ?? retryable,
  })
}
