/** Finds what an action is done to: the object that is named, or the newest that it is allowed on; and what is allowed on an object. */
import { desc, eq } from 'drizzle-orm'
import { ApiError } from '../../protocol/api/errors.js'
import { type ObjectKind, statusesOf } from '../../protocol/api/transitions.js'
import { type ActionName, actionTable } from '../../protocol/control/actions.js'
import { statusesFor } from '../../protocol/control/ways.js'
import type { Db } from '../../store/db.js'
import { transactions, wallets } from '../../store/schema.js'
import type { Unit } from '../workspace/unit.js'
import * as dispute from './dispute.js'
import { newestDispute, requireDispute, runningDispute } from './disputes.js'
import { newestTransaction, requireTransaction, type Transaction, type TransactionType } from './transactions.js'
import { allowedOn, type Subject, statusOf, subjectId, type Wallet } from './transition.js'

/** The database and the business time to judge by. */
type Moment = Pick<Unit, 'db' | 'atMs'>

/** The object that `id` names for this action, or the newest that it is allowed on; 404 NOT_FOUND. */
export function findSubject(unit: Moment, name: ActionName, id: string | undefined): Subject {
  const kind: ObjectKind = actionTable[name].subject
  const subject = id === undefined ? newestAllowed(unit, name, kind) : named(unit.db, kind, id)
  if (subject !== undefined) return subject
  if (id !== undefined)
    throw new ApiError('NOT_FOUND', { object: kind, action: name, id }, { message: `There is no ${kind} ${id}.` })
  const newest = newestOf(unit.db, kind)
  const there = newest === undefined ? 'there is none' : `the newest, ${newest.id}, is ${newest.status}`
  throw new ApiError(
    'NOT_FOUND',
    { object: kind, action: name, newest: newest ?? null },
    { message: `There is no ${kind} that ${name} is possible on: ${there}.` },
  )
}

/** Of that kind, whatever has become of it. */
function newestOf(db: Db, kind: ObjectKind): { id: string; status: string } | undefined {
  const [newest] = newestInEach(db, kind).sort((one, other) => other.row.seq - one.row.seq)
  return newest === undefined ? undefined : { id: subjectId(newest), status: statusOf(newest) }
}

/** One for each status: an index leads to it, however many there are. */
function newestInEach(db: Db, kind: ObjectKind): Subject[] {
  if (kind === 'wallet') return [newestWallet(db)].flatMap((row) => (row === undefined ? [] : [{ kind, row }]))
  if (kind === 'dispute')
    return statusesOf(kind).flatMap((status) => {
      const row = newestDispute(db, [status], 0)
      return row === undefined ? [] : [{ kind, row }]
    })
  return statusesOf(kind).flatMap((status) => {
    const row = newestTransaction(db, kind, status)
    return row === undefined ? [] : [{ kind, row }]
  })
}

const newestWallet = (db: Db): Wallet | undefined =>
  db.orm.select().from(wallets).orderBy(desc(wallets.seq)).limit(1).get()

function named(db: Db, kind: ObjectKind, id: string): Subject | undefined {
  if (kind === 'dispute') return { kind, row: requireDispute(db, id) }
  if (kind !== 'wallet') return { kind, row: requireTransaction(db, kind, id) }
  const seq = /^\d{1,15}$/.test(id) ? Number(id) : Number.NaN
  const row = Number.isNaN(seq)
    ? db.orm.select().from(wallets).where(eq(wallets.address, id)).get()
    : db.orm.select().from(wallets).where(eq(wallets.seq, seq)).get()
  return row === undefined ? undefined : { kind, row }
}

function newestAllowed(unit: Moment, name: ActionName, kind: ObjectKind): Subject | undefined {
  const { db, atMs } = unit
  if (kind === 'wallet') {
    const row = newestWallet(db)
    return row === undefined ? undefined : { kind, row }
  }
  const from = statusesFor(name)
  if (kind === 'dispute') {
    const row = newestDispute(db, from, name === 'dispute.respond' ? atMs : 0)
    return row === undefined ? undefined : { kind, row }
  }
  const row =
    name === 'dispute.open' ? newestDisputable(db) : newestTransaction(db, kind as TransactionType, from[0] ?? '')
  return row === undefined ? undefined : { kind: kind as TransactionType, row }
}

function newestDisputable(db: Db): Transaction | undefined {
  const recent = db.orm
    .select()
    .from(transactions)
    .where(eq(transactions.status, 'confirmed'))
    .orderBy(desc(transactions.seq))
    .limit(200)
    .all()
  return recent.find((row) => row.type === 'cashin' && dispute.isDisputable({ db }, row))
}

/** The actions that would work on an object now. */
export function allowedActions(unit: Moment, subject: Subject): ActionName[] {
  if (subject.kind === 'wallet') return ['wallet.deposit']
  const allowed = allowedOn(subject.kind, statusOf(subject)) as ActionName[]
  if (subject.kind === 'dispute' && !dispute.isAnswerable(unit, subject.row))
    return allowed.filter((name) => name !== 'dispute.respond')
  if (subject.kind !== 'cashin' || subject.row.status !== 'confirmed') return allowed
  const { row } = subject
  // While a dispute holds the money, neither a refund nor a second dispute is possible.
  if (runningDispute(unit.db, row.id) !== undefined) return allowed.filter((name) => name !== 'cashin.refund')
  return dispute.isDisputable(unit, row) ? [...allowed, 'dispute.open'] : allowed
}
