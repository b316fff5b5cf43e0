/** Pages of transactions and disputes, newest first, read by index. */
import { and, count, desc, eq, type SQL } from 'drizzle-orm'
import type { Currency } from '../../protocol/platform/currencies.js'
import { type Db, reader } from '../../store/db.js'
import { disputes } from '../../store/schema.js'
import type { Dispute } from './disputes.js'
import { countOf, type Transaction, transactionsOf } from './transactions.js'

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

/** Each condition has one parameter. A conversion matches either of its currencies. */
const conditions = {
  type: 'type = ?',
  status: 'status = ?',
  source: 'source = ?',
  currency: '? in (currency, currency_to)',
  fromMs: 'created_at_ms >= ?',
  toMs: 'created_at_ms <= ?',
}
type Condition = keyof typeof conditions
// `Object.keys` returns `string[]`.
const conditionNames = Object.keys(conditions) as Condition[]

interface Statements {
  count: ReturnType<typeof reader<{ total: number }>>
  page: ReturnType<typeof reader<{ seq: number }>>
}
/** Statements by their conditions, created once: to build the text with drizzle for every call took a tenth of a page. */
const statementCache = new Map<string, Statements>()

function statementsOf(requestedConditions: readonly Condition[]): Statements {
  const known = statementCache.get(requestedConditions.join())
  if (known !== undefined) return known
  const from = `from transactions where ${['account_seq = ?', ...requestedConditions.map((name) => conditions[name])].join(' and ')}`
  const statements: Statements = {
    count: reader(`select count(*) as total ${from}`),
    page: reader(`select seq ${from} order by created_at_ms desc, seq desc limit ? offset ?`),
  }
  statementCache.set(requestedConditions.join(), statements)
  return statements
}

/** Selects a page from the index alone, then reads only its rows. */
export function listTransactions(
  db: Db,
  accountSeq: number,
  filter: TransactionFilter,
  { limit, offset }: Page,
): { rows: Transaction[]; total: number } {
  const { type, status, source, currency, fromMs = null, toMs = null } = filter
  const { count, page } = statementsOf(conditionNames.filter((name) => filter[name] != null))
  const params = [accountSeq, ...conditionNames.flatMap((name) => filter[name] ?? [])]
  const counted = () => count(db, ...params)[0]?.total ?? 0
  const isOfAllTime = fromMs === null && toMs === null
  const total = isOfAllTime ? countOf(db, accountSeq, { type, status, source, currency }, counted) : counted()
  if (offset >= total) return { rows: [], total }
  const seqs = page(db, ...params, limit, offset).map(({ seq }) => seq)
  return { rows: transactionsOf(db, seqs), total }
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
