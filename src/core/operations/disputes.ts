/** Queries for disputes and their replies. */
import { and, desc, eq, gte, inArray } from 'drizzle-orm'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Db } from '../../store/db.js'
import { finder, inserter, selector } from '../../store/rows.js'
import { disputes, replies } from '../../store/schema.js'

export type Dispute = typeof disputes.$inferSelect
export type Reply = typeof replies.$inferSelect

const byId = finder(disputes, 'where id = ?')
const ofTransaction = selector(disputes, 'where transaction_id = ? order by seq desc')
const repliesOf = selector(replies, 'where dispute_id = ?')

export const insertReply = inserter(replies)
export const findDispute = (db: Db, id: string): Dispute | undefined => byId(db, id)
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
