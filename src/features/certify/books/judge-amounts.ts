/** Judges an amount together with its fee, by the way in which the ledger books fees. */

import { postingName } from '../../../inside/platform.js'
import { formatMoney } from '../../../inside/workspace.js'
import {
  type BookingStyle,
  type FeeMode,
  type Group,
  isCutToUnits,
  type MainPosting,
  magnitude,
  mainsOf,
  signedMinor,
} from './assign.js'
import type { BookEntry } from './entries.js'
import { missingRules } from './family.js'
import { amountRule, excessOf, type Mistake } from './mistake.js'
import type { PlatformPosting } from './platform.js'
import type { BooksRule } from './rules.js'

type Found = Pick<Mistake, 'rule' | 'entry' | 'posting' | 'expectedMinor'> & { why?: string }

export function judgeMains(group: Group, bookingStyle: BookingStyle): Found[] {
  return mainsOf(group).flatMap((main) => {
    const [entry] = main.entries
    return entry === undefined ? [] : judgeMain(group, main, entry, bookingStyle)
  })
}

function judgeMain(group: Group, main: MainPosting, entry: BookEntry, bookingStyle: BookingStyle): Found[] {
  const mode = bookingStyle.modeOf(main.type)
  const minor = signedMinor(entry.minor, main.posting, bookingStyle.isSigned)
  const twice = repeated(main, main.entries, bookingStyle, 'entry.once')
  // One posting may be booked in several parts.
  if (main.entries.length > 1 && twice.length === 0) return []
  const isCut = bookingStyle.cutsUnits && mode !== 'included' && isCutToUnits(main, entry, bookingStyle.isSigned)
  const verdict = main.fee === undefined || isCut ? null : feeVerdict(main, entry, minor, mode)
  const mistakes = [...twice]
  const accepted = isCut ? [] : [main.posting.minor, main.combined]
  if (verdict !== null)
    mistakes.push({
      rule: verdict,
      entry,
      posting: main.posting,
      expectedMinor: expectedOf(main, mode),
      ...missingPart(main, verdict),
    })
  else if (entry.hasExcess || !accepted.includes(minor)) {
    const expected = accepted.includes(minor) ? minor : expectedOf(main, mode)
    mistakes.push({
      rule: amountRule(group, entry, main.posting, minor, expected),
      ...{ entry, posting: main.posting, expectedMinor: expected },
      ...excessOf(entry),
    })
  }
  const fees = main.fee === undefined ? [] : judgeFee(group, main, main.fee, entry, bookingStyle)
  // An entry that is booked twice has its fee twice.
  const isFeeOfCopy = twice.length > 0 && main.feeEntries.length === main.entries.length
  return [...mistakes, ...fees.filter(({ rule }) => !(isFeeOfCopy && rule === 'fee.once'))]
}

/** Names the fee that is not booked. */
function missingPart({ fee }: MainPosting, rule: BooksRule): { why?: string } {
  if (fee === undefined || rule !== missingRules[fee.type]) return {}
  return { why: `its ${postingName(fee.type)} of ${formatMoney(magnitude(fee.minor), fee.currency)} is not booked` }
}

const expectedOf = ({ posting, combined }: MainPosting, mode: FeeMode): bigint =>
  mode === 'rows' || mode === 'column-gross' ? posting.minor : combined

/** Returns the rule that amount and fee violate together; null if they fit, or if the amount itself is wrong. */
function feeVerdict(main: MainPosting, entry: BookEntry, minor: bigint, mode: FeeMode): BooksRule | null {
  const { posting, fee, combined, feeEntries } = main
  // No money has moved for an entry that is marked as failed.
  if (fee === undefined || combined === posting.minor || entry.state === 'failed') return null
  const isGross = minor === posting.minor
  const isNet = minor === combined
  const hasColumn = entry.feeMinor !== null && entry.feeMinor !== 0n
  const missing = missingRules[fee.type]
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
function judgeFee(
  group: Group,
  main: MainPosting,
  fee: PlatformPosting,
  entry: BookEntry,
  bookingStyle: BookingStyle,
): Found[] {
  const size = magnitude(fee.minor)
  const [first] = main.feeEntries
  if (first !== undefined) {
    const minor = signedMinor(first.minor, fee, bookingStyle.isSigned)
    const twice = repeated(main, main.feeEntries, bookingStyle, 'fee.once', fee)
    if ((minor === fee.minor && !first.hasExcess) || (main.feeEntries.length > 1 && twice.length === 0)) return twice
    const rule = minor === 2n * fee.minor ? 'fee.once' : amountRule(group, first, fee, minor, fee.minor)
    return [...twice, { rule, entry: first, posting: fee, expectedMinor: fee.minor, ...excessOf(first) }]
  }
  const booked = magnitude(entry.feeMinor ?? 0n)
  if (booked === 0n || booked === size) return []
  const rule = booked === 2n * size ? 'fee.once' : amountRule(group, entry, fee, -booked, -size)
  return [{ rule, entry, posting: fee, expectedMinor: fee.minor, why: 'fee column' }]
}

/** Returns duplicate entries, unless their sum is the amount of the posting. */
export function repeated(
  main: Pick<MainPosting, 'posting' | 'combined'>,
  entries: readonly BookEntry[],
  { isSigned }: BookingStyle,
  rule: BooksRule,
  posting: PlatformPosting = main.posting,
): Found[] {
  const sum = entries.reduce((total, { minor }) => total + signedMinor(minor, posting, isSigned), 0n)
  if (entries.length < 2 || sum === posting.minor || (posting === main.posting && sum === main.combined)) return []
  return entries.slice(1).map((entry) => ({ rule, entry, posting, expectedMinor: null }))
}
