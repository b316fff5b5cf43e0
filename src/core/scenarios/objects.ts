/** The objects that a run is about: finding them, and what `${charge.amount}` says of them. */
import { and, eq } from 'drizzle-orm'
import { ApiError } from '../../protocol/api/errors.js'
import type { Db } from '../../store/db.js'
import type { ObjectRef } from '../../store/run-state.js'
import { transactions, wallets } from '../../store/schema.js'
import { findDispute } from '../operations/disputes.js'
import { findTransaction, type TransactionType } from '../operations/transactions.js'
import { type Subject, statusOf, subjectId } from '../operations/transition.js'
import { objectFields } from '../operations/views.js'

export const refOf = (subject: Subject): ObjectRef => ({ kind: subject.kind, id: subjectId(subject) })

export function findObject(db: Db, ref: ObjectRef): Subject | undefined {
  if (ref.kind === 'dispute') {
    const row = findDispute(db, ref.id)
    return row === undefined ? undefined : { kind: 'dispute', row }
  }
  if (ref.kind === 'wallet') {
    const row = db.orm
      .select()
      .from(wallets)
      .where(eq(wallets.seq, Number(ref.id)))
      .get()
    return row === undefined ? undefined : { kind: 'wallet', row }
  }
  const row = findTransaction(db, ref.id)
  return row === undefined ? undefined : { kind: ref.kind, row }
}

/** Any object by its own id, or a transaction by an `external_id` that only one bears; 404 NOT_FOUND. */
export function requireAnyObject(db: Db, id: string): Subject {
  const transaction = findTransaction(db, id)
  if (transaction !== undefined) return { kind: transaction.type as TransactionType, row: transaction }
  const dispute = findDispute(db, id)
  if (dispute !== undefined) return { kind: 'dispute', row: dispute }
  const wallet = /^\d{1,15}$/.test(id) ? findObject(db, { kind: 'wallet', id }) : undefined
  if (wallet !== undefined) return wallet
  const named = db.orm.select().from(transactions).where(eq(transactions.externalId, id)).limit(2).all()
  if (named[0] !== undefined && named[1] === undefined) return { kind: named[0].type as TransactionType, row: named[0] }
  throw new ApiError(
    'NOT_FOUND',
    { object: 'any', id },
    { message: `There is no transaction, dispute or wallet ${id}.` },
  )
}

/** What `${name.field}` reads: the fields of the faked API, and the account. */
export function fieldsOf(db: Db, subject: Subject): Record<string, unknown> {
  return { ...objectFields(db, subject), status: statusOf(subject) }
}

/** A transfer has a second side, with an event of its own. */
export function idsTouched(db: Db, ref: ObjectRef): string[] {
  if (ref.kind !== 'transfer') return [ref.id]
  const sent = findTransaction(db, ref.id)
  if (sent === undefined) return [ref.id]
  const other = db.orm
    .select()
    .from(transactions)
    .where(and(eq(transactions.seq, sent.seq + 1), eq(transactions.type, 'transfer')))
    .get()
  return other === undefined ? [ref.id] : [ref.id, other.id]
}
