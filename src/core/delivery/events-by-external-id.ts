/** Finds events by the `external_id` of their transaction. */
import { and, eq, inArray, type SQL } from 'drizzle-orm'
import type { Db } from '../../store/db.js'
import { events, transactions } from '../../store/schema.js'
import { hasExternalId } from '../operations/transactions.js'

/** Goes through the transactions with that id, so that both tables are read by index. */
export const eventsByExternalId = (db: Db, externalId: string): SQL | undefined =>
  and(
    inArray(
      events.subjectId,
      db.orm.select({ id: transactions.id }).from(transactions).where(hasExternalId(db, externalId)),
    ),
    eq(events.externalId, externalId),
  )
