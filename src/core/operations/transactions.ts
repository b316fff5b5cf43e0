/** Reading transactions: cash-ins, cash-outs, transfers and conversions share one table. */
import { and, desc, eq, inArray, type SQL } from 'drizzle-orm'
import type { Currency } from '../../protocol/platform/currencies.js'
import type { StatusOf, TransactionType } from '../../protocol/platform/transitions.js'
import { type Db, reader } from '../../store/db.js'
import type { DetailOf } from '../../store/details.js'
import { finder, selector } from '../../store/rows.js'
import { accounts, transactions } from '../../store/schema.js'

type Row = typeof transactions.$inferSelect

export type TransactionOf<Type extends TransactionType> = Omit<Row, 'type' | 'status' | 'detail' | 'currencyTo'> & {
  type: Type
  status: StatusOf<Type>
  detail: DetailOf<Type>
  currencyTo: Type extends 'conversion' ? Currency : null
}
export type Cashin = TransactionOf<'cashin'>
export type Cashout = TransactionOf<'cashout'>
export type Transfer = TransactionOf<'transfer'>
export type Conversion = TransactionOf<'conversion'>
export type Transaction = Cashin | Cashout | Transfer | Conversion

/** Whoever writes a row writes the detail and the state of its type: drizzle knows them for each column only. */
const typed = (row: Row): Transaction => row as Transaction
const typedOr = (row: Row | undefined): Transaction | undefined => (row === undefined ? undefined : typed(row))

const byId = finder(transactions, 'where id = ?')
/** Of a new charge there is none: finding that out must be cheap. */
const idByExternalId = reader<{ id: string }>('select id from transactions where account_seq = ? and external_id = ?')
const newestIn = finder(
  transactions,
  'where type = ? and status = ? and account_seq = coalesce(?, account_seq) order by seq desc',
)
const bySeqs = selector(
  transactions,
  'where seq in (select value from json_each(?)) order by created_at_ms desc, seq desc',
)

export const findTransaction = (db: Db, id: string): Transaction | undefined => typedOr(byId(db, id))
export function findByExternalId(db: Db, accountSeq: number, externalId: string): Transaction | undefined {
  const found = idByExternalId(db, accountSeq, externalId)[0]
  return found === undefined ? undefined : findTransaction(db, found.id)
}
/** Of one account, or of any. */
export const newestTransaction = (
  db: Db,
  type: TransactionType,
  status: string,
  accountSeq: number | null,
): Transaction | undefined => typedOr(newestIn(db, type, status, accountSeq))

/** The transaction of that type; what names it in our own tables does not name another. */
export function requireTransaction<Type extends TransactionType>(db: Db, type: Type, id: string): TransactionOf<Type> {
  const row = findTransaction(db, id)
  if (row?.type !== type) throw new Error(`there is no ${type} ${id}`)
  // Its type was compared just now: a comparison narrows no type that is only a parameter.
  return row as TransactionOf<Type>
}

/** Of every account: names them all, so that the index over (account, external_id) serves. */
export const bearing = (db: Db, externalId: string): SQL | undefined =>
  and(
    inArray(transactions.accountSeq, db.orm.select({ seq: accounts.seq }).from(accounts)),
    eq(transactions.externalId, externalId),
  )

const bearers = selector(
  transactions,
  'where account_seq in (select seq from accounts) and external_id = ? order by seq desc limit ?',
)
/** All transactions that bear it, the newest first. */
export const bearersOf = (db: Db, externalId: string, limit: number): Transaction[] =>
  bearers(db, externalId, limit).map(typed)

/** Newest first. */
export const selectTransactions = (db: Db, where: SQL | undefined, limit: number): Transaction[] =>
  db.orm.select().from(transactions).where(where).orderBy(desc(transactions.seq)).limit(limit).all().map(typed)

/** By their numbers, the latest first. */
export const transactionsOf = (db: Db, seqs: readonly number[]): Transaction[] =>
  bySeqs(db, JSON.stringify(seqs)).map(typed)
