/** What each rule compares. A rule without postings in the statement is skipped; one without entries in the ledger is inconclusive. */

import { type EntryType, postingTypeNames } from '../../../inside/platform.js'
import { isoUtc, keysOf } from '../../../inside/values.js'
import { inconclusive, pass, skipped } from '../report/rules.js'
import { type BookingStyle, feeTypes, type Group, mainTypes, missingRuleOf } from './assign.js'
import type { BookColumn } from './column-names.js'
import type { IntegratorLedger } from './entries.js'
import type { PlatformPosting } from './platform.js'
import { quoted } from './read-amount.js'
import type { BooksRule } from './rules.js'

interface Subject {
  /** Names the postings that the rule is about. */
  name: string
  types: readonly EntryType[]
  where?: (posting: PlatformPosting, group: Group) => boolean
  /** The rule needs an entry of one of these types in the same transaction (default: an entry of the posting). */
  booked?: readonly EntryType[]
  /** Names what the ledger lacks without such an entry (default: `name`). */
  unbooked?: string
  /** A correct ledger can omit these postings, so the rule is skipped without such an entry. */
  isOptional?: true
  /** Whether the entries of a transaction show what the rule is about. */
  shows?: (group: Group, style: BookingStyle) => boolean
  /** The column that the rule reads. */
  column?: BookColumn
}

const anyPosting: Subject = { name: 'posting', types: postingTypeNames }
const fees: Subject = { name: 'fee', types: [...feeTypes], booked: mainTypes, unbooked: 'transaction with a fee' }

// biome-ignore format: a table, a row a line
const subjects: Record<Exclude<BooksRule, 'entry.known'>, Subject> = {
  'entry.missing': { name: 'charge, withdrawal or conversion', types: postingTypeNames.filter((type) => missingRuleOf(type) === 'entry.missing') },
  'entry.once': anyPosting,
  'amount.exact': anyPosting,
  'amount.sign': anyPosting,
  'amount.rounded': anyPosting,
  'amount.decimals': anyPosting,
  'charge.net': fees,
  'fee.booked': fees,
  'fee.once': fees,
  'deposit.booked': { name: 'deposit to a fixed wallet', types: ['deposit'] },
  'refund.booked': { name: 'refund', types: ['refund'], booked: postingTypeNames, unbooked: 'transaction with a refund' },
  'refund.partial': { name: 'partial refund', types: ['refund'], where: ({ minor }, group) => !group.isWholePayment(minor) },
  'dispute.lost': { name: 'lost dispute', types: ['dispute_loss'], booked: postingTypeNames, unbooked: 'transaction with a lost dispute' },
  'dispute.blocked': { name: 'dispute that is not lost', types: ['dispute_block'], where: (_, group) => group.postingOf('dispute_loss') === undefined, booked: postingTypeNames, unbooked: 'transaction with a dispute that is not lost' },
  'dispute.released': { name: 'decided dispute', types: ['dispute_release'], booked: ['dispute_block'], unbooked: 'blocked amount of a decided dispute', isOptional: true },
  'withdrawal.returned': { name: 'failed or refunded withdrawal', types: ['withdrawal_return'], booked: ['withdrawal', 'withdrawal_return'], isOptional: true },
  'withdrawal.confirmed': { name: 'pending or failed withdrawal', types: ['withdrawal'], where: (_, { transaction: { status } }) => status === 'pending' || status === 'failed', column: 'status', shows: (group, style) => group.isFailureShown(style), unbooked: 'pending withdrawal, and none for the return of a failed one', isOptional: true },
  'transfer.both-sides': { name: 'internal transfer', types: ['transfer_sent', 'transfer_received'] },
  'conversion.rate': { name: 'result of a conversion', types: ['conversion_received'] },
  'day.time-zone': { name: 'posting that has another day in UTC', types: postingTypeNames, where: ({ day, atMs }) => day !== isoUtc(atMs).slice(0, 10), column: 'date' },
  'day.exact': { ...anyPosting, column: 'date' },
}

type SubjectRule = keyof typeof subjects
const rulesByType = new Map(
  postingTypeNames.map((type) => [type, keysOf(subjects).filter((rule) => subjects[rule].types.includes(type))]),
)

/** What a ledger offers to the rules. */
export interface Compared {
  /** Entries in the period. */
  entries: number
  columns: ReadonlyMap<BookColumn, string>
  /** The header of a column with dates that is not recognized. */
  unreadDates: string | null
  /** How many postings each rule is about, and how many of them it can compare. */
  byRule: ReadonlyMap<SubjectRule, { posted: number; booked: number }>
}

export const noneCompared = (entries: number, { columns, unreadDates }: IntegratorLedger): Compared => ({
  ...{ entries, columns, unreadDates },
  byRule: new Map(keysOf(subjects).map((rule) => [rule, { posted: 0, booked: 0 }])),
})

/** Counts the postings of a transaction for the rules that are about them. */
export function countCompared({ byRule }: Compared, group: Group, style: BookingStyle): void {
  for (const [posting, own] of group.byPosting)
    for (const rule of (posting.isInPeriod && rulesByType.get(posting.type)) || []) {
      const { where, booked, column, shows } = subjects[rule]
      const counts = byRule.get(rule)
      if (counts === undefined || where?.(posting, group) === false) continue
      const entries = booked === undefined ? own : group.entriesOf(...booked)
      counts.posted++
      const isShown = shows?.(group, style) !== false && (column !== 'date' || entries[0]?.day !== null)
      if (entries.length > 0 && isShown) counts.booked++
    }
}

/** The result of a rule without mistakes. */
export function outcomeOf(rule: BooksRule, { entries, columns, unreadDates, byRule }: Compared) {
  if (rule === 'entry.known')
    return entries === 0
      ? inconclusive('the ledger has no entry in this period')
      : pass(`entries compared: ${entries}; no mistake`)
  const { name, unbooked = name, column, isOptional } = subjects[rule]
  const { posted, booked } = byRule.get(rule) ?? { posted: 0, booked: 0 }
  if (posted === 0) return skipped(`the statement has no ${name} in this period`)
  if (column === 'date' && unreadDates !== null)
    return inconclusive(
      `the column ${quoted(unreadDates)} has dates, but its header is not recognized; name it with --column date=HEADER`,
    )
  if (column !== undefined && entries > 0 && !columns.has(column))
    return skipped(`the ledger has no column for ${column}; if yours has one, name it (--column)`)
  if (booked > 0) return pass(`postings compared: ${booked}; no mistake`)
  const observed = `the ledger has no entry for any ${unbooked}`
  return isOptional === true ? skipped(observed) : inconclusive(observed)
}
