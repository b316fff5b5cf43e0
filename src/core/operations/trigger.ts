/**
 * Performs actions for every caller: finds the object (the named one, or the newest that allows the action), and lists
 * the actions that an object allows.
 */

import type * as z from 'zod'
import { isKeyOf } from '../../base/keys.js'
import { didYouMean, nearest } from '../../base/text.js'
import { fieldAt } from '../../base/unknown.js'
import { type ActionName, type ActionParams, actionNames, actionTable } from '../../protocol/actions/actions.js'
import { statusesFor } from '../../protocol/actions/creation-steps.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { type ObjectKind, statusesOf } from '../../protocol/platform/transitions.js'
import type { Db } from '../../store/db.js'
import { type Condition, given } from '../../store/rows.js'
import type { Unit } from '../unit/unit.js'
import type { EmittedEvent } from '../webhooks/outbox.js'
import * as cashin from './cashin.js'
import * as cashout from './cashout.js'
import * as conversion from './conversion.js'
import * as dispute from './dispute.js'
import {
  type Cashin,
  type Dispute,
  newestDispute,
  newestTransaction,
  newestWallet,
  requireObject,
  runningDispute,
  type Subject,
  selectTransactions,
  subjectOf,
} from './transactions.js'
import { allowedOn, statusOf, subjectId } from './transition.js'
import { objectOf, type PlatformObject } from './views.js'
import * as wallet from './wallet.js'

/** `object` has the fields of the platform API, as they are after the action. */
export interface TriggerResult {
  action: ActionName
  object: PlatformObject
  events: EmittedEvent[]
  /** The object that the action changed or created. */
  subject: Subject
}

type SubjectKind<Name extends ActionName> = (typeof actionTable)[Name]['subject']
type RowOf<Kind extends ObjectKind> = Extract<Subject, { kind: Kind }>['row']
/** Returns the object that the action created, if it created one. */
type ActionHandler<Name extends ActionName> = (
  unit: Unit,
  row: RowOf<SubjectKind<Name>>,
  params: ActionParams<Name>,
) => { events: EmittedEvent[]; created?: Subject }

const decisionHandler = (decision: dispute.Decision) => (unit: Unit, row: Dispute) =>
  dispute.decide(unit, row, decision)

const actionHandlers: { [Name in ActionName]: ActionHandler<Name> } = {
  'cashin.pay': cashin.pay,
  'cashin.expire': cashin.expire,
  'cashin.refund': cashin.refund,
  'cashout.confirm': cashout.confirm,
  'cashout.fail': cashout.fail,
  'cashout.refund': cashout.refund,
  'conversion.refund': conversion.refund,
  'wallet.deposit': (unit, row, params) => {
    const { cashin: deposited, events } = wallet.deposit(unit, row, params)
    return { events, created: { kind: 'cashin', row: deposited } }
  },
  'dispute.open': (unit, row, params) => {
    const { dispute: opened, events } = dispute.open(unit, row, params)
    return { events, created: { kind: 'dispute', row: opened } }
  },
  'dispute.respond': (unit, row, params) =>
    dispute.respond(unit, row, { message: params.message ?? 'The purchase was delivered.', files: [] }),
  'dispute.confirm': decisionHandler('confirm'),
  'dispute.win': decisionHandler('win'),
  'dispute.lose': decisionHandler('lose'),
  'dispute.cancel': decisionHandler('cancel'),
}

/**
 * Performs an action on the object that `id` names, or, without an id, on the newest object that allows it (of the
 * account, if one is given). Throws 422 INVALID_VALUE for an unknown action or parameter, 404 NOT_FOUND, 409
 * INVALID_TRANSITION.
 */
export function trigger(
  unit: Unit,
  action: string,
  id: string | undefined,
  params: Record<string, unknown>,
  accountSeq: number | null = null,
): TriggerResult {
  const name = requireAction(action)
  const checked = checkParams(name, params)
  const found = findSubject(unit, name, id, accountSeq)
  // The row was found for this action and the parameters were validated by its schema, so all three match.
  const act = actionHandlers[name] as (
    unit: Unit,
    row: Subject['row'],
    params: unknown,
  ) => ReturnType<ActionHandler<ActionName>>
  const { events, created: subject = found } = addAllowedActionsToError(unit, found, () =>
    act(unit, found.row, checked),
  )
  return { action: name, object: objectOf(unit.db, subject), events, subject }
}

/** Adds to an error the actions that the object allows now, including `dispute.open` on a charge. */
function addAllowedActionsToError<T>(unit: Unit, subject: Subject, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'INVALID_TRANSITION') throw error
    throw new ApiError(error.code, { ...error.details, allowed: allowedActions(unit, subject) }, error.message)
  }
}

