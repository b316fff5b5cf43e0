/** The objects of a run: finding them, and reading their fields for `${charge.amount}`. */
import { and, eq } from 'drizzle-orm'
import { objectKinds } from '../../protocol/platform/transitions.js'
import type { Db } from '../../store/db.js'
import type { ObjectRef } from '../../store/run-state.js'
import { transactions } from '../../store/schema.js'
import {
  findObject,
  findTransaction,
  requireObject,
  type Subject,
  statusOf,
  subjectId,
} from '../operations/transactions.js'
import { objectOf } from '../operations/views.js'

export const refOf = (subject: Subject): ObjectRef => ({ kind: subject.kind, id: subjectId(subject) })

export const findRef = (db: Db, ref: ObjectRef): Subject | undefined => findObject(db, [ref.kind], ref.id)

/** Returns an object by its own id, or a transaction by an `external_id` that no other has; throws 404 NOT_FOUND. */
export const requireAnyObject = (db: Db, id: string): Subject => requireObject(db, objectKinds, id)

/** Returns the fields that `${name.field}` can read: those of the platform API, and the account. */
export function fieldsOf(db: Db, subject: Subject): Record<string, unknown> {
  return { ...objectOf(db, subject), status: statusOf(subject) }
}

/** A transfer has a second transaction, the recipient's, with its own event. */
export function relatedIds(db: Db, ref: ObjectRef): string[] {
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
