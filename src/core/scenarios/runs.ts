/**
 * Runs in the database: creating, saving, listing, showing, and the objects that a run knows, by name and for
 * `${charge.amount}`.
 */
import { secondMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { rowAt } from '../../base/keys.js'
import { type ActionName, actionTable } from '../../protocol/actions/actions.js'
import type { RunStatus, StartedBy } from '../../protocol/control/scenarios.js'
import { ApiError, orNotFound } from '../../protocol/platform/errors.js'
import { type ObjectKind, objectKinds } from '../../protocol/platform/transitions.js'
import { type Scenario, type Step, stepKey } from '../../protocol/scenario/file.js'
import { createdByCall } from '../../protocol/scenario/problems.js'
import type { ParamValue } from '../../protocol/scenario/values.js'
import type { ObjectRef, RunState } from '../../store/columns.js'
import { type Db, lastSeqReader, reader } from '../../store/db.js'
import { finder, given, inserter, lister, updater } from '../../store/rows.js'
import { runs } from '../../store/schema.js'
import { accountOf } from '../auth/authenticate.js'
import { cancelJobs, nextDueOf } from '../jobs/jobs.js'
import { lastPosting } from '../ledger/ledger.js'
import {
  findDispute,
  findObject,
  findTransaction,
  requireObject,
  runningDispute,
  type Subject,
} from '../operations/transactions.js'
import { statusOf, subjectId } from '../operations/transition.js'
import { objectOf } from '../operations/views.js'
import type { Unit, Workspace } from '../unit/unit.js'
import { setDeliveryFaults } from '../webhooks/faults.js'
import { valueAt } from './references.js'

export type Run = typeof runs.$inferSelect

export type StepOutcome =
  | { kind: 'passed' | 'skipped' | 'failed'; detail: string | null }
  /** Run the step again at `untilMs` or, if `expecting`, as soon as something changes. */
  | { kind: 'waiting'; untilMs: number; expecting: boolean; detail: string | null }

const insertRun = inserter(runs)
export const findRun = finder(runs, 'where id = ?')

/** Throws 404 NOT_FOUND. */
export const requireRun = (db: Db, id: string): Run => orNotFound(findRun(db, id), 'run', id)

/** Where the run starts: earlier transactions, postings and events are not its own. */
export interface Origin {
  afterTransaction: number
  afterPosting: number
  afterEvent: number
}

const lastTransaction = lastSeqReader('transactions')
const lastEvent = lastSeqReader('events')

export const originOf = (db: Db): Origin => ({
  afterTransaction: lastTransaction(db),
  afterPosting: lastPosting(db),
  afterEvent: lastEvent(db),
})

interface NewRun {
  scenario: Scenario
  steps: Step[]
  startedBy: StartedBy
  accountSeq: number
  params: Record<string, ParamValue>
  kind: ObjectKind | null
  origin: Origin
}

export function newRun(unit: Unit, options: NewRun): Run {
  const { seq, id } = unit.ids.next('runs')
  const state: RunState = {
    params: options.params,
    currentStep: 0,
    untilMs: null,
    expecting: false,
    kind: options.kind,
    takesNewest: options.startedBy === 'run',
    currentObjects: {},
    lastObject: null,
    objects: [],
    names: {},
    faults: {},
    deliveryFaults: null,
    answer: null,
    ...options.origin,
    heldSettles: [],
    settleAfterRun: options.scenario.settle ?? 'auto',
  }
  const run: Run = {
    seq,
    id,
    scenario: options.scenario.name,
    status: 'running',
    startedBy: options.startedBy,
    accountSeq: options.accountSeq,
    subjectId: null,
    steps: options.steps,
    results: options.steps.map((step) => ({ step: stepKey(step), status: 'pending', atMs: null, detail: null })),
    state,
    createdAtMs: unit.atMs,
    finishedAtMs: null,
  }
  insertRun(unit.db, run)
  return run
}

const update = updater(runs, ['status', 'results', 'state', 'subjectId', 'finishedAtMs'])

export function saveRun(unit: Unit, run: Run): void {
  const { seq, status, state } = run
  update(unit.db, seq, run)
  unit.publishChange({ type: 'run', id: run.id, status, scenario: run.scenario, step: state.currentStep })
}

const caughtWith = reader<{ seq: number }>(
  `select seq from runs where subject_id = ? and scenario = ? and started_by <> 'run' limit 1`,
)

/** Returns whether an earlier call has started the scenario on this object. */
export const hasStartedOn = (db: Db, subjectId: string, scenario: string): boolean =>
  caughtWith(db, subjectId, scenario).length > 0

export function listRuns(
  db: Db,
  filter: { scenario: string | null; status: RunStatus | null; belowSeq: number; limit: number },
): Run[] {
  const conditions = [...given('scenario = ?', filter.scenario), ...given('status = ?', filter.status)]
  return newestRuns(db, [['seq < ?', filter.belowSeq], ...conditions], filter.limit)
}

const newestRuns = lister(runs, 'order by seq desc limit ?')

const iso = (atMs: number | null) => (atMs === null ? null : isoUtc(atMs))

/** Returns the run as the control API shows it. `vars` are the params and the ids of named objects. */
export function runFields(db: Db, run: Run) {
  const { params, names, lastObject: current } = run.state
  const ids = Object.entries(names).map(([name, ref]) => [name, ref?.id ?? null])
  return {
    id: run.id,
    scenario: run.scenario,
    status: run.status,
    started_by: run.startedBy,
    account: accountOf(db, run.accountSeq).username,
    steps: run.results.map(({ step, status, atMs, detail }, index) => ({
      step,
      params: Object.values(run.steps[index] ?? {})[0] ?? null,
      status,
      at: iso(atMs),
      detail,
    })),
    vars: { ...params, ...Object.fromEntries(ids), subject: run.subjectId ?? current?.id ?? null },
    started_at: isoUtc(run.createdAtMs),
    finished_at: iso(run.finishedAtMs),
  }
}

// Waits until the events of a run have had their first attempt: for a response that must follow its webhooks.

/** Bounded: the receiver itself may wait for this response before it acknowledges. */
const maxWaitMs = 15 * secondMs

/** Resolves when the run cannot continue without time passing, and every due event was sent once. */
export function whenEventsSent(ws: Workspace, runId: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!ws.closed && !areEventsSent(ws, runId)) return
      stop()
      unsubscribe()
      resolve()
    }
    const stop = ws.callAfter(maxWaitMs, () => {
      unsubscribe()
      resolve()
    })
    const unsubscribe = ws.bus.subscribe((change) => {
      if (change.type === 'webhook' || change.type === 'run' || change.type === 'workspace') look()
    })
    look()
  })
}

