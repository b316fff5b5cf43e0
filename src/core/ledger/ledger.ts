/**
 * Double-entry bookkeeping, and the only writer of balances. Every entry sums to zero; every balance is the sum of its
 * postings (decision 12).
 */
import {
  type AmountFault,
  amountNumber,
  formatAmount,
  maxAmountDigits,
  maxAmountMinor,
  parseAmount,
} from '../../base/money.js'
import { byCurrency, type Currency, currencies } from '../../protocol/platform/currencies.js'
import type { EntryType } from '../../protocol/platform/entry-types.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Db } from '../../store/db.js'
import { appender, finder, upserter } from '../../store/rows.js'
import { balances, postings } from '../../store/schema.js'
import { cacheRow, getOrCacheRow } from '../../store/unit-of-work.js'
import type { Unit } from '../unit/unit.js'

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
