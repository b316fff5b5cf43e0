/** Pages of transactions and disputes, newest first, by index. */
import { and, count, desc, eq, gte, lte, or, type SQL } from 'drizzle-orm'
import type { Currency } from '../../protocol/api/currencies.js'
import type { Db } from '../../store/db.js'
import { disputes, transactions } from '../../store/schema.js'
import { countOf } from './counts.js'
import type { Dispute } from './disputes.js'
import { type Transaction, transactionsOf } from './transactions.js'

export interface TransactionFilter {
  type?: string | undefined
  status?: string | undefined
  source?: string | undefined
  currency?: Currency | undefined
  fromMs?: number | null
  /** Inclusive. */
  toMs?: number | null
}

export interface Page {
  limit: number
  offset: number
}

/** The page is cut from the index alone; only its own rows are then read. */
export function listTransactions(
  db: Db,
  accountSeq: number,
  filter: TransactionFilter,
  page: Page,
): { rows: Transaction[]; total: number } {
  const { type, status, source, currency, fromMs, toMs } = filter
  const where = and(
    eq(transactions.accountSeq, accountSeq),
    ...present<string>([
      [transactions.type, type],
      [transactions.status, status],
      [transactions.source, source],
    ]),
    // A conversion is found under either of its currencies.
    currency === undefined ? undefined : or(eq(transactions.currency, currency), eq(transactions.currencyTo, currency)),
    fromMs == null ? undefined : gte(transactions.createdAtMs, fromMs),
    toMs == null ? undefined : lte(transactions.createdAtMs, toMs),
  )
  const counted = () => db.orm.select({ total: count() }).from(transactions).where(where).get()?.total ?? 0
  const isOfAllTime = fromMs == null && toMs == null
  const total = isOfAllTime ? countOf(db, accountSeq, { type, status, source, currency }, counted) : counted()
  if (page.offset >= total) return { rows: [], total }
  const order = [desc(transactions.createdAtMs), desc(transactions.seq)]
  const seqs = db.orm
    .select({ seq: transactions.seq })
    .from(transactions)
    .where(where)
    .orderBy(...order)
    .limit(page.limit)
    .offset(page.offset)
    .all()
  const rows = transactionsOf(
    db,
    seqs.map((row) => row.seq),
  )
  return { rows, total }
}

export function listDisputes(
  db: Db,
  accountSeq: number,
  filter: { type?: string | undefined; status?: string | undefined },
  page: Page,
): { rows: Dispute[]; total: number } {
  const where = and(
    eq(disputes.accountSeq, accountSeq),
    ...present<string>([
      [disputes.type, filter.type],
      [disputes.status, filter.status],
    ]),
  )
  const total = db.orm.select({ total: count() }).from(disputes).where(where).get()?.total ?? 0
  return {
    rows: db.orm
      .select()
      .from(disputes)
      .where(where)
      .orderBy(desc(disputes.seq))
      .limit(page.limit)
      .offset(page.offset)
      .all(),
    total,
  }
}

function present<T>(pairs: [Parameters<typeof eq>[0], T | undefined][]): SQL[] {
  return pairs.flatMap(([column, value]) => (value === undefined ? [] : [eq(column, value)]))
}