function areEventsSent(ws: Workspace, runId: string): boolean {
  const run = findRun(ws.db, runId)
  if (run === undefined) return true
  const nowMs = ws.clock.now()
  const dueAtMs = run.status === 'running' ? nextDueOf(ws.db, 'scenario', runId) : null
  if (dueAtMs !== null && dueAtMs <= nowMs) return false
  return unsentEvent(ws.db, JSON.stringify(run.state.objects), nowMs).length === 0
}

const unsentEvent = reader(`select 1 as one from events where subject_id in (select value from json_each(?))
  and status = 'pending' and attempts = 0 and next_attempt_at_ms <= ? limit 1`)

/** Adds an object to the run and makes it the current one; steps refer to it by the name `as`. */
export function addRunObject(unit: Unit, run: Run, ref: ObjectRef, as?: string): void {
  const { state } = run
  state.currentObjects[ref.kind] = ref
  state.lastObject = ref
  run.subjectId ??= ref.id
  if (as !== undefined) state.names[as] = ref
  const charge = ref.kind === 'dispute' ? findDispute(unit.db, ref.id)?.transactionId : undefined
  if (charge !== undefined) state.currentObjects.cashin ??= { kind: 'cashin', id: charge }
  const ids = [...relatedIds(unit.db, ref), ...(charge === undefined ? [] : [charge])]
  for (const id of ids.filter((one) => !state.objects.includes(one))) {
    state.objects.push(id)
    if (state.deliveryFaults !== null) setDeliveryFaults(unit, id, state.deliveryFaults)
  }
  if (ref.kind === 'cashout') cancelSettling(unit, run, ref.id)
}

