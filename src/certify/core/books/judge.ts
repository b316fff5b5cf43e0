/** Judges the entries of one transaction: what is missing, surplus, or different from the postings. */
import { isoOffset, isoUtc } from '../../../base/iso.js'
import type { EntryType } from '../../../protocol/platform/entry-types.js'
import type { BooksRule } from '../../protocol/books-rules.js'
import { type Group, type Layout, mainsOf, signedMinor } from './assign.js'
import type { BookEntry } from './entries.js'
import { families, feeTypes, missingRules } from './family.js'
import { judgeMains, repeated } from './judge-amounts.js'
import { amountRule, type Mistake } from './mistake.js'
import type { Line, Period } from './platform.js'
import { isWithin } from './platform.js'

/** Omits mistakes about postings outside the period. */
export function judge(group: Group, layout: Layout, period: Period): Mistake[] {
  const { transaction } = group
  const found = [
    ...judgeExtras(group, period),
    ...judgeMains(group, layout),
    ...judgeOthers(group, layout),
    ...judgeStatus(group),
    ...judgeDays(group),
  ].map((mistake) => ({ ...mistake, transaction }))
  const hasBlockedLoss = found.some(({ rule }) => rule === 'dispute.blocked')
  const missing = missingLines(group, layout, hasBlockedLoss).map(
    (line): Mistake => ({ rule: missingRules[line.type], transaction, entry: null, line, expectedMinor: line.minor }),
  )
  return [...found, ...onePerRule(missing)].filter(({ line }) => line === null || line.isDue)
}

type Found = Omit<Mistake, 'transaction'>

const onePerRule = (mistakes: readonly Mistake[]): Mistake[] => [
  ...new Map(mistakes.toReversed().map((mistake) => [mistake.rule, mistake])).values(),
]

function judgeExtras({ transaction, extras }: Group, period: Period): Found[] {
  const has = (type: EntryType) => transaction.lines.some((line) => line.type === type)
  return extras.flatMap((entry): Found[] => {
    if (entry.minor === 0n || (entry.day !== null && !isWithin(period, entry.day))) return []
    const isLoss = entry.types.includes('dispute_loss')
    const block = transaction.lines.find(({ type }) => type === 'dispute_block')
    if (isLoss && block !== undefined && !has('dispute_loss'))
      return [{ rule: 'dispute.blocked', entry, line: block, expectedMinor: null }]
    const why =
      transaction.lines.length === 0
        ? `the transaction is ${transaction.status} and has no posting`
        : `the transaction has no posting of this type in ${entry.currency}`
    return [{ rule: 'entry.known', entry, line: null, expectedMinor: null, why }]
  })
}

const mainTypes: ReadonlySet<string> = new Set(Object.keys(families))

/** Judges postings that are neither an amount with a fee, nor a fee. */
function judgeOthers(group: Group, layout: Layout): Found[] {
  return [...group.byLine].flatMap(([line, entries]): Found[] => {
    const [entry] = entries
    if (entry === undefined || mainTypes.has(line.type) || feeTypes.has(line.type)) return []
    const minor = signedMinor(entry.minor, line, layout.isSigned)
    const twice = repeated({ line, combined: line.minor }, entries, layout, 'entry.once')
    if ((minor === line.minor && !entry.hasExcess) || (entries.length > 1 && twice.length === 0)) return twice
    // A reversed conversion has two postings in opposite directions, which a ledger without signs cannot distinguish.
    if (line.type === 'conversion_return' && !layout.isSigned && minor === -line.minor) return twice
    return [
      ...twice,
      { rule: amountRule(group, entry, line, minor, line.minor), entry, line, expectedMinor: line.minor },
    ]
  })
}

function judgeStatus({ transaction, byLine }: Group): Found[] {
  if (transaction.status !== 'pending') return []
  return [...byLine].flatMap(([line, entries]) =>
    line.type !== 'withdrawal'
      ? []
      : entries
          .filter(({ isConfirmed }) => isConfirmed)
          .map((entry) => ({
            ...{ rule: 'withdrawal.confirmed' as const, entry, line, expectedMinor: null },
            why: 'the withdrawal is pending',
          })),
  )
}

/** Tolerance for a ledger that books an event a little later. */
const bookingMs = 300_000

function judgeDays({ transaction, byLine }: Group): Found[] {
  const settledDay = isoOffset(transaction.updatedAtMs).slice(0, 10)
  return [...byLine].flatMap(([line, entries]) =>
    entries.slice(0, 1).flatMap((entry): Found[] => {
      const { day } = entry
      if (day === null || day === line.day || day !== isoUtc(line.atMs).slice(0, 10)) return []
      if (day === isoOffset(line.atMs + bookingMs).slice(0, 10)) return []
      // Withdrawals may be booked on the day when they settle.
      if (line.type.startsWith('withdrawal') && day === settledDay) return []
      const why = `dated ${day}, which is the day in UTC; in America/Sao_Paulo it is ${line.day}`
      return [{ rule: 'day.time-zone', entry, line, expectedMinor: null, why }]
    }),
  )
}

/** Postings that need an entry but have none. */
function missingLines(group: Group, layout: Layout, hasBlockedLoss: boolean): Line[] {
  const { transaction, byLine } = group
  const isBooked = (type: EntryType) => [...byLine].some(([line, entries]) => line.type === type && entries.length > 0)
  const lineOf = (type: EntryType) => transaction.lines.find((line) => line.type === type)
  const isEmpty = [...byLine.values()].every((entries) => entries.length === 0) && group.extras.length === 0
  // The postings of a failed withdrawal cancel out, so it needs no entries.
  const isReturned = transaction.lines.reduce((sum, { minor }) => sum + minor, 0n) === 0n
  const needs = (line: Line): boolean => {
    switch (line.type) {
      case 'adjustment':
        return false
      case 'dispute_block':
        return (
          !hasBlockedLoss &&
          (isBooked('dispute_release') || (layout.hasBlocks && lineOf('dispute_release') === undefined))
        )
      case 'dispute_release':
        return isBooked('dispute_block') && (lineOf('dispute_loss') === undefined || isBooked('dispute_loss'))
      case 'dispute_loss':
        return !(isBooked('dispute_block') && !isBooked('dispute_release'))
      case 'withdrawal':
        return transaction.status !== 'pending' && (isBooked('withdrawal_return') || !isReturned)
      case 'withdrawal_return':
        return isBooked('withdrawal')
      case 'split_sent':
        return !includedShares(group, layout)
      default:
        return !feeTypes.has(line.type)
    }
  }
  const missing = transaction.lines.filter((line) => line.isDue && byLine.get(line)?.length === 0 && needs(line))
  // A transaction without any entry is one mistake.
  return isEmpty ? missing.slice(0, 1) : missing
}

/** Whether the net amount of the charge already includes the shares of other accounts. */
const includedShares = (group: Group, { isSigned }: Layout): boolean =>
  mainsOf(group).some(({ line, combined, entries }) =>
    entries.some(({ minor }) => combined !== line.minor && signedMinor(minor, line, isSigned) === combined),
  )

/** The mistake of an entry that matches no transaction of the account. */
export const unknownEntry = (entry: BookEntry): Mistake => ({
  ...{ rule: 'entry.known' satisfies BooksRule, transaction: null, entry, line: null, expectedMinor: null },
  why:
    entry.transactionId === null && entry.externalId === null
      ? 'it has no transaction_id and no external_id'
      : 'the account has no transaction with this id',
})
