/** Money in and out, and results of webhooks: totals by hour of the sandbox's clock. */
import { hourMs } from '../../base/duration.js'
import type { Measure } from '../../protocol/control/activity.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import { type Db, reader, runner } from '../../store/db.js'
import type { Unit } from '../unit/unit.js'

const add = runner(`insert into activity (hour_ms, measure, currency, sum_minor, count) values (?, ?, ?, ?, 1)
  on conflict (hour_ms, measure, currency) do update set sum_minor = sum_minor + excluded.sum_minor, count = count + 1`)

const startOf = (atMs: number, spanMs: number) => atMs - (atMs % spanMs)

/** Counts money that moved over a rail. */
export const countMoney = (unit: Unit, measure: 'in' | 'out', currency: Currency, minor: bigint): void =>
  add(unit.db, startOf(unit.atMs, hourMs), measure, currency, minor)

/** Counts an attempt to deliver an event. */
export const countAttempt = (unit: Unit, measure: 'delivered' | 'failed'): void =>
  add(unit.db, startOf(unit.atMs, hourMs), measure, '', 0n)

interface Sum {
  atMs: number
  measure: Measure
  currency: Currency | ''
  /** Text, because a sum can exceed the exact range of a number. */
  minor: string
  count: number
}

const sums =
  reader<Sum>(`select hour_ms - hour_ms % ? as atMs, measure, currency, cast(sum(sum_minor) as text) as minor,
  sum(count) as count from activity where hour_ms >= ? and hour_ms < ? group by 1, 2, 3 order by 1, 3`)

export interface Span {
  atMs: number
  sums: readonly Sum[]
}

/** Returns the last `count` time spans of `spanMs` (whole hours) each, including empty ones. The last one contains `nowMs`. */
export function activityUntil(db: Db, nowMs: number, spanMs: number, count: number): Span[] {
  const lastMs = startOf(nowMs, spanMs)
  const firstMs = lastMs - (count - 1) * spanMs
  const spans = Array.from({ length: count }, (_, index) => ({ atMs: firstMs + index * spanMs, sums: [] as Sum[] }))
  for (const sum of sums(db, spanMs, firstMs, lastMs + spanMs)) spans[(sum.atMs - firstMs) / spanMs]?.sums.push(sum)
  return spans
}
