/** Transactions, disputes and wallets as the sandbox knows them: with history, events, postings, and what is allowed now. */
import { and, asc, desc, eq, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import { isoUtc } from '../../base/iso.js'
import { accountOf } from '../../core/auth/account.js'
import { money } from '../../core/ledger/ledger.js'
import { repliesTo, requireDispute } from '../../core/operations/disputes.js'
import { allowedActions } from '../../core/operations/subjects.js'
import {
  bearing,
  requireAnyTransaction,
  requireWallet,
  type Subject,
  selectTransactions,
  subjectId,
  subjectOf,
} from '../../core/operations/transactions.js'
import { birthOf } from '../../core/operations/transition.js'
import { disputeObject, replyItem, transactionObject, walletObject } from '../../core/operations/views.js'
import type { Unit } from '../../core/unit/unit.js'
import { type objectRoutes, transactionKinds } from '../../protocol/control/objects.js'
import {
  statusesOf,
  type TransactionType,
  type TransitionRow,
  transitions,
} from '../../protocol/platform/transitions.js'
import type { Db } from '../../store/db.js'
import { disputes, events, history, postings, transactions, wallets } from '../../store/schema.js'
import { withPayUrl } from './base-url.js'
import { accountFilter, paged, pageOf } from './page.js'
import type { ControlCall, Handlers } from './routes.js'
import { eventSummary } from './webhooks.js'

function isAbout(subject: Subject, { event, body }: typeof events.$inferSelect): boolean {
  if (subject.kind === 'wallet') return event === 'wallet.created'
  return subject.kind !== 'dispute' || (event.startsWith('chargeback.') && body.includes(subject.row.id))
}

/** A dispute that is lost or confirmed also refunds its cash-in: that is posted for the cash-in, once. */
function postedFor(subject: Subject, id: string): SQL | undefined {
  const own = eq(postings.objectId, id)
  if (subject.kind !== 'dispute') return own
  const decided = (row: TransitionRow) => row.object === 'dispute' && row.to === subject.row.status
  const memos = transitions
    .filter(decided)
    .flatMap(({ next }: TransitionRow) => (next === undefined ? [] : [next.join('.')]))
  return or(own, and(eq(postings.objectId, subject.row.transactionId), inArray(postings.memo, memos)))
}

/** One object with its life. */
function whole<Fields>(unit: Unit, subject: Subject, fields: Fields) {
  const { db } = unit
  const id = subjectId(subject)
  const birth = birthOf(subject)
  const past = db.orm
    .select()
    .from(history)
    .where(and(eq(history.objectId, id), eq(history.object, subject.kind)))
    .orderBy(asc(history.seq))
    .all()
  // The events of a dispute go where those of its cash-in go.
  const addressee = subject.kind === 'dispute' ? subject.row.transactionId : id
  const told = db.orm.select().from(events).where(eq(events.subjectId, addressee)).orderBy(asc(events.seq)).all()
  const entries = db.orm.select().from(postings).where(postedFor(subject, id)).orderBy(asc(postings.seq)).all()
  return {
    ...fields,
    history: [
      { action: birth.action, from: null, to: birth.to, at: isoUtc(birth.atMs) },
      ...past.map((row) => ({ action: row.action, from: row.fromStatus, to: row.toStatus, at: isoUtc(row.atMs) })),
    ],
    events: told.filter((row) => isAbout(subject, row)).map(eventSummary),
    ledger: entries.map((row) => ({
      entry: row.entry,
      account: row.accountSeq === 0 ? 'platform' : accountOf(db, row.accountSeq).username,
      bucket: row.bucket,
      currency: row.currency,
      amount: money(row.amountMinor, row.currency),
      memo: row.memo,
      at: isoUtc(row.atMs),
    })),
    allowed: allowedActions(unit, subject),
  }
}

type Rows = typeof objectRoutes

/** An undefined condition drops out. */
const equals = (column: Parameters<typeof eq>[0], value: string | number | undefined) =>
  value === undefined ? undefined : eq(column, value)

/** In the words of the index. */
const cameTo = (walletId: number) =>
  sql`${transactions.source} = 'static' and json_extract(${transactions.detail}, '$.walletId') = ${walletId}`

type State = readonly [type: TransactionType, status: string]

const statesOf = (type: TransactionType | undefined, status: string | undefined): State[] =>
  (type === undefined ? transactionKinds : [type]).flatMap((one) =>
    statusesOf(one)
      .filter((of) => status === undefined || of === status)
      .map((of) => [one, of] as const),
  )

/** Each kind in each state has a place of its own in the index: the newest ones are found there, however many others there are. */
const newestOf = (db: Db, states: readonly State[], where: SQL | undefined, rows: number) =>
  states
    .flatMap(([type, status]) =>
      selectTransactions(db, and(equals(transactions.type, type), equals(transactions.status, status), where), rows),
    )
    .sort((one, other) => other.seq - one.seq)
    .slice(0, rows)

function listTransactions({ query, ...call }: ControlCall<Rows['listTransactions']>) {
  const { limit, rows, beforeSeq } = pageOf(query)
  return call.ws.unit((unit) => {
    const where = and(
      lt(transactions.seq, beforeSeq),
      query.external_id === undefined ? undefined : bearing(unit.db, query.external_id),
      equals(transactions.currency, query.currency),
      query.wallet_id === undefined ? undefined : cameTo(query.wallet_id),
      equals(transactions.accountSeq, accountFilter(unit, query.account)),
    )
    const found =
      query.type === undefined && query.status === undefined
        ? selectTransactions(unit.db, where, rows)
        : newestOf(unit.db, statesOf(query.type, query.status), where, rows)
    return paged(found, limit, (row) => withPayUrl(call, transactionObject(unit.db, row)))
  })
}

function listDisputes({ ws, query }: ControlCall<Rows['listDisputes']>) {
  const { limit, rows, beforeSeq } = pageOf(query)
  return ws.unit((unit) => {
    const where = and(
      lt(disputes.seq, beforeSeq),
      equals(disputes.type, query.type),
      equals(disputes.status, query.status),
      equals(disputes.transactionId, query.transaction_id),
      equals(disputes.accountSeq, accountFilter(unit, query.account)),
    )
    const found = unit.db.orm.select().from(disputes).where(where).orderBy(desc(disputes.seq)).limit(rows).all()
    return paged(found, limit, (row) => disputeObject(unit.db, row))
  })
}

function listWallets({ ws, query }: ControlCall<Rows['listWallets']>) {
  const { limit, rows, beforeSeq } = pageOf(query)
  return ws.unit((unit) => {
    const where = and(
      lt(wallets.seq, beforeSeq),
      equals(wallets.currency, query.currency),
      equals(wallets.accountSeq, accountFilter(unit, query.account)),
    )
    const found = unit.db.orm.select().from(wallets).where(where).orderBy(desc(wallets.seq)).limit(rows).all()
    return paged(found, limit, (row) => walletObject(unit.db, row))
  })
}

export const objectHandlers: Handlers<Rows> = {
  listTransactions,
  readTransaction: ({ params, ...call }) =>
    call.ws.unit((unit) => {
      const row = requireAnyTransaction(unit.db, params.id)
      return whole(unit, subjectOf(row), withPayUrl(call, transactionObject(unit.db, row)))
    }),
  listDisputes,
  readDispute: ({ ws, params }) =>
    ws.unit((unit) => {
      const row = requireDispute(unit.db, params.id)
      const replies = repliesTo(unit.db, row.id).map(replyItem)
      return { ...whole(unit, { kind: 'dispute', row }, disputeObject(unit.db, row)), replies }
    }),
  listWallets,
  readWallet: ({ ws, params }) =>
    ws.unit((unit) => {
      const row = requireWallet(unit.db, params.id)
      return whole(unit, { kind: 'wallet', row }, walletObject(unit.db, row))
    }),
}
