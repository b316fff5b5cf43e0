/** Reads an account's transactions with their postings, indexed by every id that a ledger may use. */

import type { Currency, EntryType } from '../../../inside/platform.js'
import type { TimeZone } from '../../../inside/values.js'
import {
  reader,
  readStatement,
  requireAccount,
  type StatementEntry,
  type Workspace,
} from '../../../inside/workspace.js'
import type { BookEntry } from './entries.js'

export interface PlatformPosting {
  type: EntryType
  currency: Currency
  minor: bigint
  atMs: number
  /** The day in the time zone of the ledger, `YYYY-MM-DD`. */
  day: string
  /** Whether the posting lies in the certified period. */
  isInPeriod: boolean
}

export interface PlatformTransaction {
  id: string
  externalId: string | null
  status: string
  /** Time of the last change of status. */
  updatedAtMs: number
  postings: PlatformPosting[]
}

export interface PlatformBooks {
  byId: ReadonlyMap<string, PlatformTransaction>
  byExternalId: ReadonlyMap<string, PlatformTransaction>
}

export interface Period {
  /** The time zone of the ledger, and the first and the last day in it, inclusive. */
  zone: TimeZone
  from: string | null
  to: string | null
}

export const isWithin = ({ from, to }: Omit<Period, 'zone'>, day: string): boolean =>
  (from === null || day >= from) && (to === null || day <= to)

const lastPosting = reader<{ last: number | null }>('select max(seq) as last from postings')

const readTransactionPage = reader<TransactionRow & { seq: number }>(
  `select seq, id, external_id as externalId, status, updated_at_ms as updatedAtMs from transactions
  where seq > ? and account_seq = ? order by seq limit ?`,
)

/** Finds the transaction of a refund or a dispute: both have ids of their own, which a ledger may use. */
const transactionIdOf = reader<{ id: string }>(
  `select subject_id as id from events where transaction_id = ?
  union all select transaction_id from disputes where id = ? limit 1`,
)

/** Rows that are read in one unit of work: a few milliseconds. */
const rowsPerPage = 500

type TransactionRow = Omit<PlatformTransaction, 'postings'>

/** Transactions or postings of the account. */
interface BooksPage {
  transactions: readonly TransactionRow[]
  postings: readonly StatementEntry[]
}

async function* pagesOf(ws: Workspace, username: string): AsyncGenerator<BooksPage> {
  const { seq: accountSeq } = await ws.unit(({ db }) => requireAccount(db, username))
  for (let seq: number | undefined = 0; seq !== undefined; ) {
    const after: number = seq
    const page = await ws.unit(({ db }) => readTransactionPage(db, after, accountSeq, rowsPerPage))
    seq = page.at(-1)?.seq
    yield { transactions: page.map(({ seq: _, ...row }) => row), postings: [] }
  }
  const filter = { accountSeq, currency: null, fromMs: null, toMs: null }
  for await (const postings of (await readStatement(ws, filter)).parts) yield { transactions: [], postings }
}

/** Number of postings in the workspace. */
export const sizeOf = (ws: Workspace) => ws.unit(({ db }) => lastPosting(db)[0]?.last ?? 0)

/** What a certification reads of a workspace: page by page, so that it can run in another thread while calls continue. */
export type BooksSource = ReturnType<typeof booksSourceOf>

export function booksSourceOf(ws: Workspace) {
  let pages: AsyncGenerator<BooksPage> | undefined
  return {
    /** The next page of this account; null after the last one. Throws 404 NOT_FOUND. */
    async nextPage(username: string): Promise<BooksPage | null> {
      pages ??= pagesOf(ws, username)
      const { done, value } = await pages.next()
      return done === true ? null : value
    },
    /** The transactions of refunds and disputes, whose ids a ledger may use. */
    transactionsOf: (ids: readonly string[]) =>
      ws.unit(({ db }) => ids.map((id) => transactionIdOf(db, id, id)[0]?.id)),
    /** Gives other calls a turn. */
    pause: () => new Promise<void>((resolve) => void ws.callAfter(0, resolve)),
  }
}

/** Throws 404 NOT_FOUND if the account does not exist. */
export async function readPlatformBooks(source: BooksSource, account: string, period: Period): Promise<PlatformBooks> {
  const byId = new Map<string, PlatformTransaction>()
  const byExternalId = new Map<string, PlatformTransaction>()
  for (let page = await source.nextPage(account); page !== null; page = await source.nextPage(account)) {
    for (const row of page.transactions) {
      const transaction = { ...row, postings: [] }
      byId.set(row.id, transaction)
      if (row.externalId !== null) byExternalId.set(row.externalId, transaction)
    }
    for (const { type, currency, amountMinor, atMs, transactionId } of page.postings) {
      // Balances that the control API sets belong to no transaction.
      if (transactionId === null) continue
      const [day] = period.zone.dayAndTime(atMs)
      const isInPeriod = isWithin(period, day)
      postingsOf(byId, transactionId).push({ type, currency, minor: amountMinor, atMs, day, isInPeriod })
    }
  }
  return { byId, byExternalId }
}

/** A split share is posted with the id of another account's charge, which is not in `byId`; it is added here. */
function postingsOf(byId: Map<string, PlatformTransaction>, id: string): PlatformPosting[] {
  const known = byId.get(id)
  if (known !== undefined) return known.postings
  const transaction: PlatformTransaction = { id, externalId: null, status: 'confirmed', updatedAtMs: 0, postings: [] }
  byId.set(id, transaction)
  return transaction.postings
}

/** The form of the platform's ids. */
const ownId = /^tx_/

/** Returns the transaction of each entry; entries without one are omitted. */
export async function transactionsOfEntries(
  source: BooksSource,
  books: PlatformBooks,
  entries: readonly BookEntry[],
): Promise<Map<BookEntry, PlatformTransaction>> {
  const direct = (id: string) => books.byId.get(id) ?? books.byExternalId.get(id)
  const texts = new Set(entries.flatMap(({ transactionId, externalId }) => [transactionId ?? '', externalId ?? '']))
  const unknown = [...texts].filter((id) => id !== '' && direct(id) === undefined)
  const indirect = new Map<string, PlatformTransaction>()
  for (let at = 0; at < unknown.length; at += rowsPerPage) {
    const page = unknown.slice(at, at + rowsPerPage)
    for (const [index, id] of (await source.transactionsOf(page)).entries()) {
      const owner = books.byId.get(id ?? '')
      if (owner !== undefined) indirect.set(page[index] ?? '', owner)
    }
  }
  const ownerOf = (id: string) => direct(id) ?? indirect.get(id)
  // A column such as `id` can contain the ledger's own numbers. Otherwise an unknown id is a mistake.
  const hasOwnIds = entries.some(
    ({ transactionId: id }) => id !== null && (ownId.test(id) || ownerOf(id) !== undefined),
  )
  const found = new Map<BookEntry, PlatformTransaction>()
  for (const entry of entries) {
    const { transactionId, externalId } = entry
    const owner = ownerOf((hasOwnIds ? (transactionId ?? externalId) : externalId) ?? '')
    if (owner !== undefined) found.set(entry, owner)
  }
  return found
}

/** Whether an entry names a transaction in the form of the platform. */
export const namesOwnId = ({ transactionId, externalId }: BookEntry): boolean =>
  ownId.test(transactionId ?? '') || ownId.test(externalId ?? '')
