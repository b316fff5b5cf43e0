/** Reads transactions, wallets and disputes. Charges, withdrawals, transfers and conversions share one table. */

import type { Currency } from '../../protocol/platform/currencies.js'
import type { EndpointName, RequestOf, ResponseOf } from '../../protocol/platform/endpoints.js'
import { invalid, notFound, orNotFound } from '../../protocol/platform/errors.js'
import {
  type ObjectKind,
  objectKinds,
  type StatusOf,
  type TransactionType,
} from '../../protocol/platform/transitions.js'
import { isDocument, normalizeDocument } from '../../protocol/rails/pix-key.js'
import type { DetailOf } from '../../store/columns.js'
import type { Db } from '../../store/db.js'
import { type Condition, finder, inserter, lister, selector } from '../../store/rows.js'
import { disputes, replies, transactions, wallets } from '../../store/schema.js'
import type { Caller } from '../auth/authenticate.js'
import type { Unit } from '../unit/unit.js'

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

/** Rows are written with the detail and status of their type; the table knows the type of each column only. */
const asTransaction = (row: Row): Transaction => row as Transaction
const typedOr = (row: Row | undefined): Transaction | undefined => (row === undefined ? undefined : asTransaction(row))

const byId = finder(transactions, 'where id = ?')
const newestIn = finder(
  transactions,
  'where type = ? and status = ? and account_seq = coalesce(?, account_seq) order by seq desc',
)
const bySeqs = selector(
  transactions,
  'where seq in (select value from json_each(?)) order by created_at_ms desc, seq desc',
)

export const findTransaction = (db: Db, id: string): Transaction | undefined => typedOr(byId(db, id))
/** Returns the newest of one account, or of all accounts. */
export const newestTransaction = (
  db: Db,
  type: TransactionType,
  status: string,
  accountSeq: number | null,
): Transaction | undefined => typedOr(newestIn(db, type, status, accountSeq))

/** Returns the transaction of that type. For ids from our own tables: a mismatch is an internal error. */
export function requireTransaction<Type extends TransactionType>(db: Db, type: Type, id: string): TransactionOf<Type> {
  const row = findTransaction(db, id)
  if (row?.type !== type) throw new Error(`there is no ${type} ${id}`)
  // A comparison does not narrow a type that is only a parameter.
  return row as TransactionOf<Type>
}

/** Matches an `external_id` in every account. Lists all accounts, so that the index over (account, external_id) is used. */
export const withExternalId = 'account_seq in (select seq from accounts) and external_id = ?'

const selectByExternalId = selector(
  transactions,
  `where ${withExternalId} and type in (select value from json_each(?)) order by seq desc limit ?`,
)
/** Returns the transactions of these kinds with the `external_id`, newest first. */
export const transactionsWithExternalId = (
  db: Db,
  externalId: string,
  limit: number,
  kinds: readonly ObjectKind[] = objectKinds,
): Transaction[] => selectByExternalId(db, externalId, JSON.stringify(kinds), limit).map(asTransaction)

/** Newest first. */
export const selectTransactions = (db: Db, conditions: readonly Condition[], limit: number): Transaction[] =>
  newestMatching(db, conditions, limit).map(asTransaction)

const newestMatching = lister(transactions, 'order by seq desc limit ?')

/** Returns the transactions with these numbers, latest first. */
export const transactionsOf = (db: Db, seqs: readonly number[]): Transaction[] =>
  bySeqs(db, JSON.stringify(seqs)).map(asTransaction)

export type Wallet = typeof wallets.$inferSelect
export type Subject =
  | { [Type in TransactionType]: { kind: Type; row: TransactionOf<Type> } }[TransactionType]
  | { kind: 'dispute'; row: Dispute }
  | { kind: 'wallet'; row: Wallet }

/** Kind and row always match, but the compiler cannot see that in a union. */
export const subjectOf = (row: Transaction): Subject => ({ kind: row.type, row }) as Subject

const walletBySeq = finder(wallets, 'where seq = ?')
const walletByAddress = finder(wallets, 'where address = ?')

/** Finds a wallet by its number or by its deposit address. */
function findWallet(db: Db, id: string): Wallet | undefined {
  return /^\d{1,15}$/.test(id) ? walletBySeq(db, Number(id)) : walletByAddress(db, id)
}

const walletOf = finder(wallets, 'where account_seq = ? and currency = ? and chain is ? order by seq')

