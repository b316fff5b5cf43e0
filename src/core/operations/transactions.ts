/** Reads transactions and their disputes: cash-ins, cash-outs, transfers and conversions share one table. */

import { and, desc, eq, gte, inArray, type SQL } from 'drizzle-orm'
import { sha256Hex } from '../../base/crypto.js'
import { type Currency, chainsOf, type Network, networksOf } from '../../protocol/platform/currencies.js'
import type { EndpointName, RequestOf, ResponseOf } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { ObjectKind, StatusOf, TransactionType } from '../../protocol/platform/transitions.js'
import { isDocument, normalizeDocument } from '../../protocol/rails/pix-key.js'
import type { DetailOf } from '../../store/columns.js'
import { type Db, reader } from '../../store/db.js'
import { finder, inserter, selector } from '../../store/rows.js'
import { accounts, disputes, replies, transactions, wallets } from '../../store/schema.js'
import { getOrCacheRow, rowInCache } from '../../store/unit-of-work.js'
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

/** Rows are written with the detail and status of their type; drizzle knows the type of each column only. */
const asTransaction = (row: Row): Transaction => row as Transaction
const typedOr = (row: Row | undefined): Transaction | undefined => (row === undefined ? undefined : asTransaction(row))

const byId = finder(transactions, 'where id = ?')
/** Runs for each new charge and usually finds nothing, so it must be cheap. */
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
function findByExternalId(db: Db, accountSeq: number, externalId: string): Transaction | undefined {
  const found = idByExternalId(db, accountSeq, externalId)[0]
  return found === undefined ? undefined : findTransaction(db, found.id)
}
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
export const hasExternalId = (db: Db, externalId: string): SQL | undefined =>
  and(
    inArray(transactions.accountSeq, db.orm.select({ seq: accounts.seq }).from(accounts)),
    eq(transactions.externalId, externalId),
  )

const selectByExternalId = selector(
  transactions,
  'where account_seq in (select seq from accounts) and external_id = ? order by seq desc limit ?',
)
/** Returns all transactions with the `external_id`, newest first. */
export const transactionsWithExternalId = (db: Db, externalId: string, limit: number): Transaction[] =>
  selectByExternalId(db, externalId, limit).map(asTransaction)

/** Newest first. */
export const selectTransactions = (db: Db, where: SQL | undefined, limit: number): Transaction[] =>
  db.orm.select().from(transactions).where(where).orderBy(desc(transactions.seq)).limit(limit).all().map(asTransaction)

/** Returns the transactions with these numbers, latest first. */
export const transactionsOf = (db: Db, seqs: readonly number[]): Transaction[] =>
  bySeqs(db, JSON.stringify(seqs)).map(asTransaction)

/** A transaction matches if it has every given value; a conversion matches either of its currencies. */
interface CountedFilter {
  type?: string | undefined
  status?: string | undefined
  source?: string | undefined
  currency?: string | undefined
}

interface Count {
  filter: CountedFilter
  total: number
}

const maxCachedFilters = 200
const keyOf = (accountSeq: number) => `counts ${accountSeq}`

export function countOf(db: Db, accountSeq: number, filter: CountedFilter, count: () => number): number {
  const counts = getOrCacheRow(db, keyOf(accountSeq), () => new Map<string, Count>())
  const name = [filter.type, filter.status, filter.source, filter.currency].join()
  const known = counts.get(name)
  if (known !== undefined) return known.total
  if (counts.size >= maxCachedFilters) counts.clear()
  const total = count()
  counts.set(name, { filter, total })
  return total
}

/** Updates the cached counts; called with every write of a row. `from` is its earlier status, null for a new row. */
export function updateCounts(db: Db, row: Transaction, from: string | null): void {
  const counts = rowInCache<Map<string, Count>>(db, keyOf(row.accountSeq))
  if (counts === undefined) return
  for (const one of counts.values())
    one.total += Number(fits(one.filter, row, row.status)) - Number(from !== null && fits(one.filter, row, from))
}

