/** Judges the entries of one transaction: what is missing, surplus, or different from the postings, and which rule that violates. */
import { currencies, type EntryType, postingName } from '../../../inside/platform.js'
import { isoUtc } from '../../../inside/values.js'
import { formatMoney } from '../../../inside/workspace.js'
import {
  type BookingStyle,
  type FeeMode,
  feeTypes,
  type Group,
  isCutToUnits,
  isMain,
  type MainPosting,
  missingRuleOf,
  sizesWithFee,
} from './assign.js'
import type { BookEntry } from './entries.js'
import { isWithin, type Period, type PlatformPosting, type PlatformTransaction } from './platform.js'
import { magnitude } from './read-amount.js'
import { type BooksRule, booksRules } from './rules.js'

/** Returns the mistakes of one transaction, without those about postings outside the period. */
export function judge(group: Group, bookingStyle: BookingStyle, period: Period): Mistake[] {
  const { transaction } = group
  const found = [
    ...judgeExtras(group, period),
    ...judgeBlock(group, bookingStyle),
    ...judgeMains(group, bookingStyle),
    ...judgeOthers(group),
    ...judgeStatus(group, bookingStyle),
  ]
  const has = (rule: BooksRule) => found.some((one) => one.rule === rule)
  // An entry of another transaction has the amount and the day of that one.
  if (!has('amount.exact')) found.push(...judgeDays(group, period))
  const missing = missingPostings(group, bookingStyle, has('dispute.blocked'))
    .filter((posting) => !found.some((one) => inOtherCurrency(one, posting)))
    .map(
      (posting): Found => ({ rule: missingRuleOf(posting.type), entry: null, posting, expectedMinor: posting.minor }),
    )
  const isFeeForgotten = found.some(({ rule, posting }) => rule === 'fee.booked' && posting?.type === 'withdrawal')
  const isFailureHidden = transaction.status === 'failed' && has('withdrawal.confirmed')
  return [...found, ...onePerRule(missing).map((mistake) => asLoss(mistake, group))]
    .filter(
      ({ posting, rule, entry }) =>
        // Who forgets the fee of a withdrawal has none to give back, only the amount.
        !(isFeeForgotten && rule === 'withdrawal.returned' && entry?.types.includes('withdrawal_return')) &&
        // With the status failed, a withdrawal needs neither fee nor return.
        !(isFailureHidden && (rule === 'fee.booked' || rule === 'withdrawal.returned')) &&
        (posting === null || posting.isInPeriod),
    )
    .map((mistake) => ({ ...mistake, transaction }))
}

/** Whether a surplus entry is that of a posting in another currency. */
const inOtherCurrency = ({ rule, entry }: Found, posting: PlatformPosting): boolean =>
  rule === 'entry.known' && entry?.currency !== posting.currency && entry?.types.includes(posting.type) === true

/** Says of a block that is not released if it is booked with a word for a loss. */
function asLoss(mistake: Found, group: Group): Found {
  const { posting } = mistake
  const [block] = group.entriesOf('dispute_block')
  if (posting?.type !== 'dispute_release' || block?.types[0] !== 'dispute_loss') return mistake
  const why = `the dispute is not lost: its amount was released on ${posting.day}, which is not booked`
  return { ...mistake, entry: block, expectedMinor: null, why }
}

const onePerRule = (mistakes: readonly Found[]): Found[] => [
  ...new Map(mistakes.toReversed().map((mistake) => [mistake.rule, mistake])).values(),
]

/** An open dispute that is booked with a word for a loss is a loss in a ledger that books no blocks. */
function judgeBlock(group: Group, { hasBlocks }: BookingStyle): Found[] {
  if (hasBlocks || group.postingOf('dispute_release') !== undefined) return []
  return group
    .bookingsOf('dispute_block')
    .filter(({ entry }) => entry.types[0] === 'dispute_loss')
    .map((one) => ({ ...one, rule: 'dispute.blocked', expectedMinor: null }))
}

const earlyFix = 'Book money when the platform reports it, not when you create the charge or the withdrawal.'

