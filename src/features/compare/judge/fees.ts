/** The fees of the platform, inferred from the amounts and fees in recordings. */
import type { Config } from '../../../inside/control.js'
import {
  type Currency,
  currencies,
  type Endpoint,
  endpoints,
  feeRoundings,
  isCurrency,
  maxPercentPpm,
  type Operation,
  operations,
} from '../../../inside/platform.js'
import { type Fields, fieldsIn, JsonNumber, keysOf, parseAmount, shareOf } from '../../../inside/values.js'
import { type Fee, feeInTable, formatMoney } from '../../../inside/workspace.js'
import { isCall, type RecordedCall, type Recording } from '../har/recording.js'
import { bodyOf } from '../replay/recorded-events.js'

/** In minor units. */
interface Price {
  amount: bigint
  fee: bigint
}

/** By currency and operation, as in the setting `fees`. */
type FeeTable = Record<string, Record<string, { fixed?: string; percent?: string }>>

const onePercent = maxPercentPpm / 100n
/** Percentages with fewer decimals come first, in parts per million. */
const percentSteps = [onePercent, onePercent / 10n, onePercent / 100n, onePercent / 1000n, 1n]
/** At most so many percentages with the same number of decimals are tried. */
const mostPercentages = 20n

/** The rules that differ from those of `config` and explain every recorded fee of a currency and operation. */
export function feesIn(
  recordings: readonly Recording[],
  config: Config,
  note: (text: string) => void,
): FeeTable | null {
  const table: FeeTable = {}
  // The list of fees shows them all.
  if (
    recordings.some(({ entries }) => entries.some((one) => isCall(one) && one.endpoint === 'fees' && one.status < 400))
  )
    return null
  for (const [currency, byOperation] of pricesIn(recordings))
    for (const [operation, prices] of byOperation) {
      const present = feeInTable(config, currency, operation)
      const rule = ruleFor(prices, present, config)
      if (rule === null) continue
      const row = {
        ...(rule.fixedMinor === present.fixedMinor ? {} : { fixed: formatMoney(rule.fixedMinor, currency) }),
        ...(rule.percentPpm === present.percentPpm
          ? {}
          : { percent: String(Number(rule.percentPpm) / Number(onePercent)) }),
      }
      table[currency] = { ...table[currency], [operation]: row }
      if (new Set(prices.map(({ amount }) => amount)).size === 1)
        note(
          `only one amount of ${currency} ${operation} was recorded, so its fee may be fixed or a percentage: record a second amount`,
        )
    }
  return Object.keys(table).length === 0 ? null : table
}

/** null if the present rule explains all prices, perhaps with another rounding, or no rule does. */
function ruleFor(prices: readonly Price[], present: Fee, { feeRounding }: Config): Fee | null {
  const roundings = [feeRounding, ...keysOf(feeRoundings)].map((name) => feeRoundings[name])
  const explains = ({ fixedMinor, percentPpm }: Fee, rounding: bigint) =>
    fixedMinor >= 0n && prices.every(({ amount, fee }) => fixedMinor + shareOf(amount, percentPpm, rounding) === fee)
  if (roundings.some((rounding) => explains(present, rounding))) return null
  for (const rounding of roundings)
    for (const rule of rulesThrough(prices, rounding, present)) if (explains(rule, rounding)) return rule
  return null
}

/** The simplest rules first. One price has two of them; the kind that the operation has now is the likelier one. */
function* rulesThrough(prices: readonly Price[], rounding: bigint, present: Fee): Generator<Fee> {
  const sorted = prices.toSorted((one, other) => (one.amount < other.amount ? -1 : 1))
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return
  const fixed = { fixedMinor: first.fee, percentPpm: 0n }
  if (present.percentPpm === 0n) yield fixed
  yield* rulesBetween({ amount: 0n, fee: 0n }, last, rounding)
  yield fixed
  yield* rulesBetween(first, last, rounding)
}

/** Percentages that lead from one price to the other, within what rounding hides; those with few decimals first. */
function* rulesBetween(from: Price, to: Price, rounding: bigint): Generator<Fee> {
  const [byAmount, byFee] = [to.amount - from.amount, to.fee - from.fee]
  if (byAmount <= 0n || byFee <= 0n) return
  const [least, most] = [((byFee - 1n) * maxPercentPpm) / byAmount, ((byFee + 1n) * maxPercentPpm) / byAmount]
  for (const step of percentSteps) {
    const start = (least / step) * step
    for (let ppm = start; ppm <= most && ppm < start + mostPercentages * step; ppm += step)
      if (ppm > 0n && ppm <= maxPercentPpm)
        yield { fixedMinor: from.fee - shareOf(from.amount, ppm, rounding), percentPpm: ppm }
  }
}

/** What each amount cost, by currency and operation. */
function pricesIn(recordings: readonly Recording[]): Map<Currency, Map<Operation, Price[]>> {
  const table = new Map<Currency, Map<Operation, Price[]>>()
  for (const { operation, fields } of recordings.flatMap(({ entries }) => entries.flatMap(pricedIn))) {
    const currency = fields.currency ?? fields.currency_from ?? fields.base_currency
    if (!isCurrency(currency)) continue
    const amount = minorOf(fields.amount ?? fields.amount_from ?? fields.from_amount, currency)
    const fee = minorOf(fields.fee, currency)
    if (amount === null || fee === null) continue
    const byOperation = table.get(currency) ?? new Map<Operation, Price[]>()
    const prices = byOperation.get(operation) ?? []
    prices.push({ amount, fee })
    table.set(currency, byOperation.set(operation, prices))
  }
  return table
}

/** The objects of an entry that have a fee. */
function pricedIn(entry: Recording['entries'][number]): { operation: Operation; fields: Fields }[] {
  const body = bodyOf((isCall(entry) ? entry.responseBody : entry.body) ?? '')
  const data = fieldsIn(body?.data)
  const items = Array.isArray(data.items) ? data.items.map(fieldsIn) : [data]
  const ofEntry = isCall(entry) ? operationOf(entry) : String(body?.event).split('.')[0]
  return items.flatMap((fields) => {
    const operation = operations.find((one) => one === (data.items === undefined ? ofEntry : fields.type))
    return operation === undefined || fields.fee === undefined ? [] : [{ operation, fields }]
  })
}

function operationOf({ endpoint }: RecordedCall): string | undefined {
  const row: Endpoint | null = endpoint === null ? null : endpoints[endpoint]
  return endpoint === 'simulate' ? 'conversion' : row?.operation
}

function minorOf(amount: unknown, currency: Currency): bigint | null {
  const text = amount instanceof JsonNumber ? amount.text : amount
  const parsed = typeof text === 'string' ? parseAmount(text, currencies[currency].scale) : null
  return parsed?.ok === true ? parsed.minor : null
}
