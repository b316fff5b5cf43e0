/** Certifies a ledger: compares it with the postings of an account, rule by rule. */
import { postingName } from '../../../inside/platform.js'
import { formatMoney } from '../../../inside/workspace.js'
import { fail, inconclusive, reportOf, ruleReport } from '../report/rules.js'
import { bookingStyleOf, Group, type Notation, settleNotation } from './assign.js'
import { bookAnswers } from './column-names.js'
import { type BookEntry, type IntegratorLedger, readBook } from './entries.js'
import { joinUnknown, judge, type Mistake, unknownEntry } from './judge.js'
import {
  type BooksSource,
  isWithin,
  type Period,
  type PlatformBooks,
  type PlatformTransaction,
  readPlatformBooks,
  transactionsOfEntries,
} from './platform.js'
import { magnitude } from './read-amount.js'
import type { BookOptions, BooksReport } from './routes.js'
import { type BooksRule, booksRuleIds, booksRules } from './rules.js'
import { type Compared, countCompared, noneCompared, outcomeOf } from './subjects.js'
import { type BookTable, UnreadableBooks } from './table.js'

/** Transactions compared before the event loop gets a turn; this takes a few milliseconds. */
const groupsPerTurn = 1000
/** Largest number of mistakes that a report lists. */
const maxListedMistakes = 1000

/** Compares the ledger with the open account. Throws `UnreadableBooks`. */
export async function certifyBooks(
  source: BooksSource,
  { table, options, account }: { table: BookTable; options: BookOptions; account: string },
  period: Period,
): Promise<BooksReport> {
  const platform = await readPlatformBooks(source, account, period)
  const { entries: all, ...found } = readBook(table, options, currenciesOf(platform))
  if (all.length === 0) throw new UnreadableBooks('The ledger has no entry; there is nothing to compare.')
  const book = { entries: all.filter((entry) => !isOfCertification(entry)), ...found }
  const { groups, unknown, notation } = await groupsOf(source, platform, book, account)
  const bookingStyle = bookingStyleOf(groups, notation.isSigned)
  const isOfPeriod = ({ day }: BookEntry) => day === null || isWithin(period, day)
  const compared = noneCompared(book.entries.filter(isOfPeriod).length, book)
  const mistakes: Mistake[] = unknown.filter(isOfPeriod).map(unknownEntry)
  for (const [at, group] of groups.entries()) {
    countCompared(compared, group, bookingStyle)
    mistakes.push(...judge(group, bookingStyle, period))
    if (at % groupsPerTurn === 0) await source.pause()
  }
  const joined = joinUnknown(mistakes)
  if (compared.entries === 0 && compared.byRule.get('entry.once')?.posted === 0)
    throw new UnreadableBooks(
      'there is nothing to compare: neither the ledger nor the statement has an entry in this period',
    )
  const undecided = undecidedDays(joined, compared)
  const ordered = joined
    .filter(({ rule }) => rule !== 'day.exact' || undecided === null)
    .sort((one, other) => (one.entry?.line ?? Infinity) - (other.entry?.line ?? Infinity) || 0)
  const rules = booksRuleIds.map((id) => {
    const found = ordered.filter(({ rule }) => rule === id)
    const fixes = new Set(found.map(({ fix = booksRules[id].fix }) => fix))
    const failed = () => fail(describeRule(found, notation), undefined, [...fixes].join(' '))
    const finding = found.length === 0 ? outcomeOf(id, compared) : failed()
    return ruleReport<BooksRule>(booksRules, id, id === 'day.exact' && undecided !== null ? undecided : finding)
  })
  return {
    ...reportOf(rules),
    entries: countsOf(book.entries.length, ordered, mistakes),
    mistakes: ordered.slice(0, maxListedMistakes).map((mistake) => mistakeFields(mistake, notation)),
  }
}

const currenciesOf = ({ byId }: PlatformBooks) =>
  new Set([...byId.values()].flatMap(({ postings }) => postings.map(({ currency }) => currency)))

/** The certification of a receiver leaves its test events in the ledger of that receiver. */
const isOfCertification = ({ transactionId }: BookEntry) => /^tx_r?certify/.test(transactionId ?? '')

/** Transactions with other dates, above which the dates cannot be compared if they are most of all. */
const fewOtherDays = 2