function judgeExtras(group: Group, period: Period): Found[] {
  const { transaction, extras } = group
  const block = group.postingOf('dispute_block')
  return extras.flatMap((entry): Found[] => {
    if (entry.minor === 0n || (entry.day !== null && !isWithin(period, entry.day))) return []
    // No money has moved, and the ledger says so.
    if (entry.state === 'failed' || (entry.state === 'pending' && transaction.postings.length === 0)) return []
    if (entry.types.includes('dispute_loss') && block !== undefined && group.postingOf('dispute_loss') === undefined)
      return [{ rule: 'dispute.blocked', entry, posting: block, expectedMinor: null }]
    const other = transaction.postings.find(({ type }) => entry.types.includes(type))
    const [why, fix] =
      transaction.postings.length === 0
        ? [`the transaction is ${transaction.status} and has no posting`, earlyFix]
        : other !== undefined && other.currency !== entry.currency
          ? [`the posting is in ${other.currency}`, 'Book the currency of the event.']
          : [`the transaction has no posting of this type in ${entry.currency}`, 'Check the type of the entry.']
    return [{ rule: 'entry.known', entry, posting: null, expectedMinor: null, why, fix }]
  })
}

/** Judges postings that are neither an amount with a fee, nor a fee. */
function judgeOthers(group: Group): Found[] {
  return [...group.byPosting].flatMap(([posting, entries]): Found[] => {
    const [entry] = entries
    if (entry === undefined || isMain(posting.type) || feeTypes.has(posting.type)) return []
    const { minor, hasExcess } = entry
    const twice = repeated({ posting, combined: posting.minor }, entries, 'entry.once')
    if ((minor === posting.minor && !hasExcess) || (entries.length > 1 && twice.length === 0)) return twice
    return [...twice, wrongAmount({ group, entry, posting })]
  })
}

function judgeStatus(group: Group, bookingStyle: BookingStyle): Found[] {
  const { status } = group.transaction
  if ((status !== 'pending' && status !== 'failed') || !group.isFailureShown(bookingStyle)) return []
  const returns = group.entriesOf('withdrawal_return')
  // A status that the return has too is that of the entry, not of the withdrawal.
  if (returns.length > 0 && returns.every(({ state }) => state === 'confirmed')) return []
  const why = `the withdrawal ${status === 'failed' ? 'has failed' : 'is pending'}`
  return group
    .bookingsOf('withdrawal')
    .filter(({ entry }) => entry.state === 'confirmed')
    .map((one) => ({ ...one, rule: 'withdrawal.confirmed', expectedMinor: null, why }))
}

/** Tolerance for a ledger that books an event a little later. */
const bookingMs = 300_000

function judgeDays({ transaction, byPosting }: Group, { zone }: Period): Found[] {
  const dayAt = (atMs: number) => zone.dayAndTime(atMs)[0]
  const settledDay = dayAt(transaction.updatedAtMs)
  return [...byPosting].flatMap(([posting, entries]) =>
    entries.flatMap((entry): Found[] => {
      const { day } = entry
      if (day === null || day === posting.day || day === dayAt(posting.atMs + bookingMs)) return []
      // Withdrawals may be booked between the day of the request and the day when they settle.
      if (posting.type.startsWith('withdrawal') && day >= posting.day && day <= settledDay) return []
      const isUtc = day === isoUtc(posting.atMs).slice(0, 10)
      const why = isUtc
        ? `dated ${day}, which is the day in UTC; in the time zone of the ledger it is ${posting.day}`
        : `dated ${day}; the posting is of ${posting.day}`
      return [{ rule: isUtc ? 'day.time-zone' : 'day.exact', entry, posting, expectedMinor: null, why }]
    }),
  )
}