/** Returns whether the call that started the run only repeated an earlier one, which had created this object. */
export const isRepeated = (db: Db, { startedBy, state }: Run, id: string): boolean =>
  startedBy !== 'run' && (findTransaction(db, id)?.seq ?? Number.POSITIVE_INFINITY) <= state.afterTransaction

/** What became of an object that the matched call was to create. */
export function creationDetail(db: Db, run: Run, ref: ObjectRef | null): string {
  if (ref === null) return 'not created: the matched call was not executed'
  return isRepeated(db, run, ref.id) ? 'the matched call repeats an earlier one: nothing was created' : createdByCall
}

/** Cancels automatic settling, because the scenario decides the withdrawal. */
function cancelSettling(unit: Unit, run: Run, id: string): void {
  if (run.state.heldSettles.includes(id) || findTransaction(unit.db, id)?.status !== 'pending') return
  cancelJobs(unit, 'settle', id)
  run.state.heldSettles.push(id)
}

/** Returns the object id for an action: the step's, the run's own object of that kind, or undefined for the newest possible one. */
export function targetOf(unit: Unit, run: Run, name: ActionName, id: string | undefined): string | undefined {
  const kind: ObjectKind = actionTable[name].subject
  if (id !== undefined) return kind === 'dispute' ? (runningDispute(unit.db, id)?.id ?? id) : id
  const { currentObjects, takesNewest } = run.state
  const objectId = currentObjects[kind]?.id
  if (objectId !== undefined) return objectId
  const dispute =
    kind === 'dispute' && currentObjects.cashin !== undefined
      ? runningDispute(unit.db, currentObjects.cashin.id)
      : undefined
  if (dispute !== undefined) return dispute.id
  if (takesNewest && run.state.lastObject === null) return undefined
  throw new ApiError('NOT_FOUND', { object: kind }, `The run has no ${kind} to which ${name} can be applied.`)
}

/** Returns the value of `${name}` or `${name.field}` in this run; undefined for an unknown name. */
export function namedValue(unit: Unit, run: Run, reference: string): unknown {
  const { state } = run
  const [name = '', ...rest] = reference.split('.')
  const field = rest.join('.')
  if (name === 'run') return run.id
  const param = rowAt(state.params, name)
  if (param !== undefined) return param
  const ref = Object.hasOwn(state.names, name) ? state.names[name] : name === 'subject' ? state.lastObject : undefined
  if (ref === undefined) return undefined
  if (ref === null) throw new Error(`\${${reference}}: the object does not exist: it was not created`)
  if (field === '') return ref.id
  const subject = findRef(unit.db, ref)
  const fields = subject === undefined ? {} : fieldsOf(unit.db, subject)
  const value = valueAt(fields, field)
  if (value === undefined)
    throw new Error(
      `\${${reference}}: ${field} is not a field of the ${ref.kind}; use one of ${Object.keys(fields).join(', ')}`,
    )
  return value
}

export const refOf = (subject: Subject): ObjectRef => ({ kind: subject.kind, id: subjectId(subject) })

export const findRef = (db: Db, ref: ObjectRef): Subject | undefined => findObject(db, [ref.kind], ref.id)

/** Returns an object by its own id, or a transaction by an `external_id` that no other has; throws 404 NOT_FOUND. */
export const requireAnyObject = (db: Db, id: string): Subject => requireObject(db, objectKinds, id)

/** Returns the fields that `${name.field}` can read: those of the platform API, and the account. */
export function fieldsOf(db: Db, subject: Subject): Record<string, unknown> {
  return { ...objectOf(db, subject), status: statusOf(subject) }
}

/** A transfer has a second transaction, the recipient's, with its own event. */
function relatedIds(db: Db, ref: ObjectRef): string[] {
  if (ref.kind !== 'transfer') return [ref.id]
  const sent = findTransaction(db, ref.id)
  if (sent === undefined) return [ref.id]
  return [ref.id, ...transferAt(db, sent.seq + 1).map(({ id }) => id)]
}

const transferAt = reader<{ id: string }>("select id from transactions where seq = ? and type = 'transfer'")
