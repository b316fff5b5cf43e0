/**
 * Pages and counts of transactions and disputes, newest first, read by index; and the search over all kinds of
 * objects: prefixes in an index over all rows, other substrings only among the newest rows of each kind.
 */
import { maxCount, type StatusCount } from '../../protocol/control/figures.js'
import type { SearchedField } from '../../protocol/control/objects.js'
import { type DeliveryStatus, deliveryStatuses, type WebhookVerdict } from '../../protocol/control/webhooks.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import { operations } from '../../protocol/platform/limits.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import { type Db, reader, valueReader } from '../../store/db.js'
import { byConditions, type Condition, given, lister, paramsOf } from '../../store/rows.js'
import { disputes } from '../../store/schema.js'
import { isJudgedSql, judgedEvents, verdictSql } from '../webhooks/faults.js'
import { type Dispute, type Transaction, transactionsOf } from './transactions.js'
import { countOf } from './transition.js'

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

/** Delivered events have no index, either. */
const ofDelivered = reader<Found>(
  `select coalesce(sum(status = 'delivered'), 0) as count, count(*) = ${judgedEvents} as unread
  from (select status from events order by seq desc limit ${judgedEvents})`,
)
const ofVerdicts = reader<{ status: DeliveryStatus; verdict: WebhookVerdict; count: number }>(
  `select status, ${verdictSql} as verdict, count(*) as count from events
  where ${isJudgedSql} and delivery_faults is not null group by 1, 2 having verdict is not null`,
)

const ofEvents = (db: Db, status: DeliveryStatus) =>
  status === 'delivered' ? ofDelivered(db) : ofUndelivered(db, status)