function fits({ type, status, source, currency }: CountedFilter, row: Transaction, at: string): boolean {
  return (
    (type === undefined || type === row.type) &&
    (status === undefined || status === at) &&
    (source === undefined || source === row.source) &&
    (currency === undefined || currency === row.currency || currency === row.currencyTo)
  )
}

/** Hashes the operation and its payload. Amounts are minor units as text, so that `10` and `10.0` are equal. */
export function fingerprint(operation: string, payload: Record<string, unknown>): string {
  return sha256Hex(operation + JSON.stringify(payload))
}

/**
 * Returns the original if this call repeats it, undefined if the id is new. Throws 409 DUPLICATE_EXTERNAL_ID
 * `{transaction_id}` if another call has used the id.
 */
export function findOriginal<Type extends TransactionType>(
  unit: Unit,
  type: Type,
  accountSeq: number,
  externalId: string | null,
  print: string,
): TransactionOf<Type> | undefined {
  if (externalId === null) return undefined
  const original = findByExternalId(unit.db, accountSeq, externalId)
  if (original === undefined) return undefined
  if (original.type !== type || original.fingerprint !== print)
    throw new ApiError('DUPLICATE_EXTERNAL_ID', { transaction_id: original.id })
  // A comparison does not narrow a type that is only a parameter.
  return original as TransactionOf<Type>
}

export type Wallet = typeof wallets.$inferSelect
export type Subject =
  | { [Type in TransactionType]: { kind: Type; row: TransactionOf<Type> } }[TransactionType]
  | { kind: 'dispute'; row: Dispute }
  | { kind: 'wallet'; row: Wallet }

/** Kind and row always match, but the compiler cannot see that in a union. */
export const subjectOf = (row: Transaction): Subject => ({ kind: row.type, row }) as Subject

export function subjectId(subject: Subject): string {
  return subject.kind === 'wallet' ? String(subject.row.seq) : subject.row.id
}

export function statusOf(subject: Subject): StatusOf<ObjectKind> {
  return subject.kind === 'wallet' ? 'created' : subject.row.status
}

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

/** Returns the object with this id, if it is of one of these kinds. */
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
  const [only] = kinds
  const what = only !== undefined && kinds.length === 1 ? only : 'object'
  return subjectOf(requireByExternalId(db, id, what, (row) => kinds.includes(row.type)))
}

/** Returns a transaction by its id, or by an `external_id` that no other has; throws 404 NOT_FOUND. */
export const requireAnyTransaction = (db: Db, id: string): Transaction =>
  findTransaction(db, id) ?? requireByExternalId(db, id, 'transaction', () => true)

export function requireWallet(db: Db, id: string): Wallet {
  const wallet = findWallet(db, id)
  if (wallet === undefined) throw notFound('wallet', id, `There is no wallet ${id}.`)
  return wallet
}

function requireByExternalId(db: Db, id: string, what: string, fits: (row: Transaction) => boolean): Transaction {
  // An external_id is unique within an account, so only a sandbox of more than 100 accounts can exceed this limit.
  const bearers = transactionsWithExternalId(db, id, 100).filter(fits)
  const [first, second] = bearers
  if (first === undefined) throw notFound(what, id, `There is no ${what} ${id}.`)
  if (second === undefined) return first
  throw notFound(what, id, `More than one ${what} has the external_id ${id}: use its id instead.`)
}

const notFound = (object: string, id: string, message: string) => new ApiError('NOT_FOUND', { object, id }, { message })

/** Queries for disputes and their replies. */
export type Dispute = typeof disputes.$inferSelect
export type Reply = typeof replies.$inferSelect

const disputeById = finder(disputes, 'where id = ?')
const ofTransaction = selector(disputes, 'where transaction_id = ? order by seq desc')
const repliesOf = selector(replies, 'where dispute_id = ?')

