/**
 * Double-entry bookkeeping, and the only writer of balances. Every entry sums to zero; every balance is the sum of its
 * postings (decision 12).
 */

import { hourMs } from '../../base/duration.js'
import {
  type AmountFault,
  amountNumber,
  formatAmount,
  maxAmountDigits,
  maxAmountMinor,
  parseAmount,
} from '../../base/money.js'
import type { Measure } from '../../protocol/control/figures.js'
import { byCurrency, type Currency, currencies } from '../../protocol/platform/currencies.js'
import type { EntryType } from '../../protocol/platform/entry-types.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { type Db, reader, runner } from '../../store/db.js'
import { appender, finder, upserter } from '../../store/rows.js'
import { balances, postings } from '../../store/schema.js'
import { cacheRow, getOrCacheRow } from '../../store/unit-of-work.js'
import type { Unit } from '../unit/unit.js'

// Money in and out, and results of webhooks: totals by hour of the sandbox's clock.

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

/** `accountSeq` 0 is the platform: `rail` is the outside world, `fees` the platform's revenue. */
export interface BalanceRef {
  accountSeq: number
  bucket: 'available' | 'blocked' | 'pending' | 'rail' | 'fees'
}

export interface Transfer {
  from: BalanceRef
  to: BalanceRef
  currency: Currency
  amountMinor: bigint
  /**
   * The entry type of the posting to `available`, as shown in statements. `peerType` (default: `type`) is the entry type
   * for the receiver if both sides are `available`.
   */
  type?: EntryType | undefined
  peerType?: EntryType | undefined
}

export interface Balance {
  available: bigint
  blocked: bigint
  pending: bigint
}

const zeroBalance: Balance = { available: 0n, blocked: 0n, pending: 0n }

const insertPosting = appender(postings)
const findBalance = finder(balances, 'where account_seq = ? and currency = ?')
const putBalance = upserter(balances)

/** Writes one entry. Zero amounts get no posting. Rejects a balance of more than 15 digits (422 INVALID_AMOUNT). */
export function post(unit: Unit, reference: { objectId: string; memo: string }, transfers: readonly Transfer[]): void {
  const moved = transfers.filter((transfer) => transfer.amountMinor !== 0n)
  if (moved.length === 0) return
  const entry = unit.ids.sequence('entries')
  const changes = new Map<string, { accountSeq: number; currency: Currency } & Balance>()
  for (const { from, to, currency, amountMinor, type, peerType = type } of moved) {
    if (amountMinor < 0n) throw new Error(`a posting of ${amountMinor} ${currency} must not be negative`)
    for (const [side, postedMinor, entryType] of [
      [from, -amountMinor, type],
      [to, amountMinor, from.bucket === 'available' ? peerType : type],
    ] as const) {
      insertPosting(unit.db, {
        entry,
        accountSeq: side.accountSeq,
        bucket: side.bucket,
        currency,
        amountMinor: postedMinor,
        ...reference,
        atMs: unit.atMs,
        type: side.bucket === 'available' ? (entryType ?? 'adjustment') : null,
      })
      if (side.bucket === 'rail' || side.bucket === 'fees') continue
      const key = `${side.accountSeq} ${currency}`
      const change = changes.get(key) ?? { accountSeq: side.accountSeq, currency, ...zeroBalance }
      change[side.bucket] += postedMinor
      changes.set(key, change)
    }
  }
  for (const { accountSeq, currency, ...change } of changes.values()) {
    const before = balanceOf(unit.db, accountSeq, currency)
    const after = {
      available: before.available + change.available,
      blocked: before.blocked + change.blocked,
      pending: before.pending + change.pending,
    }
    assertValidBalance(after, currency)
    putBalance(unit.db, { accountSeq, currency, ...after })
    cacheRow(unit.db, balanceKey(accountSeq, currency), after)
  }
}

function assertValidBalance(balance: Balance, currency: Currency): void {
  for (const minor of [balance.available, balance.blocked, balance.pending]) {
    if (minor > maxAmountMinor || minor < -maxAmountMinor)
      throw new ApiError('INVALID_AMOUNT', { currency, rule: `the balance would exceed ${maxAmountDigits} digits` })
  }
}

