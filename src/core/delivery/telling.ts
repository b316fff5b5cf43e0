/** Finding events by what the caller named their transaction. */
import { and, eq, inArray, type SQL } from 'drizzle-orm'
import type { Db } from '../../store/db.js'
import { events, transactions } from '../../store/schema.js'
import { bearing } from '../operations/transactions.js'

/** By way of the transactions that bear it, so that an index serves at both ends. */
export const tellingOf = (db: Db, externalId: string): SQL | undefined =>
  and(
    inArray(events.subjectId, db.orm.select({ id: transactions.id }).from(transactions).where(bearing(db, externalId))),
    eq(events.externalId, externalId),
  )