/** If most dates differ, the ledger dates its entries by something else. */
function undecidedDays(mistakes: readonly Mistake[], { byRule }: Compared) {
  const others = mistakes.filter(({ rule }) => rule === 'day.exact')
  const transactions = new Set(others.map(({ transaction }) => transaction)).size
  if (transactions <= fewOtherDays || 2 * others.length <= (byRule.get('day.exact')?.booked ?? 0)) return null
  return inconclusive(`the dates of ${others.length} entries differ from those of their postings; ${bookAnswers.dates}`)
}

/** Groups the entries by their transaction. `unknown` are those that match no transaction of the account. */
async function groupsOf(source: BooksSource, platform: PlatformBooks, book: IntegratorLedger, account: string) {
  const owners = await transactionsOfEntries(source, platform, book.entries)
  const { owned, notation } = settleNotation(book, [...owners], account)
  const byTransaction = new Map<PlatformTransaction, BookEntry[]>()
  for (const transaction of platform.byId.values()) byTransaction.set(transaction, [])
  for (const [entry, owner] of owned) byTransaction.get(owner)?.push(entry)
  const groups: Group[] = []
  for (const [transaction, ownEntries] of byTransaction) {
    groups.push(new Group(transaction, ownEntries, notation.isSigned))
    if (groups.length % groupsPerTurn === 0) await source.pause()
  }
  // Opening balances and similar entries have no transaction.
  const unknown = book.entries.filter((entry) => !owners.has(entry) && entry.types[0] !== 'adjustment')
  return { groups, unknown, notation }
}

/** `all`: with the postings that are joined to an unknown entry, which are not booked either. */
function countsOf(total: number, listed: readonly Mistake[], all: readonly Mistake[]): BooksReport['entries'] {
  const mistaken = new Set(listed.flatMap(({ entry }) => entry ?? [])).size
  const unbooked = new Set(all.flatMap(({ entry, transaction }) => (entry === null ? transaction : []))).size
  return { total, matched: total - mistaken, mistaken, unbooked }
}

const shownMistakes = 3

function describeRule(mistakes: readonly Mistake[], notation: Notation): string {
  const lines = mistakes.slice(0, shownMistakes).map((mistake) => describe(mistake, notation))
  const more = mistakes.length - lines.length
  return `${lines.join('; ')}${more === 0 ? '' : `; and ${more} more`}`
}

/** With the minus of text. */
const signed = (amount: string | null) => amount?.replace('-', '−')

function describe(mistake: Mistake, notation: Notation): string {
  const { entry, posting, transaction, why } = mistake
  const { booked, expected } = amountsOf(mistake, notation)
  const id = transaction?.id ?? entry?.transactionId ?? entry?.externalId
  if (entry === null)
    return `${id}: ${posting === null ? '' : postingName(posting.type)} of ${signed(expected)} ${posting?.currency} on ${posting?.day} is not booked`
  const what = `row ${entry.line}${id === null || id === undefined ? '' : `, ${id.slice(0, 80)}`}`
  const name = posting === null ? entry.word.slice(0, 40) : postingName(posting.type)
  const amount = `${name} of ${signed(booked)} ${entry.currency}`
  const instead = expected === null ? '' : ` instead of ${signed(expected)}`
  return `${what}: ${amount}${instead}${why === undefined ? '' : ` (${why})`}`
}

/** Formats amounts in the ledger's own notation. There is no expected amount if the booked one equals it: `why` names what is missing. */
function amountsOf({ entry, posting, expectedMinor, why }: Mistake, { isSigned, isInverted }: Notation) {
  const booked = entry === null ? null : why === 'fee column' ? entry.feeMinor : entry.written
  const noted = (minor: bigint) => (isInverted ? -minor : isSigned ? minor : magnitude(minor))
  const expected = expectedMinor === null ? null : noted(expectedMinor)
  return {
    booked: entry === null || booked === null ? null : formatMoney(booked, entry.currency),
    expected:
      expected === null || posting === null || expected === booked ? null : formatMoney(expected, posting.currency),
  }
}

function mistakeFields(mistake: Mistake, notation: Notation): BooksReport['mistakes'][number] {
  const { rule, entry, posting, transaction } = mistake
  return {
    rule,
    row: entry?.line ?? null,
    transaction_id: transaction?.id ?? entry?.transactionId ?? null,
    external_id: transaction?.externalId ?? entry?.externalId ?? null,
    type: posting?.type ?? null,
    currency: posting?.currency ?? entry?.currency ?? null,
    date: posting?.day ?? entry?.day ?? null,
    ...amountsOf(mistake, notation),
    reason: mistake.why ?? null,
    observed: describe(mistake, notation),
  }
}
