/** A mistake in a ledger, and the rule that a wrong amount violates. */

import { currencies } from '../../../inside/platform.js'
import { formatMoney } from '../../../inside/workspace.js'
import { feeTypes, type Group, sizesWithFee } from './assign.js'
import type { BookEntry } from './entries.js'
import type { PlatformPosting, PlatformTransaction } from './platform.js'
import { magnitude } from './read-amount.js'
import type { BooksRule } from './rules.js'

export interface Mistake {
  rule: BooksRule
  transaction: PlatformTransaction | null
  /** The entry; null if nothing is booked. */
  entry: BookEntry | null
  /** The posting; null if the platform has none. */
  posting: PlatformPosting | null
  /** The expected amount of the entry; null if there should be none. */
  expectedMinor: bigint | null
  /** A reason that the report adds to the amounts. */
  why?: string
}

/** A mistake in a transaction that the caller knows. */
export type Found = Omit<Mistake, 'transaction'>

/** Names the digits that the currency does not have. */
const excessOf = ({ hasExcess, text, currency }: BookEntry): { why?: string } =>
  hasExcess ? { why: `written as ${text.slice(0, 40)}; ${currency} has ${currencies[currency].scale} decimals` } : {}

/** Joins an entry with an unknown id and the posting of its type and amount that is not booked: they are one mistake. */
export function joinUnknown(mistakes: readonly Mistake[]): Mistake[] {
  const keyOf = (currency: string, type: string, minor: bigint) => `${currency} ${type} ${magnitude(minor)}`
  const unbooked = new Map<string, Mistake[]>()
  for (const mistake of mistakes) {
    const { transaction, entry, posting } = mistake
    if (entry !== null || posting === null || transaction === null) continue
    for (const minor of new Set([magnitude(posting.minor), ...sizesWithFee(transaction, posting)])) {
      const key = keyOf(posting.currency, posting.type, minor)
      const same = unbooked.get(key)
      if (same === undefined) unbooked.set(key, [mistake])
      else same.push(mistake)
    }
  }
  const joined = new Set<Mistake>()
  const takeFor = ({ currency, types, minor }: BookEntry): Mistake | undefined => {
    for (const type of types) {
      const list = unbooked.get(keyOf(currency, type, minor)) ?? []
      for (let one = list.pop(); one !== undefined; one = list.pop()) if (!joined.has(one)) return one
    }
    return undefined
  }
  const explained = mistakes.map((mistake): Mistake => {
    const { transaction, entry } = mistake
    const other = transaction === null && entry !== null ? takeFor(entry) : undefined
    if (other === undefined) return mistake
    joined.add(other)
    return { ...mistake, why: `${mistake.why}; its amount is that of ${other.transaction?.id}, which is not booked` }
  })
  return explained.filter((mistake) => !joined.has(mistake))
}

/** A difference below a tenth of the amount points to another exchange rate. */
const ratePart = 10n

/** What was booked for a posting. `minor` and `expected` have the sign of the statement. */
interface Booked {
  group: Group
  entry: BookEntry
  posting: PlatformPosting
  /** Default: the amount of the posting. */
  expected?: bigint
  /** Default: the amount of the entry. */
  minor?: bigint
}

export function wrongAmount(booked: Booked): Found {
  const { entry, posting, expected: expectedMinor = posting.minor } = booked
  return { rule: amountRule(booked), entry, posting, expectedMinor, ...excessOf(entry) }
}

function amountRule({ group, entry, posting, expected = posting.minor, minor = entry.minor }: Booked): BooksRule {
  if (feeTypes.has(posting.type) && minor === 2n * expected) return 'fee.once'
  const difference = magnitude(minor - expected)
  const size = magnitude(expected)
  if (minor === -expected) return 'amount.sign'
  if (posting.type === 'refund' && group.isWholePayment(minor)) return 'refund.partial'
  if (entry.hasExcess && difference <= 1n) return 'amount.rounded'
  if (isShifted(minor, expected) || isCut(minor, expected, currencies[posting.currency].scale)) return 'amount.decimals'
  if (posting.type === 'conversion_received' && difference * ratePart <= size) return 'conversion.rate'
  const isComputed = feeTypes.has(posting.type) || posting.type.startsWith('split_') || expected !== posting.minor
  return difference === 1n && (isComputed || isFloatError(minor, posting)) ? 'amount.rounded' : 'amount.exact'
}

/** Whether the amount is what floating point leaves of the right one: 19.99 × 100 is 1998.9999999999998. */
function isFloatError(minor: bigint, { minor: right, currency }: PlatformPosting): boolean {
  const amount = Number(formatMoney(magnitude(right), currency))
  return Math.trunc(amount * 10 ** currencies[currency].scale) === Number(magnitude(minor))
}

/** Returns whether the amounts differ by a power of ten. */
function isShifted(minor: bigint, expected: bigint): boolean {
  if (minor === 0n || minor === expected || minor > 0n !== expected > 0n) return false
  let [small, large] = [magnitude(minor), magnitude(expected)].sort((one, other) => (one < other ? -1 : 1)) as [
    bigint,
    bigint,
  ]
  while (small < large) small *= 10n
  return small === large
}

const bookedDecimals = 2

/** Returns whether the amount was rounded or truncated to two decimals. */
function isCut(minor: bigint, expected: bigint, scale: number): boolean {
  if (scale <= bookedDecimals || minor === expected) return false
  const unit = 10n ** BigInt(scale - bookedDecimals)
  return minor % unit === 0n && magnitude(minor - expected) < unit
}