export const insertReply = inserter(replies)
export const findDispute = (db: Db, id: string): Dispute | undefined => disputeById(db, id)
/** Returns the disputes of a transaction, newest first. */
export const disputesOf = (db: Db, transactionId: string): Dispute[] => ofTransaction(db, transactionId)
/** Returns the undecided dispute, if any; there is at most one. */
export const runningDispute = (db: Db, transactionId: string): Dispute | undefined =>
  disputesOf(db, transactionId).find((one) => one.status === 'open' || one.status === 'responded')
export const repliesTo = (db: Db, disputeId: string): Reply[] => repliesOf(db, disputeId)

/** Returns the newest dispute in one of these states, with its deadline at or after that time, of one account or of any. */
export function newestDispute(
  db: Db,
  statuses: Dispute['status'][],
  deadlineFromMs: number,
  accountSeq: number | null,
): Dispute | undefined {
  const ofAccount = accountSeq === null ? undefined : eq(disputes.accountSeq, accountSeq)
  return db.orm
    .select()
    .from(disputes)
    .where(and(inArray(disputes.status, statuses), gte(disputes.deadlineAtMs, deadlineFromMs), ofAccount))
    .orderBy(desc(disputes.seq))
    .limit(1)
    .get()
}

/** Throws 404 NOT_FOUND if no dispute has the id. */
export function requireDispute(db: Db, id: string): Dispute {
  const dispute = findDispute(db, id)
  if (dispute === undefined)
    throw new ApiError('NOT_FOUND', { object: 'dispute', id }, { message: `There is no dispute ${id}.` })
  return dispute
}

// What the handlers of the endpoints share.

export interface Call {
  unit: Unit
  caller: Caller & { credential: NonNullable<Caller['credential']> }
  /** The files of a multipart body. */
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

/** The setting `fiat_chain` decides about a chain with BRL or MXN. */
export const chainFor = ({ unit: { config } }: Call, currency: Currency, chain: string | undefined) =>
  config.fiatChain === 'ignore' && chainsOf(currency).length === 0 ? null : requireChain(currency, chain)

/**
 * Returns the chain. Throws 400 MISSING_REQUIRED_FIELD if crypto has none, 422 UNSUPPORTED_CHAIN `{supported}` if it is
 * the wrong one or the currency is fiat.
 */
function requireChain(currency: Currency, chain: string | undefined): Network | null {
  return requireSupported('chain', currency, chain, chainsOf(currency), false)
}

/** Returns the network of a cash-out. A currency with only one network does not require the field. Throws 400 MISSING_REQUIRED_FIELD, or 422 UNSUPPORTED_CHAIN `{supported}`. */
export function requireNetwork(currency: Currency, network: string | undefined): Network | null {
  return requireSupported('network', currency, network, networksOf(currency), true)
}

function requireSupported(
  field: string,
  currency: Currency,
  name: string | undefined,
  supported: readonly Network[],
  canBeInferred: boolean,
): Network | null {
  if (name === undefined) {
    const [first] = supported
    if (first === undefined) return null
    if (canBeInferred && supported.length === 1) return first
    throw new ApiError(
      'MISSING_REQUIRED_FIELD',
      { field, supported },
      { message: `${field} is required for ${currency}.` },
    )
  }
  const found = supported.find((one) => one === name)
  if (found !== undefined) return found
  throw new ApiError('UNSUPPORTED_CHAIN', { field, supported })
}

/** Returns a CPF or CNPJ without punctuation; throws 422 INVALID_VALUE. */
export function parseDocument(text: string | undefined, field: string): string | undefined {
  if (text === undefined) return undefined
  if (isDocument(text)) return normalizeDocument(text)
  throw new ApiError(
    'INVALID_VALUE',
    { field, rule: 'must be a valid CPF or CNPJ' },
    { message: `${field} must be a valid CPF or CNPJ.` },
  )
}
