/** Pages and counts of transactions and disputes, newest first, read by index. */
import { and, count, desc, eq, type SQL } from 'drizzle-orm'
import { maxCount, type StatusCount } from '../../protocol/control/figures.js'
import { type DeliveryStatus, deliveryStatuses } from '../../protocol/control/webhooks.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import { operations } from '../../protocol/platform/limits.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import { type Db, reader } from '../../store/db.js'
import { disputes } from '../../store/schema.js'
import { countOf, type Dispute, type Transaction, transactionsOf } from './transactions.js'

// Counts objects by status, each up to a limit, so that a count does not depend on the size of the database.

interface Found {
  count: number
  /** 1 if rows were not looked at. */
  unread: number
}

const bounded = maxCount + 1
const counter = (rows: string) =>
  reader<Found>(`select count(*) as count, 0 as unread from (select 1 from ${rows} limit ${bounded})`)

const ofTransactions = counter('transactions where type = ? and status = ?')
const ofDisputes = counter('disputes where status = ?')
// Written as the partial index of undelivered events.
const ofUndelivered = counter("events where status = ? and status <> 'delivered'")

/** Delivered events have no index, so only this many of the newest events are looked at. */
const searchedEvents = 2000
const ofDelivered = reader<Found>(
  `select coalesce(sum(status = 'delivered'), 0) as count, count(*) = ${searchedEvents} as unread
  from (select status from events order by seq desc limit ${searchedEvents})`,
)

const ofEvents = (db: Db, status: DeliveryStatus) =>
  status === 'delivered' ? ofDelivered(db) : ofUndelivered(db, status)

/** Every status of every kind, also those without an object. */
export function countsByStatus(db: Db): StatusCount[] {
  return [
    ...operations.flatMap((type) =>
      statusesOf(type).map((status) => row(type, status, ofTransactions(db, type, status))),
    ),
    ...statusesOf('dispute').map((status) => row('dispute', status, ofDisputes(db, status))),
    ...deliveryStatuses.map((status) => row('webhook', status, ofEvents(db, status))),
  ]
}

function row(type: StatusCount['type'], status: StatusCount['status'], [found]: readonly Found[]): StatusCount {
  const { count = 0, unread = 0 } = found ?? {}
  return { type, status, count: Math.min(count, maxCount), more: count > maxCount || unread > 0 }
}

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
