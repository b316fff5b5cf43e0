/** The objects that a run is about: finding them, and what `${charge.amount}` says of them. */
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

/** Any object by its own id, or a transaction by an `external_id` that only one bears; 404 NOT_FOUND. */
export const requireAnyObject = (db: Db, id: string): Subject => requireObject(db, objectKinds, id)

/** What `${name.field}` reads: the fields of the faked API, and the account. */
export function fieldsOf(db: Db, subject: Subject): Record<string, unknown> {
  return { ...objectOf(db, subject), status: statusOf(subject) }
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
