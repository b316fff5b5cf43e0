/** Certifies a ledger: compares it with the postings of an account, rule by rule. */
import type { BooksReport } from '../../protocol/books-routes.js'
import { type BooksRule, booksRuleIds, booksRules } from '../../protocol/books-rules.js'
import { verdictOf } from '../../protocol/rules.js'
import { bookingStyleOf, type Group, groupOf } from './assign.js'
import { describeRule, mistakeFields } from './describe.js'
import type { BookEntry, IntegratorLedger } from './entries.js'
import { judge, unknownEntry } from './judge.js'
import type { Mistake } from './mistake.js'
import {
  type BooksSource,
  isWithin,
  type Period,
  type PlatformBooks,
  type PlatformTransaction,
  readPlatformBooks,
  transactionsOfEntries,
} from './platform.js'
import { countCompared, noneCompared, outcomeOf } from './subjects.js'
import { UnreadableBooks } from './table.js'

/** Transactions compared before the event loop gets a turn; this takes a few milliseconds. */
const groupsPerTurn = 1000
/** Largest number of mistakes that a report lists. */
const maxListedMistakes = 1000

/** Compares the ledger with the open account. */
export async function certifyBooks(source: BooksSource, book: IntegratorLedger, period: Period): Promise<BooksReport> {
  const booked = book.entries.filter((entry) => !isOfCertification(entry))
  const platform = await readPlatformBooks(source, period)
  const entries = booked.filter((entry) => !isAdjustment(entry))
  const groups = await groupsOf(source, platform, entries)
  const bookingStyle = bookingStyleOf(groups.list)
  const isOfPeriod = ({ day }: BookEntry) => day === null || isWithin(period, day)
  const compared = noneCompared(entries.filter(isOfPeriod).length, book.columns)
  const mistakes: Mistake[] = groups.unknown.filter(isOfPeriod).map(unknownEntry)
  for (const [at, group] of groups.list.entries()) {
    countCompared(compared, group)
    mistakes.push(...judge(group, bookingStyle, period))
    if (at % groupsPerTurn === 0) await source.pause()
  }
  if (compared.entries === 0 && compared.byRule.get('entry.once')?.posted === 0)
    throw new UnreadableBooks(
      'there is nothing to compare: neither the ledger nor the statement has an entry in this period',
    )
  const { isSigned } = bookingStyle
  const ordered = mistakes.sort((one, other) => (one.entry?.line ?? Infinity) - (other.entry?.line ?? Infinity) || 0)
  const rules = booksRuleIds.map((id) => {
    const found = ordered.filter(({ rule }) => rule === id)
    return ruleReport(id, found.length === 0 ? outcomeOf(id, compared) : failure(found, isSigned))
  })
  return {
    verdict: verdictOf(rules),
    rules,
    not_tested: [],
    entries: countsOf(booked.length, ordered),
    mistakes: ordered.slice(0, maxListedMistakes).map((mistake) => mistakeFields(mistake, isSigned)),
  }
}

/** The certification of a receiver leaves its test events in the ledger of that receiver. */
const isOfCertification = ({ transactionId }: BookEntry) => /^tx_r?certify/.test(transactionId ?? '')

/** Opening balances and similar entries have no transaction. */
const isAdjustment = ({ types }: BookEntry) => types.length === 1 && types[0] === 'adjustment'

interface Groups {
  list: Group[]
  /** Entries that match no transaction of the account. */
  unknown: BookEntry[]
}

async function groupsOf(source: BooksSource, platform: PlatformBooks, entries: readonly BookEntry[]): Promise<Groups> {
  const owners = await transactionsOfEntries(source, platform, entries)
  const byTransaction = new Map<PlatformTransaction, BookEntry[]>()
  for (const transaction of platform.byId.values()) byTransaction.set(transaction, [])
  const unknown: BookEntry[] = []
  for (const entry of entries) {
    const owner = owners.get(entry)
    if (owner === undefined) unknown.push(entry)
    else byTransaction.get(owner)?.push(entry)
  }
  const list: Group[] = []
  for (const [transaction, ownEntries] of byTransaction) {
    list.push(groupOf(transaction, ownEntries))
    if (list.length % groupsPerTurn === 0) await source.pause()
  }
  return { list, unknown }
}

const failure = (mistakes: readonly Mistake[], isSigned: boolean) => ({
  ...{ result: 'failed' as const, observed: describeRule(mistakes, isSigned) },
})

type RuleReport = BooksReport['rules'][number]

function ruleReport(id: BooksRule, outcome: Pick<RuleReport, 'result' | 'observed' | 'reason'>): RuleReport {
  const { requirement, source, severity, check, fix } = booksRules[id]
  return { ...{ id, requirement, source, severity }, ...outcome, ...{ check, fix, evidence: null } }
}

function countsOf(total: number, mistakes: readonly Mistake[]): BooksReport['entries'] {
  const mistaken = new Set(mistakes.flatMap(({ entry }) => entry ?? [])).size
  const unbooked = new Set(mistakes.flatMap(({ entry, transaction }) => (entry === null ? transaction : []))).size
  return { total, matched: total - mistaken, mistaken, unbooked }
}
