/** Any object of the platform: finding it by what callers name it by, and what all kinds have in common. */
import { ApiError } from '../../protocol/platform/errors.js'
import type { ObjectKind, StatusOf, TransactionType } from '../../protocol/platform/transitions.js'
import type { Db } from '../../store/db.js'
import { finder } from '../../store/rows.js'
import { wallets } from '../../store/schema.js'
import { type Dispute, findDispute } from './disputes.js'
import { bearersOf, findTransaction, type Transaction, type TransactionOf } from './transactions.js'

export type Wallet = typeof wallets.$inferSelect
export type Subject =
  | { [Type in TransactionType]: { kind: Type; row: TransactionOf<Type> } }[TransactionType]
  | { kind: 'dispute'; row: Dispute }
  | { kind: 'wallet'; row: Wallet }

/** The kind and the row of a transaction belong together, which a compiler does not see through a union. */
export const subjectOf = (row: Transaction): Subject => ({ kind: row.type, row }) as Subject

export function subjectId(subject: Subject): string {
  return subject.kind === 'wallet' ? String(subject.row.seq) : subject.row.id
}

export function statusOf(subject: Subject): StatusOf<ObjectKind> {
  return subject.kind === 'wallet' ? 'created' : subject.row.status
}

const walletBySeq = finder(wallets, 'where seq = ?')
const walletByAddress = finder(wallets, 'where address = ?')

/** By its number, or by the address that it takes money at. */
export function findWallet(db: Db, id: string): Wallet | undefined {
  return /^\d{1,15}$/.test(id) ? walletBySeq(db, Number(id)) : walletByAddress(db, id)
}

const newest = finder(wallets, 'order by seq desc')
const newestOf = finder(wallets, 'where account_seq = ? order by seq desc')

/** Of one account, or of any. */
export const newestWallet = (db: Db, accountSeq: number | null): Wallet | undefined =>
  accountSeq === null ? newest(db) : newestOf(db, accountSeq)

/** The object of one of these kinds whose own id this is. */
export function findObject(db: Db, kinds: readonly ObjectKind[], id: string): Subject | undefined {
  const transaction = findTransaction(db, id)
  if (transaction !== undefined && kinds.includes(transaction.type)) return subjectOf(transaction)
  const dispute = kinds.includes('dispute') ? findDispute(db, id) : undefined
  if (dispute !== undefined) return { kind: 'dispute', row: dispute }
  const wallet = kinds.includes('wallet') ? findWallet(db, id) : undefined
  return wallet === undefined ? undefined : { kind: 'wallet', row: wallet }
}

/** The same, or the transaction of these kinds that alone bears it as `external_id`; 404 NOT_FOUND. */
export function requireObject(db: Db, kinds: readonly ObjectKind[], id: string): Subject {
  const own = findObject(db, kinds, id)
  if (own !== undefined) return own
  const [only] = kinds
  const what = only !== undefined && kinds.length === 1 ? only : 'object'
  return subjectOf(requireBearer(db, id, what, (row) => kinds.includes(row.type)))
}

/** Any transaction by its id, or by an `external_id` that it alone bears; 404 NOT_FOUND. */
export const requireAnyTransaction = (db: Db, id: string): Transaction =>
  findTransaction(db, id) ?? requireBearer(db, id, 'transaction', () => true)

export function requireWallet(db: Db, id: string): Wallet {
  const wallet = findWallet(db, id)
  if (wallet === undefined) throw notFound('wallet', id, `There is no wallet ${id}.`)
  return wallet
}

function requireBearer(db: Db, id: string, what: string, fits: (row: Transaction) => boolean): Transaction {
  // An external_id is borne once in an account: only very many accounts could bear it more often than this.
  const bearers = bearersOf(db, id, 100).filter(fits)
  const [first, second] = bearers
  if (first === undefined) throw notFound(what, id, `There is no ${what} ${id}.`)
  if (second === undefined) return first
  throw notFound(what, id, `More than one ${what} has the external_id ${id}: name it by its own id.`)
}

const notFound = (object: string, id: string, message: string) => new ApiError('NOT_FOUND', { object, id }, { message })