/** Every status of every kind, also those without an object. */
export function countsByStatus(db: Db): StatusCount[] {
  const verdicts = ofVerdicts(db)
  return [
    ...operations.flatMap((type) =>
      statusesOf(type).map((status) => row(type, status, ofTransactions(db, type, status))),
    ),
    ...statusesOf('dispute').map((status) => row('dispute', status, ofDisputes(db, status))),
    ...deliveryStatuses.map((status) => ({
      ...row('webhook', status, ofEvents(db, status)),
      ...Object.fromEntries(
        verdicts.filter((one) => one.status === status).map(({ verdict, count }) => [verdict, count]),
      ),
    })),
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

const countOfTransactions = byConditions((where) =>
  valueReader(`select count(*) as value from transactions ${where}`, 0),
)
const pageOfTransactions = byConditions((where) =>
  reader<{ seq: number }>(
    `select seq from transactions ${where} order by created_at_ms desc, seq desc limit ? offset ?`,
  ),
)

/** Selects a page from the index alone, then reads only its rows. */
export function listTransactions(
  db: Db,
  accountSeq: number,
  filter: TransactionFilter,
  { limit, offset }: Page,
): { rows: Transaction[]; total: number } {
  const { type, status, source, currency, fromMs = null, toMs = null } = filter
  const conditions: Condition[] = [
    ['account_seq = ?', accountSeq],
    ...given('type = ?', type),
    ...given('status = ?', status),
    ...given('source = ?', source),
    // A conversion matches either of its currencies.
    ...given('? in (currency, currency_to)', currency),
    ...given('created_at_ms >= ?', fromMs),
    ...given('created_at_ms <= ?', toMs),
  ]
  const params = paramsOf(conditions)
  const counted = () => countOfTransactions(conditions)(db, ...params)
  const isOfAllTime = fromMs === null && toMs === null
  const total = isOfAllTime ? countOf(db, accountSeq, { type, status, source, currency }, counted) : counted()
  if (offset >= total) return { rows: [], total }
  const seqs = pageOfTransactions(conditions)(db, ...params, limit, offset).map(({ seq }) => seq)
  return { rows: transactionsOf(db, seqs), total }
}

export function listDisputes(
  db: Db,
  accountSeq: number,
  filter: { type?: string | undefined; status?: string | undefined },
  page: Page,
): { rows: Dispute[]; total: number } {
  const conditions: Condition[] = [
    ['account_seq = ?', accountSeq],
    ...given('type = ?', filter.type),
    ...given('status = ?', filter.status),
  ]
  const total = countOfDisputes(conditions)(db, ...paramsOf(conditions))
  return { rows: pageOfDisputes(db, conditions, page.limit, page.offset), total }
}

const countOfDisputes = byConditions((where) => valueReader(`select count(*) as value from disputes ${where}`, 0))
const pageOfDisputes = lister(disputes, 'order by seq desc limit ? offset ?')

export interface SearchHit {
  kind: 'transaction' | 'dispute' | 'wallet' | 'webhook'
  seq: number
  id: string
  title: string
  status: string | null
  external_id: string | null
  amountMinor: bigint | null
  currency: Currency | null
  matched: SearchedField
  value: string
  atMs: number
}

/** Newest rows of each table that are searched for a substring. Bounds the time of a search. */
const substringSearchRows = 20_000

interface Row {
  seq: number
  id: string
  title: string
  status: string | null
  amount: number | bigint | null
  currency: Currency | null
  atMs: number
}
/** `f_<field>` are the searchable values of the row. */
type FoundRow = Row & Record<`f_${string}`, string | null>

const transactionColumns = `t.seq, t.id, t.type as title, t.status, t.amount_minor as amount, t.currency, t.created_at_ms as atMs,
  t.id as f_id, t.external_id as f_external_id`
const detailColumns = `t.detail ->> '$.payer.name' as f_payer, t.detail ->> '$.receiver.name' as f_receiver, t.detail ->> '$.proof' as f_proof,
  t.detail ->> '$.wallet' as f_destination, coalesce(t.detail ->> '$.paymentInfo.address', t.detail ->> '$.paymentInfo.clabe') as f_address`

const transactionsById = reader<FoundRow>(
  `select ${transactionColumns} from transactions t where t.id >= ? and t.id < ? order by t.id desc limit ?`,
)
const transactionsByExternalId = reader<FoundRow>(
  `select ${transactionColumns} from accounts a cross join transactions t on t.account_seq = a.seq and t.external_id >= ? and t.external_id < ? limit ?`,
)
const transactionsLike = reader<FoundRow>(
  `select ${transactionColumns}, ${detailColumns} from transactions t where t.seq > (select max(seq) from transactions) - ${substringSearchRows}
  and (instr(lower(t.external_id), ?) or instr(lower(t.detail), ?)) order by t.seq desc limit ?`,
)
const disputesLike = reader<FoundRow>(
  `select d.seq, d.id, 'dispute' as title, d.status, d.amount_minor as amount, d.currency, d.created_at_ms as atMs,
  d.id as f_id, d.e2e_id as f_e2e_id from disputes d where d.seq > (select max(seq) from disputes) - ${substringSearchRows}
  and (instr(d.id, ?) or instr(lower(d.e2e_id), ?)) order by d.seq desc limit ?`,
)
const walletsLike = reader<FoundRow>(
  `select w.seq, cast(w.seq as text) as id, 'wallet' as title, null as status, null as amount, w.currency, w.created_at_ms as atMs,
  cast(w.seq as text) as f_id, w.address as f_address from wallets w where w.seq > (select max(seq) from wallets) - ${substringSearchRows}
  and (instr(lower(w.address), ?) or cast(w.seq as text) = ?) order by w.seq desc limit ?`,
)
const eventsById = reader<FoundRow>(
  `select e.seq, e.id, e.event as title, e.status, null as amount, null as currency, e.created_at_ms as atMs, e.id as f_id
  from events e where e.id >= ? and e.id < ? order by e.id desc limit ?`,
)
const eventsLike = reader<FoundRow>(
  `select e.seq, e.id, e.event as title, e.status, null as amount, null as currency, e.created_at_ms as atMs, e.event as f_event
  from events e where e.seq > (select max(seq) from events) - ${substringSearchRows} and instr(e.event, ?) order by e.seq desc limit ?`,
)

/** Returns at most `limit` hits of each kind, without duplicates, prefix matches first. */
export function search(db: Db, query: string, limit: number): SearchHit[] {
  const lowerCaseQuery = query.toLowerCase()
  const end = `${query}\u{10ffff}`
  const hitsIn = (kind: SearchHit['kind'], ...lists: FoundRow[][]) =>
    withoutDuplicates(lists.flat().flatMap((row) => hitOf(kind, row, lowerCaseQuery))).slice(0, limit)
  return [
    ...hitsIn(
      'transaction',
      transactionsById(db, query, end, limit),
      transactionsByExternalId(db, query, end, limit),
      transactionsLike(db, lowerCaseQuery, lowerCaseQuery, limit * 4),
    ),
    ...hitsIn('dispute', disputesLike(db, lowerCaseQuery, lowerCaseQuery, limit)),
    ...hitsIn('wallet', walletsLike(db, lowerCaseQuery, lowerCaseQuery, limit)),
    ...hitsIn('webhook', eventsById(db, query, end, limit), eventsLike(db, lowerCaseQuery, limit)),
  ]
}

/** Returns no hit if the match is in text that is not searchable, such as a field name inside the details. */
function hitOf(kind: SearchHit['kind'], row: FoundRow, lowerCaseQuery: string): SearchHit[] {
  const [field, value] =
    Object.entries(row).find(
      ([name, text]) =>
        name.startsWith('f_') && typeof text === 'string' && text.toLowerCase().includes(lowerCaseQuery),
    ) ?? []
  if (field === undefined) return []
  const { seq, id, title, status, amount, currency, atMs } = row
  return [
    {
      ...{ kind, seq, id, title, status, currency, atMs },
      external_id: row.f_external_id ?? null,
      amountMinor: amount === null ? null : BigInt(amount),
      // The columns are named after the searched fields.
      matched: field.slice(2) as SearchedField,
      value: String(value),
    },
  ]
}

function withoutDuplicates(hits: readonly SearchHit[]): SearchHit[] {
  const seen = new Set<string>()
  return hits.filter(({ id }) => !seen.has(id) && seen.add(id) !== undefined)
}