export function requireAction(action: string): ActionName {
  // The keys of the table are the names of the actions.
  if (isKeyOf(actionTable, action)) return action
  const guess = nearest(action, actionNames)
  const message = `There is no action ${action}${didYouMean(guess)}`
  throw new ApiError(
    'INVALID_VALUE',
    {
      field: 'action',
      rule: 'must be the name of an action',
      actions: actionNames,
      ...(guess === null ? {} : { did_you_mean: guess }),
    },
    message,
  )
}

/** Validates the parameters of an action; an unknown one is an error, never ignored. */
export function checkParams(name: ActionName, params: Record<string, unknown>): Record<string, unknown> {
  const schema: z.ZodObject = actionTable[name].params()
  const result = schema.safeParse(params)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const known = Object.keys(schema.shape)
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const field = [...issue.path, key].join('.')
    const guess = nearest(key, known)
    const rule = `is not a parameter of ${name}${didYouMean(guess)}`
    throw new ApiError('INVALID_VALUE', { field, rule, parameters: known }, `${field} ${rule}`)
  }
  const field = issue?.path.join('.') ?? ''
  if (issue?.path.reduce<unknown>(fieldAt, params) === undefined)
    throw new ApiError('MISSING_REQUIRED_FIELD', { field }, `${name} requires ${field}.`)
  throw new ApiError(
    'INVALID_VALUE',
    { field, rule: issue?.message ?? 'invalid' },
    `${field}: ${issue?.message ?? 'invalid'}`,
  )
}

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
  const newest = newestOf(unit, kind, accountSeq)
  const newestText = newest === undefined ? 'none exists' : `the newest, ${newest.id}, is ${newest.status}`
  throw new ApiError(
    'NOT_FOUND',
    { object: kind, action: name, newest: newest ?? null },
    `No ${kind} allows ${name}: ${newestText}.`,
  )
}

/** Returns the newest object of the kind, whatever its status. Each status takes one index lookup, however many objects exist. */
function newestOf(
  unit: Moment,
  kind: ObjectKind,
  accountSeq: number | null,
): { id: string; status: string } | undefined {
  const inEach = statusesOf(kind).flatMap((status) => newestIn(unit, kind, [status], accountSeq) ?? [])
  const [newest] = inEach.sort((one, other) => other.row.seq - one.row.seq)
  return newest === undefined ? undefined : { id: subjectId(newest), status: statusOf(newest) }
}

/** Returns the newest object of the kind in the status, or a dispute in one of the statuses, with its deadline at or after that time. */
function newestIn(
  { db }: Moment,
  kind: ObjectKind,
  statuses: readonly string[],
  accountSeq: number | null,
  deadlineFromMs = 0,
): Subject | undefined {
  if (kind === 'wallet') {
    const row = newestWallet(db, accountSeq)
    return row && { kind, row }
  }
  if (kind === 'dispute') {
    const row = newestDispute(db, statuses, deadlineFromMs, accountSeq)
    return row && { kind, row }
  }
  const row = newestTransaction(db, kind, statuses[0] ?? '', accountSeq)
  return row && subjectOf(row)
}

function newestAllowed(unit: Moment, name: ActionName, kind: ObjectKind, accountSeq: number | null) {
  if (name !== 'dispute.open')
    return newestIn(unit, kind, statusesFor(name), accountSeq, name === 'dispute.respond' ? unit.atMs : 0)
  const row = newestDisputable(unit.db, accountSeq)
  return row && subjectOf(row)
}

function newestDisputable(db: Db, accountSeq: number | null): Cashin | undefined {
  const confirmed: Condition[] = [["type = 'cashin' and status = 'confirmed'"], ...given('account_seq = ?', accountSeq)]
  const recent = selectTransactions(db, confirmed, 200)
  return recent.find((row): row is Cashin => row.type === 'cashin' && dispute.isDisputable({ db }, row))
}

export function allowedActions(unit: Moment, subject: Subject): ActionName[] {
  if (subject.kind === 'wallet') return ['wallet.deposit']
  // Each public transition of an object is an action.
  const allowedNow = allowedOn(subject.kind, statusOf(subject)) as ActionName[]
  if (subject.kind === 'dispute' && !dispute.isAnswerable(unit, subject.row))
    return allowedNow.filter((name) => name !== 'dispute.respond')
  if (subject.kind !== 'cashin' || subject.row.status !== 'confirmed') return allowedNow
  const { row } = subject
  // While a dispute blocks the money, neither a refund nor a second dispute is possible.
  if (runningDispute(unit.db, row.id) !== undefined) return allowedNow.filter((name) => name !== 'cashin.refund')
  return dispute.isDisputable(unit, row) ? [...allowedNow, 'dispute.open'] : allowedNow
}
