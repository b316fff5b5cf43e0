/** Double entry: the only writer of a balance. Every entry sums to zero, every balance is the sum of its postings (decision 12). */
import {
  type AmountFault,
  amountNumber,
  formatAmount,
  maxAmountDigits,
  maxAmountMinor,
  parseAmount,
} from '../../base/money.js'
import { byCurrency, type Currency, currencies } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Db } from '../../store/db.js'
import { appender, finder, putter } from '../../store/rows.js'
import { balances, postings } from '../../store/schema.js'
import { cachedRow, keepRow } from '../../store/unit-of-work.js'
import type { Unit } from '../unit/unit.js'

/** `accountSeq` 0 is the platform: `rail` is the world outside, `fees` what it earned. */
export interface Pocket {
  accountSeq: number
  bucket: 'available' | 'blocked' | 'pending' | 'rail' | 'fees'
}

export interface Transfer {
  from: Pocket
  to: Pocket
  currency: Currency
  minor: bigint
}

export interface Balance {
  available: bigint
  blocked: bigint
  pending: bigint
}

const nothing: Balance = { available: 0n, blocked: 0n, pending: 0n }

const insertPosting = appender(postings)
const balanceOfOne = finder(balances, 'where account_seq = ? and currency = ?')
const putBalance = putter(balances)

/** Writes one entry. Amounts of zero leave no posting. Refuses a balance that would outgrow 15 digits (422 INVALID_AMOUNT). */
export function post(unit: Unit, about: { objectId: string; memo: string }, transfers: readonly Transfer[]): void {
  const moved = transfers.filter((transfer) => transfer.minor !== 0n)
  if (moved.length === 0) return
  const entry = unit.ids.sequence('entries')
  const changes = new Map<string, { accountSeq: number; currency: Currency } & Balance>()
  for (const { from, to, currency, minor } of moved) {
    if (minor < 0n) throw new Error(`a posting of ${minor} ${currency} runs backwards`)
    for (const [pocket, amountMinor] of [
      [from, -minor],
      [to, minor],
    ] as const) {
      insertPosting(unit.db, {
        entry,
        accountSeq: pocket.accountSeq,
        bucket: pocket.bucket,
        currency,
        amountMinor,
        ...about,
        atMs: unit.atMs,
      })
      if (pocket.bucket === 'rail' || pocket.bucket === 'fees') continue
      const key = `${pocket.accountSeq} ${currency}`
      const change = changes.get(key) ?? { accountSeq: pocket.accountSeq, currency, ...nothing }
      change[pocket.bucket] += amountMinor
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
    assertHeld(after, currency)
    putBalance(unit.db, { accountSeq, currency, ...after })
    keepRow(unit.db, balanceKey(accountSeq, currency), after)
  }
}

function assertHeld(balance: Balance, currency: Currency): void {
  for (const minor of [balance.available, balance.blocked, balance.pending]) {
    if (minor > maxAmountMinor || minor < -maxAmountMinor)
      throw new ApiError('INVALID_AMOUNT', { currency, rule: `the balance would outgrow ${maxAmountDigits} digits` })
  }
}

const balanceKey = (accountSeq: number, currency: Currency) => `balance ${accountSeq} ${currency}`

export function balanceOf(db: Db, accountSeq: number, currency: Currency): Balance {
  return cachedRow(db, balanceKey(accountSeq, currency), () => balanceOfOne(db, accountSeq, currency) ?? nothing)
}

export function balancesOf(db: Db, accountSeq: number): Record<Currency, Balance> {
  return byCurrency((currency) => balanceOf(db, accountSeq, currency))
}

/** 422 INSUFFICIENT_BALANCE `{available, required}` where what is available does not cover it. */
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

/** Brings `available` to an amount by a posting to or from the world outside. */
export function setAvailable(
  unit: Unit,
  account: { seq: number; username: string },
  currency: Currency,
  minor: bigint,
): void {
  const difference = minor - balanceOf(unit.db, account.seq, currency).available
  const own: Pocket = { accountSeq: account.seq, bucket: 'available' }
  const outside: Pocket = { accountSeq: 0, bucket: 'rail' }
  const [from, to] = difference > 0n ? [outside, own] : [own, outside]
  post(unit, { objectId: account.username, memo: 'balance set' }, [
    { from, to, currency, minor: difference < 0n ? -difference : difference },
  ])
}

/** The decimal string of an amount. */
export const money = (minor: bigint, currency: Currency): string => formatAmount(minor, currencies[currency].scale)

const faults: Record<AmountFault, (currency: Currency) => string> = {
  not_a_number: () => 'must be a decimal number',
  too_many_decimals: (currency) => `at most ${currencies[currency].scale} decimals for ${currency}`,
  too_large: (currency) => `must be at most ${money(maxAmountMinor, currency)}`,
}

function read(
  text: string,
  currency: Currency,
  field: string,
  holds: (minor: bigint) => boolean,
  rule: string,
): bigint {
  const parsed = parseAmount(text, currencies[currency].scale)
  if (!parsed.ok) throw new ApiError('INVALID_AMOUNT', { field, rule: faults[parsed.reason](currency) })
  if (!holds(parsed.minor)) throw new ApiError('INVALID_AMOUNT', { field, rule })
  return parsed.minor
}

/** The text of a positive amount as minor units; 422 INVALID_AMOUNT with the rule it breaks. */
export const readAmount = (text: string, currency: Currency, field = 'amount'): bigint =>
  read(text, currency, field, (minor) => minor > 0n, 'must be greater than zero')

/** The same where zero is an amount too: balances, limits, fees. */
export const readBalance = (text: string, currency: Currency, field: string): bigint =>
  read(text, currency, field, (minor) => minor >= 0n, 'must not be negative')

/** The `amount` parameter of an action, the transaction's own where absent. */
export function amountParam(
  transaction: { amountMinor: bigint; currency: Currency },
  text: string | undefined,
  rule: { exact?: boolean; atMost?: bigint },
): bigint {
  if (text === undefined) return transaction.amountMinor
  const currency = transaction.currency
  const minor = readAmount(text, currency)
  if (rule.exact === true && minor !== transaction.amountMinor) {
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `a PIX charge is paid exactly: ${money(transaction.amountMinor, currency)}`,
    })
  }
  if (rule.atMost !== undefined && minor > rule.atMost) {
    throw new ApiError('INVALID_AMOUNT', { field: 'amount', rule: `must be at most ${money(rule.atMost, currency)}` })
  }
  return minor
}