/** Returns postings that need an entry but have none. */
function missingPostings(group: Group, bookingStyle: BookingStyle, hasBlockedLoss: boolean): PlatformPosting[] {
  const { transaction, byPosting } = group
  const isBooked = (type: EntryType) => group.entriesOf(type).length > 0
  const isEmpty = [...byPosting.values()].every((entries) => entries.length === 0) && group.extras.length === 0
  // The postings of a failed withdrawal cancel out, so it needs no entries.
  const isReturned = transaction.postings.reduce((sum, { minor }) => sum + minor, 0n) === 0n
  const needs = (posting: PlatformPosting): boolean => {
    switch (posting.type) {
      case 'dispute_block':
        return (
          !hasBlockedLoss &&
          (isBooked('dispute_release') || (bookingStyle.hasBlocks && group.postingOf('dispute_release') === undefined))
        )
      case 'dispute_release':
        return isBooked('dispute_block') && (group.postingOf('dispute_loss') === undefined || isBooked('dispute_loss'))
      case 'dispute_loss':
        return !(isBooked('dispute_block') && !isBooked('dispute_release'))
      case 'withdrawal':
        return transaction.status !== 'pending' && (isBooked('withdrawal_return') || !isReturned)
      case 'withdrawal_return':
        return isBooked('withdrawal') && !group.isMarkedFailed
      case 'split_sent':
        return !includedShares(group)
      default:
        return !feeTypes.has(posting.type)
    }
  }
  const missing = transaction.postings.filter(
    (posting) => posting.isInPeriod && byPosting.get(posting)?.length === 0 && needs(posting),
  )
  // A transaction without any entry is one mistake.
  return isEmpty ? missing.slice(0, 1) : missing
}

/** Returns whether the net amount of the charge already includes the shares of other accounts. */
const includedShares = (group: Group): boolean =>
  group.mains().some(({ combined, hasShares, entries }) => hasShares && entries.some(({ minor }) => minor === combined))

/** Returns the mistake of an entry that matches no transaction of the account. */
export const unknownEntry = (entry: BookEntry): Mistake => ({
  ...{ rule: 'entry.known' satisfies BooksRule, transaction: null, entry, posting: null, expectedMinor: null },
  why:
    entry.transactionId === null && entry.externalId === null
      ? 'it has no transaction_id and no external_id'
      : 'the account has no transaction with this id',
  fix: 'Store the transaction_id of the platform with every entry, and certify the account that the entry belongs to.',
})

const judgeMains = (group: Group, bookingStyle: BookingStyle): Found[] =>
  group
    .mains()
    .flatMap((main) => main.entries.slice(0, 1).flatMap((entry) => judgeMain(group, main, entry, bookingStyle)))

function judgeMain(group: Group, main: MainPosting, entry: BookEntry, { modeOf, cutsUnits }: BookingStyle): Found[] {
  const { posting, combined, entries, fee } = main
  const mode = modeOf(main.type)
  const twice = repeated(main, entries, 'entry.once')
  // One posting may be booked in several parts.
  if (entries.length > 1 && twice.length === 0) return []
  const isCut = cutsUnits && mode !== 'included' && isCutToUnits(main, entry)
  const verdict = fee === undefined || isCut ? null : feeVerdict(main, entry, mode)
  const accepted = isCut ? [] : [posting.minor, combined]
  const expected = mode === 'rows' || mode === 'column-gross' ? posting.minor : combined
  const mistakes = [...twice]
  if (verdict !== null)
    mistakes.push({ rule: verdict, entry, posting, expectedMinor: expected, ...reasonOf(main, verdict) })
  else if (!accepted.includes(entry.minor)) mistakes.push(wrongAmount({ group, entry, posting, expected }))
  else if (entry.hasExcess) mistakes.push(wrongAmount({ group, entry, posting, expected: entry.minor }))
  const fees = fee === undefined ? [] : judgeFee(group, main, fee, entry)
  // An entry that is booked twice has its fee twice.
  const isFeeOfCopy = twice.length > 0 && main.feeEntries.length === entries.length
  return [...mistakes, ...fees.filter(({ rule }) => !(isFeeOfCopy && rule === 'fee.once'))]
}

/** Names the fee that is not booked, or that is booked in the amount and besides it. */
function reasonOf({ fee, type }: MainPosting, rule: BooksRule): Pick<Found, 'why' | 'fix'> {
  if (rule === 'charge.net' && type === 'withdrawal') return { fix: netWithdrawalFix }
  const name = fee && `its ${postingName(fee.type)} of ${formatMoney(magnitude(fee.minor), fee.currency)}`
  if (name === undefined || rule === 'charge.net') return {}
  return { why: `${name} is ${rule === 'fee.once' ? 'booked twice' : 'not booked'}` }
}

