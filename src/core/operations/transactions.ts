/** Finding transactions: cash-ins, cash-outs, transfers and conversions share one table. */
import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { ApiError } from '../../protocol/api/errors.js'
import type { ObjectKind } from '../../protocol/api/transitions.js'
import { type Db, prepared, reader } from '../../store/db.js'
import { accounts, type TransactionDetail, transactions } from '../../store/schema.js'

export type Transaction = typeof transactions.$inferSelect
export type TransactionType = Exclude<ObjectKind, 'wallet' | 'dispute'>
export type { TransactionDetail }

const byId = prepared((orm) =>
  orm
    .select()
    .from(transactions)
    .where(eq(transactions.id, sql.placeholder('id')))
    .prepare(),
)
/** Of a new charge there is none: finding that out must be cheap. */
const idByExternalId = reader<{ id: string }>('select id from transactions where account_seq = ? and external_id = ?')
const ofTypeByExternalId = prepared((orm) =>
  orm
    .select()
    .from(transactions)
    .where(
      and(
        // Names every account, so that the index over (account, external_id) serves.
        inArray(transactions.accountSeq, orm.select({ seq: accounts.seq }).from(accounts)),
        eq(transactions.externalId, sql.placeholder('externalId')),
        eq(transactions.type, sql.placeholder('type')),
      ),
    )
    .limit(2)
    .prepare(),
)
const newestIn = prepared((orm) =>
  orm
    .select()
    .from(transactions)
    .where(and(eq(transactions.type, sql.placeholder('type')), eq(transactions.status, sql.placeholder('status'))))
    .orderBy(desc(transactions.seq))
    .limit(1)
    .prepare(),
)

export const findTransaction = (db: Db, id: string): Transaction | undefined => byId(db).get({ id })
export function findByExternalId(db: Db, accountSeq: number, externalId: string): Transaction | undefined {
  const found = idByExternalId(db, accountSeq, externalId)[0]
  return found === undefined ? undefined : findTransaction(db, found.id)
}
export const newestTransaction = (db: Db, type: TransactionType, status: string): Transaction | undefined =>
  newestIn(db).get({ type, status })

/** By its own id, or by an `external_id` that only one transaction of that type bears; 404 NOT_FOUND else. */
export function requireTransaction(db: Db, type: TransactionType, id: string): Transaction {
  const own = findTransaction(db, id)
  if (own?.type === type) return own
  const [first, second] = ofTypeByExternalId(db).all({ externalId: id, type })
  if (first !== undefined && second === undefined) return first
  const message =
    second === undefined
      ? `There is no ${type} ${id}.`
      : `More than one ${type} has the external_id ${id}: name it by its own id.`
  throw new ApiError('NOT_FOUND', { object: type, id }, { message })
}