const balanceKey = (accountSeq: number, currency: Currency) => `balance ${accountSeq} ${currency}`

export function balanceOf(db: Db, accountSeq: number, currency: Currency): Balance {
  return getOrCacheRow(db, balanceKey(accountSeq, currency), () => findBalance(db, accountSeq, currency) ?? zeroBalance)
}

export function balancesOf(db: Db, accountSeq: number): Record<Currency, Balance> {
  return byCurrency((currency) => balanceOf(db, accountSeq, currency))
}

/** Throws 422 INSUFFICIENT_BALANCE `{available, required}` if the available balance is too low. */
export function requireAvailable(unit: Unit, accountSeq: number, currency: Currency, requiredMinor: bigint): void {
  const { available } = balanceOf(unit.db, accountSeq, currency)
  if (available >= requiredMinor) return
  const { scale } = currencies[currency]
  throw new ApiError('INSUFFICIENT_BALANCE', {
    currency,
    available: amountNumber(available, scale),
    required: amountNumber(requiredMinor, scale),
  })
}

/** Sets `available` to an amount by a posting to or from the outside world. */
export function setAvailable(
  unit: Unit,
  account: { seq: number; username: string },
  currency: Currency,
  minor: bigint,
): void {
  const difference = minor - balanceOf(unit.db, account.seq, currency).available
  const balance: BalanceRef = { accountSeq: account.seq, bucket: 'available' }
  const outside: BalanceRef = { accountSeq: 0, bucket: 'rail' }
  const [from, to] = difference > 0n ? [outside, balance] : [balance, outside]
  post(unit, { objectId: account.username, memo: 'balance set' }, [
    { from, to, currency, amountMinor: difference < 0n ? -difference : difference },
  ])
}

/** Formats an amount as a decimal string. */
export const formatMoney = (minor: bigint, currency: Currency): string =>
  formatAmount(minor, currencies[currency].scale)

const amountErrors: Record<AmountFault, (currency: Currency) => string> = {
  not_a_number: () => 'must be a decimal number',
  too_many_decimals: (currency) => `at most ${currencies[currency].scale} decimals for ${currency}`,
  too_large: (currency) => `must be at most ${formatMoney(maxAmountMinor, currency)}`,
}

function parseChecked(
  text: string,
  currency: Currency,
  field: string,
  isValid: (minor: bigint) => boolean,
  rule: string,
): bigint {
  const parsed = parseAmount(text, currencies[currency].scale)
  if (!parsed.ok) throw new ApiError('INVALID_AMOUNT', { field, rule: amountErrors[parsed.reason](currency) })
  if (!isValid(parsed.minor)) throw new ApiError('INVALID_AMOUNT', { field, rule })
  return parsed.minor
}

/** Parses a positive amount to minor units; throws 422 INVALID_AMOUNT with the violated rule. */
export const parseAmountField = (text: string, currency: Currency, field = 'amount'): bigint =>
  parseChecked(text, currency, field, (minor) => minor > 0n, 'must be greater than zero')

/** Parses an amount of zero or more to minor units, for balances, limits and fees; throws 422 INVALID_AMOUNT. */
export const parseBalanceField = (text: string, currency: Currency, field: string): bigint =>
  parseChecked(text, currency, field, (minor) => minor >= 0n, 'must not be negative')

/** Returns the `amount` parameter of an action (default: the transaction's amount). */
export function amountParam(
  transaction: { amountMinor: bigint; currency: Currency },
  text: string | undefined,
  rule: { exact?: boolean; atMost?: bigint },
): bigint {
  if (text === undefined) return transaction.amountMinor
  const currency = transaction.currency
  const minor = parseAmountField(text, currency)
  if (rule.exact === true && minor !== transaction.amountMinor) {
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `a PIX charge must be paid in the exact amount: ${formatMoney(transaction.amountMinor, currency)}`,
    })
  }
  if (rule.atMost !== undefined && minor > rule.atMost) {
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `must be at most ${formatMoney(rule.atMost, currency)}`,
    })
  }
  return minor
}