const netWithdrawalFix =
  'A withdrawal fee is charged on top: book amount and fee as one amount, as your other withdrawals, or as two entries everywhere.'

/** Returns the rule that amount and fee violate together; null if they fit, or if the amount itself is wrong. */
function feeVerdict(main: MainPosting, entry: BookEntry, mode: FeeMode): BooksRule | null {
  const { posting, fee, combined, feeEntries } = main
  // No money has moved for an entry that is marked as failed.
  if (fee === undefined || combined === posting.minor || entry.state === 'failed') return null
  const isGross = entry.minor === posting.minor
  const isNet = entry.minor === combined
  const hasColumn = entry.feeMinor !== null && entry.feeMinor !== 0n
  const missing = missingRuleOf(fee.type)
  if (main.type === 'withdrawal_return') return isGross && feeEntries.length === 0 && !hasColumn ? missing : null
  if (hasColumn) {
    if (feeEntries.length > 0 || (mode === 'column-gross' && isNet)) return 'fee.once'
    return mode === 'column-net' && isGross ? 'charge.net' : null
  }
  if (feeEntries.length > 0) return isNet ? 'fee.once' : null
  if (mode === 'included') return isGross ? 'charge.net' : null
  if (mode === 'column-net') return isNet || isGross ? missing : null
  return isGross ? missing : null
}

/** Judges the fee, which is a separate entry or a cell of the fee column. */
function judgeFee(group: Group, main: MainPosting, fee: PlatformPosting, entry: BookEntry): Found[] {
  const [first] = main.feeEntries
  if (first !== undefined) {
    const twice = repeated(main, main.feeEntries, 'fee.once', fee)
    if ((first.minor === fee.minor && !first.hasExcess) || (main.feeEntries.length > 1 && twice.length === 0))
      return twice
    return [...twice, wrongAmount({ group, entry: first, posting: fee })]
  }
  const [booked, size] = [magnitude(entry.feeMinor ?? 0n), magnitude(fee.minor)]
  if (booked === 0n || booked === size) return []
  const wrong = wrongAmount({ group, entry, posting: fee, minor: -booked, expected: -size })
  return [{ ...wrong, expectedMinor: fee.minor, why: 'fee column' }]
}

const onceFix = booksRules['entry.once'].fix

/** Returns duplicate entries, unless their sum is the amount of the posting. */
function repeated(
  main: Pick<MainPosting, 'posting' | 'combined'>,
  entries: readonly BookEntry[],
  rule: BooksRule,
  posting: PlatformPosting = main.posting,
): Found[] {
  const sum = entries.reduce((total, { minor }) => total + minor, 0n)
  if (entries.length < 2 || sum === posting.minor || (posting === main.posting && sum === main.combined)) return []
  const why = `already booked in row ${entries[0]?.line}`
  return entries.slice(1).map((entry) => ({ rule, entry, posting, expectedMinor: null, why, fix: onceFix }))
}

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
  /** Replaces the fix of the rule, if the mistake shows the cause. */
  fix?: string
}

/** A mistake in a transaction that the caller knows. */
type Found = Omit<Mistake, 'transaction'>

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

function wrongAmount(booked: Booked): Found {
  const { entry, posting, expected: expectedMinor = posting.minor } = booked
  const rule = amountRule(booked)
  const isTwice =
    rule === 'fee.once' || (rule === 'amount.exact' && (booked.minor ?? entry.minor) === 2n * expectedMinor)
  return { rule, entry, posting, expectedMinor, ...excessOf(entry), ...(isTwice && { fix: onceFix }) }
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
  const withoutZeros = (one: bigint): bigint => (one !== 0n && one % 10n === 0n ? withoutZeros(one / 10n) : one)
  return minor !== expected && withoutZeros(minor) === withoutZeros(expected)
}

const bookedDecimals = 2

/** Returns whether the amount was rounded or truncated to two decimals. */
function isCut(minor: bigint, expected: bigint, scale: number): boolean {
  if (scale <= bookedDecimals || minor === expected) return false
  const unit = 10n ** BigInt(scale - bookedDecimals)
  return minor % unit === 0n && magnitude(minor - expected) < unit
}
