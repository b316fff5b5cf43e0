/** Transactions, disputes and wallets, each with its history, events, postings and allowed actions. */
import { and, asc, desc, eq, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import { isoUtc } from '../../base/iso.js'
import { accountOf } from '../../core/auth/authenticate.js'
import { jobsOf } from '../../core/jobs/jobs.js'
import { formatMoney } from '../../core/ledger/pricing.js'
import { countsByStatus, search } from '../../core/operations/lists.js'
import {
  hasExternalId,
  repliesTo,
  requireAnyTransaction,
  requireDispute,
  requireWallet,
  type Subject,
  selectTransactions,
  subjectOf,
} from '../../core/operations/transactions.js'
import { creationOf, subjectId } from '../../core/operations/transition.js'
import { allowedActions } from '../../core/operations/trigger.js'
import { disputeObject, replyItem, transactionObject, walletObject } from '../../core/operations/views.js'
import type { Unit } from '../../core/unit/unit.js'
import type { countRoutes } from '../../protocol/control/figures.js'
import type { objectRoutes, SearchHit, searchRoutes } from '../../protocol/control/objects.js'
import { controlDefaults, operations } from '../../protocol/platform/limits.js'
import {
  statusesOf,
  type TransactionType,
  type TransitionRow,
  transitions,
} from '../../protocol/platform/transitions.js'
import type { Db } from '../../store/db.js'
import { disputes, events, history, postings, transactions, wallets } from '../../store/schema.js'
import { accountSeqNamed, pageFrom, rangeOf } from './pagination.js'
import type { ControlCall, Handlers } from './routes.js'
import { eventSummary } from './webhooks.js'
import { withPayUrl } from './workspaces.js'

/** Search over all objects. */
export const searchHandlers: Handlers<typeof searchRoutes> = {
  search: ({ ws, query: { q, limit } }) =>
    ws.unit(({ db }) => ({
      data: search(db, q.trim(), limit ?? controlDefaults.found).map(
        ({ seq: _seq, amountMinor, atMs, ...hit }): SearchHit => ({
          ...hit,
          amount: amountMinor === null || hit.currency === null ? null : formatMoney(amountMinor, hit.currency),
          at: isoUtc(atMs),
        }),
      ),
      next: null,
    })),
}

/** Counts of objects by status. */
export const countHandlers: Handlers<typeof countRoutes> = {
  readCounts: ({ ws }) => ws.unit(({ db }) => ({ data: countsByStatus(db), next: null })),
}

function isAbout(subject: Subject, { event, body }: typeof events.$inferSelect): boolean {
  if (subject.kind === 'wallet') return event === 'wallet.created'
  return subject.kind !== 'dispute' || (event.startsWith('chargeback.') && body.includes(subject.row.id))
}

/**
 * Some postings of an object are stored under another one. A dispute that is lost or confirmed also refunds its charge. The
 * postings of a transfer belong to the transaction of its sender, which is created just before that of the recipient.
 */
function postingsFilter(subject: Subject, id: string): SQL | undefined {
  const isOfObject = eq(postings.objectId, id)
  if (subject.kind === 'transfer' && subject.row.detail.direction === 'received')
    return sql`${postings.objectId} = (select id from transactions where seq = ${subject.row.seq - 1} and type = 'transfer')`
  if (subject.kind !== 'dispute') return isOfObject
  const decided = (row: TransitionRow) => row.object === 'dispute' && row.to === subject.row.status
  const memos = transitions
    .filter(decided)
    .flatMap(({ next }: TransitionRow) => (next === undefined ? [] : [next.join('.')]))
  return or(isOfObject, and(eq(postings.objectId, subject.row.transactionId), inArray(postings.memo, memos)))
}

/** Returns an object with its history, events, postings and allowed actions. */
function objectDetails<Fields>(unit: Unit, subject: Subject, fields: Fields) {
  const { db } = unit
  const id = subjectId(subject)
  const creation = creationOf(subject)
  const past = db.orm
    .select()
    .from(history)
    .where(and(eq(history.objectId, id), eq(history.object, subject.kind)))
    .orderBy(asc(history.seq))
    .all()
  // The events of a dispute have its charge as their subject.
  const eventSubjectId = subject.kind === 'dispute' ? subject.row.transactionId : id
  const eventRows = db.orm
    .select()
    .from(events)
    .where(eq(events.subjectId, eventSubjectId))
    .orderBy(asc(events.seq))
    .all()
  const entries = db.orm.select().from(postings).where(postingsFilter(subject, id)).orderBy(asc(postings.seq)).all()
  return {
    ...fields,
    history: [
      { action: creation.action, from: null, to: creation.to, at: isoUtc(creation.atMs) },
      ...past.map((row) => ({ action: row.action, from: row.fromStatus, to: row.toStatus, at: isoUtc(row.atMs) })),
    ],
    events: eventRows.filter((row) => isAbout(subject, row)).map(eventSummary),
    ledger: entries.map((row) => ({
      entry: row.entry,
      account: row.accountSeq === 0 ? 'platform' : accountOf(db, row.accountSeq).username,
      bucket: row.bucket,
      currency: row.currency,
      amount: formatMoney(row.amountMinor, row.currency),
      memo: row.memo,
      at: isoUtc(row.atMs),
    })),
    allowed: allowedActions(unit, subject),
    due: jobsOf(db, id).map(({ kind, dueAtMs }) => ({ job: kind, at: isoUtc(dueAtMs) })),
  }
}

type Rows = typeof objectRoutes

/** Returns undefined without a value: Drizzle ignores such a condition. */
const equalsIfGiven = (column: Parameters<typeof eq>[0], value: string | number | undefined) =>
  value === undefined ? undefined : eq(column, value)

/** Written exactly as in the index, because SQLite uses the index only then. */
const receivedBy = (walletId: number) =>
  sql`${transactions.source} = 'static' and json_extract(${transactions.detail}, '$.walletId') = ${walletId}`

type State = readonly [type: TransactionType, status: string]

const statesOf = (type: TransactionType | undefined, status: string | undefined): State[] =>
  (type === undefined ? operations : [type]).flatMap((one) =>
    statusesOf(one)
      .filter((of) => status === undefined || of === status)
      .map((of) => [one, of] as const),
  )

/** The index is ordered by type and status, so the newest rows of each are found quickly, however many others there are. */
const newestOf = (db: Db, states: readonly State[], where: SQL | undefined, rowLimit: number) =>
  states
    .flatMap(([type, status]) =>
      selectTransactions(
        db,
        and(equalsIfGiven(transactions.type, type), equalsIfGiven(transactions.status, status), where),
        rowLimit,
      ),
    )
    .sort((one, other) => other.seq - one.seq)
    .slice(0, rowLimit)

function listTransactions({ query, ...call }: ControlCall<Rows['listTransactions']>) {
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  return call.ws.unit((unit) => {
    const where = and(
      lt(transactions.seq, belowSeq),
      query.external_id === undefined ? undefined : hasExternalId(unit.db, query.external_id),
      equalsIfGiven(transactions.currency, query.currency),
      query.wallet_id === undefined ? undefined : receivedBy(query.wallet_id),
      equalsIfGiven(transactions.accountSeq, accountSeqNamed(unit, query.account)),
    )
    const found =
      query.type === undefined && query.status === undefined
        ? selectTransactions(unit.db, where, rowLimit)
        : newestOf(unit.db, statesOf(query.type, query.status), where, rowLimit)
    return pageFrom(found, limit, (row) => withPayUrl(call, transactionObject(unit.db, row)))
  })
}

function listDisputes({ ws, query }: ControlCall<Rows['listDisputes']>) {
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  return ws.unit((unit) => {
    const where = and(
      lt(disputes.seq, belowSeq),
      equalsIfGiven(disputes.type, query.type),
      equalsIfGiven(disputes.status, query.status),
      equalsIfGiven(disputes.transactionId, query.transaction_id),
      equalsIfGiven(disputes.accountSeq, accountSeqNamed(unit, query.account)),
    )
    const found = unit.db.orm.select().from(disputes).where(where).orderBy(desc(disputes.seq)).limit(rowLimit).all()
    return pageFrom(found, limit, (row) => disputeObject(unit.db, row))
  })
}

function listWallets({ ws, query }: ControlCall<Rows['listWallets']>) {
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  return ws.unit((unit) => {
    const where = and(
      lt(wallets.seq, belowSeq),
      equalsIfGiven(wallets.currency, query.currency),
      equalsIfGiven(wallets.accountSeq, accountSeqNamed(unit, query.account)),
    )
    const found = unit.db.orm.select().from(wallets).where(where).orderBy(desc(wallets.seq)).limit(rowLimit).all()
    return pageFrom(found, limit, (row) => walletObject(unit.db, row))
  })
}

export const objectHandlers: Handlers<Rows> = {
  listTransactions,
  readTransaction: ({ params, ...call }) =>
    call.ws.unit((unit) => {
      const row = requireAnyTransaction(unit.db, params.id)
      return objectDetails(unit, subjectOf(row), withPayUrl(call, transactionObject(unit.db, row)))
    }),
  listDisputes,
  readDispute: ({ ws, params }) =>
    ws.unit((unit) => {
      const row = requireDispute(unit.db, params.id)
      const replies = repliesTo(unit.db, row.id).map(replyItem)
      return { ...objectDetails(unit, { kind: 'dispute', row }, disputeObject(unit.db, row)), replies }
    }),
  listWallets,
  readWallet: ({ ws, params }) =>
    ws.unit((unit) => {
      const row = requireWallet(unit.db, params.id)
      return objectDetails(unit, { kind: 'wallet', row }, walletObject(unit.db, row))
    }),
}
