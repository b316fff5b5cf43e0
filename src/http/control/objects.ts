/** Transactions, disputes and wallets as the sandbox knows them: with history, events, postings, and what is allowed now. */
import { and, asc, desc, eq, lt, type SQL } from 'drizzle-orm'
import { isoUtc } from '../../base/iso.js'
import { accountOf, findAccount } from '../../core/access/account.js'
import { repliesTo, requireDispute } from '../../core/operations/disputes.js'
import { findTransaction, type Transaction, type TransactionType } from '../../core/operations/transactions.js'
import { birthOf, type Subject, subjectId, type Wallet } from '../../core/operations/transition.js'
import { allowedActions } from '../../core/operations/trigger.js'
import { asText, objectFields, replyFields } from '../../core/operations/views.js'
import type { Unit } from '../../core/workspace/unit.js'
import type { Currency } from '../../protocol/api/currencies.js'
import { ApiError } from '../../protocol/api/errors.js'
import { disputes, events, history, postings, transactions, wallets } from '../../store/schema.js'
import { knownQuery, paged, pageOf } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'
import { eventSummary } from './webhooks.js'

const subjectOf = (row: Transaction): Subject => ({ kind: row.type as TransactionType, row })
const shown = (unit: Unit, subject: Subject) => ({
  ...objectFields(subject),
  account: accountOf(unit.db, subject.row.accountSeq).username,
})

function isAbout(subject: Subject, { event, body }: typeof events.$inferSelect): boolean {
  if (subject.kind === 'wallet') return event === 'wallet.created'
  return subject.kind !== 'dispute' || (event.startsWith('chargeback.') && body.includes(subject.row.id))
}

/** One object with its life. */
function whole(unit: Unit, subject: Subject) {
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
  const entries = db.orm.select().from(postings).where(eq(postings.objectId, id)).orderBy(asc(postings.seq)).all()
  return {
    ...shown(unit, subject),
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
      amount: asText(row.amountMinor, row.currency as Currency),
      memo: row.memo,
      at: isoUtc(row.atMs),
    })),
    allowed: allowedActions(unit, subject),
  }
}

/** `undefined` conditions drop out; an unknown account matches nothing. */
function accountCondition(unit: Unit, query: URLSearchParams, column: Parameters<typeof eq>[0]): SQL | undefined {
  const username = query.get('account')
  return username === null ? undefined : eq(column, findAccount(unit.db, username)?.seq ?? -1)
}

const equals = (column: Parameters<typeof eq>[0], value: string | null) =>
  value === null ? undefined : eq(column, value)

const transactionQuery = ['type', 'status', 'external_id', 'account', 'currency', 'limit', 'after'] as const

function listTransactions({ ws, query }: AdminCall) {
  knownQuery(query, transactionQuery)
  const { limit, beforeSeq } = pageOf(query)
  return ws.unit((unit) => {
    const where = and(
      lt(transactions.seq, beforeSeq),
      equals(transactions.type, query.get('type')),
      equals(transactions.status, query.get('status')),
      equals(transactions.externalId, query.get('external_id')),
      equals(transactions.currency, query.get('currency')),
      accountCondition(unit, query, transactions.accountSeq),
    )
    const rows = unit.db.orm
      .select()
      .from(transactions)
      .where(where)
      .orderBy(desc(transactions.seq))
      .limit(limit + 1)
      .all()
    return paged(rows, limit, (row) => shown(unit, subjectOf(row)))
  })
}

const disputeQuery = ['type', 'status', 'transaction_id', 'account', 'limit', 'after'] as const

function listDisputes({ ws, query }: AdminCall) {
  knownQuery(query, disputeQuery)
  const { limit, beforeSeq } = pageOf(query)
  return ws.unit((unit) => {
    const where = and(
      lt(disputes.seq, beforeSeq),
      equals(disputes.type, query.get('type')),
      equals(disputes.status, query.get('status')),
      equals(disputes.transactionId, query.get('transaction_id')),
      accountCondition(unit, query, disputes.accountSeq),
    )
    const rows = unit.db.orm
      .select()
      .from(disputes)
      .where(where)
      .orderBy(desc(disputes.seq))
      .limit(limit + 1)
      .all()
    return paged(rows, limit, (row) => shown(unit, { kind: 'dispute', row }))
  })
}

const walletQuery = ['currency', 'account', 'limit', 'after'] as const

function listWallets({ ws, query }: AdminCall) {
  knownQuery(query, walletQuery)
  const { limit, beforeSeq } = pageOf(query)
  return ws.unit((unit) => {
    const where = and(
      lt(wallets.seq, beforeSeq),
      equals(wallets.currency, query.get('currency')),
      accountCondition(unit, query, wallets.accountSeq),
    )
    const rows = unit.db.orm
      .select()
      .from(wallets)
      .where(where)
      .orderBy(desc(wallets.seq))
      .limit(limit + 1)
      .all()
    return paged(rows, limit, (row) => shown(unit, { kind: 'wallet', row }))
  })
}

const unknown = (object: string, id: string) =>
  new ApiError('NOT_FOUND', { object, id }, { message: `There is no ${object} ${id}.` })

function findAnyTransaction(unit: Unit, id: string): Transaction {
  const own = findTransaction(unit.db, id)
  if (own !== undefined) return own
  const named = unit.db.orm.select().from(transactions).where(eq(transactions.externalId, id)).limit(2).all()
  if (named[0] !== undefined && named[1] === undefined) return named[0]
  throw unknown('transaction', id)
}

function findWallet(unit: Unit, id: string): Wallet {
  const row = /^\d{1,15}$/.test(id)
    ? unit.db.orm
        .select()
        .from(wallets)
        .where(eq(wallets.seq, Number(id)))
        .get()
    : undefined
  if (row === undefined) throw unknown('wallet', id)
  return row
}

const oneTransaction = ({ ws, params }: AdminCall) =>
  ws.unit((unit) => whole(unit, subjectOf(findAnyTransaction(unit, params.id ?? ''))))

const oneDispute = ({ ws, params }: AdminCall) =>
  ws.unit((unit) => {
    const row = requireDispute(unit.db, params.id ?? '')
    return { ...whole(unit, { kind: 'dispute', row }), replies: repliesTo(unit.db, row.id).map(replyFields) }
  })

const oneWallet = ({ ws, params }: AdminCall) =>
  ws.unit((unit) => whole(unit, { kind: 'wallet', row: findWallet(unit, params.id ?? '') }))

export const objectRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/_sandbox/transactions',
    title: 'Transactions of every kind, newest first',
    queryNames: transactionQuery,
    handle: listTransactions,
  },
  {
    method: 'GET',
    path: '/_sandbox/transactions/:id',
    title: 'One transaction with its history, events and postings',
    handle: oneTransaction,
  },
  {
    method: 'GET',
    path: '/_sandbox/disputes',
    title: 'Disputes, newest first',
    queryNames: disputeQuery,
    handle: listDisputes,
  },
  { method: 'GET', path: '/_sandbox/disputes/:id', title: 'One dispute', handle: oneDispute },
  {
    method: 'GET',
    path: '/_sandbox/wallets',
    title: 'Fixed wallets, newest first',
    queryNames: walletQuery,
    handle: listWallets,
  },
  { method: 'GET', path: '/_sandbox/wallets/:id', title: 'One wallet', handle: oneWallet },
]
