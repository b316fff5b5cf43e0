/** Describes the mistakes of a ledger for the report. */
import { formatMoney } from '../../../core/ledger/ledger.js'
import type { EntryType } from '../../../protocol/platform/entry-types.js'
import type { BookColumn } from '../../protocol/books-columns.js'
import type { BooksReport } from '../../protocol/books-routes.js'
import type { BooksRule } from '../../protocol/books-rules.js'
import { magnitude } from './assign.js'
import { feeTypes } from './family.js'
import type { Mistake } from './mistake.js'

/** The contents of the ledger and the statement. */
export interface Facts {
  isSigned: boolean
  columns: ReadonlySet<BookColumn>
  /** Types of the postings in the period. */
  typesInPeriod: ReadonlySet<EntryType>
}

/** The postings that a rule needs; without them it is inconclusive. Rules that are not listed compare every entry. */
const subjects: Partial<Record<BooksRule, { types: readonly EntryType[]; name: string }>> = {
  'charge.net': { types: [...feeTypes], name: 'fee' },
  'fee.booked': { types: [...feeTypes], name: 'fee' },
  'fee.once': { types: [...feeTypes], name: 'fee' },
  'deposit.booked': { types: ['deposit'], name: 'deposit to a fixed wallet' },
  'refund.booked': { types: ['refund'], name: 'refund' },
  'refund.partial': { types: ['refund'], name: 'refund' },
  'dispute.lost': { types: ['dispute_loss'], name: 'lost dispute' },
  'dispute.blocked': { types: ['dispute_block'], name: 'dispute' },
  'dispute.released': { types: ['dispute_release'], name: 'decided dispute' },
  'withdrawal.returned': { types: ['withdrawal_return'], name: 'failed or refunded withdrawal' },
  'withdrawal.confirmed': { types: ['withdrawal'], name: 'withdrawal' },
  'transfer.both-sides': { types: ['transfer_sent', 'transfer_received'], name: 'internal transfer' },
  'conversion.rate': { types: ['conversion_received'], name: 'conversion' },
}

const neededColumns: Partial<Record<BooksRule, BookColumn>> = {
  'withdrawal.confirmed': 'status',
  'day.time-zone': 'date',
}

/** Returns why the rule is inconclusive; null if it could be decided. */
export function whyInconclusive(rule: BooksRule, { columns, typesInPeriod }: Facts): string | null {
  const subject = subjects[rule]
  if (subject !== undefined && !subject.types.some((type) => typesInPeriod.has(type)))
    return `the statement has no ${subject.name} in this period`
  const column = neededColumns[rule]
  return column !== undefined && !columns.has(column) ? `the ledger has no column for ${column}` : null
}

const shownMistakes = 3

export function describeRule(mistakes: readonly Mistake[], facts: Facts): string {
  if (mistakes.length === 0) return 'all postings and entries agree'
  const lines = mistakes.slice(0, shownMistakes).map((mistake) => describe(mistake, facts))
  const more = mistakes.length - lines.length
  return `${lines.join('; ')}${more === 0 ? '' : `; and ${more} more`}`
}

function describe(mistake: Mistake, facts: Facts): string {
  const { entry, posting, transaction, why } = mistake
  const { booked, expected } = amountsOf(mistake, facts)
  const id = transaction?.id ?? entry?.transactionId ?? entry?.externalId
  if (entry === null)
    return `${id}: ${posting?.type} of ${expected} ${posting?.currency} on ${posting?.day} is not booked`
  const what = `row ${entry.line}${id === null || id === undefined ? '' : `, ${id.slice(0, 80)}`}`
  const amount = `${entry.word.slice(0, 40)} of ${booked} ${entry.currency}`
  const instead = expected === null ? '' : ` instead of ${expected}`
  return `${what}: ${amount}${instead}${why === undefined ? '' : ` (${why})`}`
}

/** Formats amounts in the ledger's own notation. */
function amountsOf({ entry, posting, expectedMinor, why }: Mistake, { isSigned }: Facts) {
  const bookedMinor = why === 'fee column' ? (entry?.feeMinor ?? null) : (entry?.minor ?? null)
  const expected = expectedMinor === null || isSigned ? expectedMinor : magnitude(expectedMinor)
  return {
    booked: entry === null || bookedMinor === null ? null : formatMoney(bookedMinor, entry.currency),
    expected: expected === null || posting === null ? null : formatMoney(expected, posting.currency),
  }
}

export function mistakeFields(mistake: Mistake, facts: Facts): BooksReport['mistakes'][number] {
  const { rule, entry, posting, transaction } = mistake
  return {
    rule,
    row: entry?.line ?? null,
    transaction_id: transaction?.id ?? entry?.transactionId ?? null,
    external_id: transaction?.externalId ?? entry?.externalId ?? null,
    type: posting?.type ?? null,
    currency: posting?.currency ?? entry?.currency ?? null,
    date: posting?.day ?? entry?.day ?? null,
    ...amountsOf(mistake, facts),
    observed: describe(mistake, facts),
  }
}