/** Finds the first wallet of an account for a currency and chain. */
export const findWalletOf = (
  db: Db,
  accountSeq: number,
  { currency, chain }: Pick<Wallet, 'currency' | 'chain'>,
): Wallet | undefined => walletOf(db, accountSeq, currency, chain)

const newest = finder(wallets, 'order by seq desc')
const newestOf = finder(wallets, 'where account_seq = ? order by seq desc')

/** Returns the newest of one account, or of all accounts. */
export const newestWallet = (db: Db, accountSeq: number | null): Wallet | undefined =>
  accountSeq === null ? newest(db) : newestOf(db, accountSeq)

export function findObject(db: Db, kinds: readonly ObjectKind[], id: string): Subject | undefined {
  const transaction = findTransaction(db, id)
  if (transaction !== undefined && kinds.includes(transaction.type)) return subjectOf(transaction)
  const dispute = kinds.includes('dispute') ? findDispute(db, id) : undefined
  if (dispute !== undefined) return { kind: 'dispute', row: dispute }
  const wallet = kinds.includes('wallet') ? findWallet(db, id) : undefined
  return wallet === undefined ? undefined : { kind: 'wallet', row: wallet }
}

/**
 * Returns the object with this id, or else the only transaction of these kinds with this `external_id`. Throws 404
 * NOT_FOUND.
 */
export function requireObject(db: Db, kinds: readonly ObjectKind[], id: string): Subject {
  const found = findObject(db, kinds, id)
  if (found !== undefined) return found
  const [only = 'object', ...others] = kinds
  return subjectOf(requireByExternalId(db, id, others.length === 0 ? only : 'object', kinds))
}

/** Returns a transaction by its id, or by an `external_id` that no other has; throws 404 NOT_FOUND. */
export const requireAnyTransaction = (db: Db, id: string): Transaction =>
  findTransaction(db, id) ?? requireByExternalId(db, id, 'transaction', objectKinds)

export const requireWallet = (db: Db, id: string): Wallet => orNotFound(findWallet(db, id), 'wallet', id)

function requireByExternalId(db: Db, id: string, what: string, kinds: readonly ObjectKind[]): Transaction {
  const [first, second] = transactionsWithExternalId(db, id, 2, kinds)
  if (first === undefined) throw notFound(what, id)
  if (second === undefined) return first
  throw notFound(what, id, `More than one ${what} has the external_id ${id}: use its id instead.`)
}

export type Dispute = typeof disputes.$inferSelect
export type Reply = typeof replies.$inferSelect

export const findDispute = finder(disputes, 'where id = ?')
/** Returns the disputes of a transaction, newest first. */
export const disputesOf = selector(disputes, 'where transaction_id = ? order by seq desc')
export const repliesTo = selector(replies, 'where dispute_id = ?')
export const insertReply = inserter(replies)
/** Returns the undecided dispute, if any; there is at most one. */
export const runningDispute = (db: Db, transactionId: string): Dispute | undefined =>
  disputesOf(db, transactionId).find((one) => one.status === 'open' || one.status === 'responded')

/** Returns the newest dispute in one of these states, with its deadline at or after that time, of one account or of any. */
export const newestDispute = (
  db: Db,
  statuses: readonly string[],
  deadlineFromMs: number,
  accountSeq: number | null,
): Dispute | undefined => newestOpen(db, JSON.stringify(statuses), deadlineFromMs, accountSeq)

const newestOpen = finder(
  disputes,
  `where status in (select value from json_each(?)) and deadline_at_ms >= ? and account_seq = coalesce(?, account_seq)
  order by seq desc`,
)

/** Throws 404 NOT_FOUND if no dispute has the id. */
export const requireDispute = (db: Db, id: string): Dispute => orNotFound(findDispute(db, id), 'dispute', id)

// What the handlers of the endpoints share.

export interface Call {
  unit: Unit
  caller: Caller & { credential: NonNullable<Caller['credential']> }
  files: readonly UploadedFile[]
}

/** What is known about a file; its content is not stored. */
export interface UploadedFile {
  name: string
  size: number
  sha256: string
  /** Its first bytes. */
  head: Uint8Array
}

/** Returns `data` or throws `ApiError`. Tests check `data` against the response schema. */
export type Handler<Name extends EndpointName> = (call: Call, request: RequestOf<Name>) => ResponseOf<Name>

/** Returns a CPF or CNPJ without punctuation; throws 422 INVALID_VALUE. */
export function parseDocument(text: string | undefined, field: string): string | undefined {
  if (text === undefined) return undefined
  if (isDocument(text)) return normalizeDocument(text)
  throw invalid(field, 'must be a valid CPF or CNPJ')
}
