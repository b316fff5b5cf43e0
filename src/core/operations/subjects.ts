/**
 * Finds the object for an action: the named one, or the newest that allows the action. Also lists the actions that an
 * object allows.
 */

import { and, eq } from 'drizzle-orm'
import { type ActionName, actionTable } from '../../protocol/actions/actions.js'
import { statusesFor } from '../../protocol/actions/creation-steps.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { type ObjectKind, statusesOf } from '../../protocol/platform/transitions.js'
import type { Db } from '../../store/db.js'
import { transactions } from '../../store/schema.js'
import type { Unit } from '../unit/unit.js'
import * as dispute from './dispute.js'
import {
  type Cashin,
  newestDispute,
  newestTransaction,
  newestWallet,
  requireObject,
  runningDispute,
  type Subject,
  selectTransactions,
  statusOf,
  subjectId,
  subjectOf,
} from './transactions.js'
import { allowedOn } from './transition.js'

/** The database and the business time for the checks. */
type Moment = Pick<Unit, 'db' | 'atMs'>

/** Returns the object with this `id`, or the newest one that allows the action, of one account or of any; throws 404 NOT_FOUND. */
export function findSubject(
  unit: Moment,
  name: ActionName,
  id: string | undefined,
  accountSeq: number | null = null,
): Subject {
  const kind: ObjectKind = actionTable[name].subject
  if (id !== undefined) return requireObject(unit.db, [kind], id)
  const subject = newestAllowed(unit, name, kind, accountSeq)
  if (subject !== undefined) return subject
  const newest = newestOf(unit.db, kind, accountSeq)
  const newestText = newest === undefined ? 'none exists' : `the newest, ${newest.id}, is ${newest.status}`
  throw new ApiError(
    'NOT_FOUND',
    { object: kind, action: name, newest: newest ?? null },
    { message: `No ${kind} allows ${name}: ${newestText}.` },
  )
}

/** Returns the newest object of the kind, whatever its status. */
function newestOf(db: Db, kind: ObjectKind, accountSeq: number | null): { id: string; status: string } | undefined {
  const [newest] = newestInEach(db, kind, accountSeq).sort((one, other) => other.row.seq - one.row.seq)
  return newest === undefined ? undefined : { id: subjectId(newest), status: statusOf(newest) }
}

/** Returns the newest object in each status: one index lookup each, however many objects exist. */
function newestInEach(db: Db, kind: ObjectKind, accountSeq: number | null): Subject[] {
  if (kind === 'wallet')
    return [newestWallet(db, accountSeq)].flatMap((row) => (row === undefined ? [] : [{ kind, row }]))
  if (kind === 'dispute')
    return statusesOf(kind).flatMap((status) => {
      const row = newestDispute(db, [status], 0, accountSeq)
      return row === undefined ? [] : [{ kind, row }]
    })
  return statusesOf(kind).flatMap((status) => {
    const row = newestTransaction(db, kind, status, accountSeq)
    return row === undefined ? [] : [subjectOf(row)]
  })
}

function newestAllowed(
  unit: Moment,
  name: ActionName,
  kind: ObjectKind,
  accountSeq: number | null,
): Subject | undefined {
  const { db, atMs } = unit
  if (kind === 'wallet') {
    const row = newestWallet(db, accountSeq)
    return row === undefined ? undefined : { kind, row }
  }
  const from = statusesFor(name)
  if (kind === 'dispute') {
    const row = newestDispute(
      db,
      statusesOf(kind).filter((status) => from.includes(status)),
      name === 'dispute.respond' ? atMs : 0,
      accountSeq,
    )
    return row === undefined ? undefined : { kind, row }
  }
  const row =
    name === 'dispute.open' ? newestDisputable(db, accountSeq) : newestTransaction(db, kind, from[0] ?? '', accountSeq)
  return row === undefined ? undefined : subjectOf(row)
}

function newestDisputable(db: Db, accountSeq: number | null): Cashin | undefined {
  const ofAccount = accountSeq === null ? undefined : eq(transactions.accountSeq, accountSeq)
  const confirmed = and(eq(transactions.type, 'cashin'), eq(transactions.status, 'confirmed'), ofAccount)
  const recent = selectTransactions(db, confirmed, 200)
  return recent.find((row): row is Cashin => row.type === 'cashin' && dispute.isDisputable({ db }, row))
}

/** Returns the actions that the object allows now. */
export function allowedActions(unit: Moment, subject: Subject): ActionName[] {
  if (subject.kind === 'wallet') return ['wallet.deposit']
  const allowedNow = allowedOn(subject.kind, statusOf(subject)) as ActionName[]
  if (subject.kind === 'dispute' && !dispute.isAnswerable(unit, subject.row))
    return allowedNow.filter((name) => name !== 'dispute.respond')
  if (subject.kind !== 'cashin' || subject.row.status !== 'confirmed') return allowedNow
  const { row } = subject
  // While a dispute blocks the money, neither a refund nor a second dispute is possible.
  if (runningDispute(unit.db, row.id) !== undefined) return allowedNow.filter((name) => name !== 'cashin.refund')
  return dispute.isDisputable(unit, row) ? [...allowedNow, 'dispute.open'] : allowedNow
}
