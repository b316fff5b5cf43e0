/**
 * Starts runs, on request or by a call that an armed scenario takes, and runs their steps on the workspace's clock.
 * The state of a run is stored in its row.
 */
import { rowAt } from '../../base/keys.js'
import { didYouMean, nearest } from '../../base/text.js'
import { fieldsIn, messageOf } from '../../base/unknown.js'
import type { OperationName } from '../../protocol/platform/endpoints/row.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { ObjectKind } from '../../protocol/platform/transitions.js'
import { type Scenario, type Step, stepKey } from '../../protocol/scenario/file.js'
import { isAction, isFault } from '../../protocol/scenario/steps.js'
import type { ParamValue } from '../../protocol/scenario/values.js'
import type { ObjectRef, RunAnswer } from '../../store/columns.js'
import { listAccounts, requireAccount } from '../auth/account.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import { findTransaction } from '../operations/transactions.js'
import { findSubject } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import type { CallFaults } from '../webhooks/faults.js'
import { objectsOf, type ScenarioMatch, waitingRuns } from './arms.js'
import { parseStepValue, replaceReferences, setFault } from './references.js'
import {
  addRunObject,
  creationDetail,
  findRun,
  hasStartedOn,
  newRun,
  type Origin,
  originOf,
  type Run,
  refOf,
  requireAnyObject,
  type StepOutcome,
  saveRun,
} from './runs.js'
import { performStep } from './steps.js'

export interface RunOptions {
  id?: string | undefined
  params?: Record<string, ParamValue> | undefined
  account?: string | undefined
}

/**
 * Starts a scenario, on an object or without one. Its first step runs as a job right after this unit. 404 NOT_FOUND for
 * an unknown object or account, or if no object allows its first action.
 */
export function startRun(unit: Unit, scenario: Scenario, options: RunOptions): Run {
  const steps =
    scenario.steps ??
    (scenario.outcomes ?? []).flatMap((outcome) => [...outcome.steps, ...resetWebhooksAfter(outcome.steps)])
  if (scenario.steps === undefined && options.id !== undefined) throw idNotTakenError(scenario)
  const subject = options.id === undefined ? newestFor(unit, steps) : requireAnyObject(unit.db, options.id)
  const account = options.account === undefined ? listAccounts(unit.db)[0] : requireAccount(unit.db, options.account)
  const accountSeq = subject?.row.accountSeq ?? account?.seq
  if (accountSeq === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const run = newRun(unit, {
    scenario,
    steps,
    startedBy: 'run',
    accountSeq,
    params: paramsOf(scenario, options.params ?? {}),
    kind: options.id === undefined ? null : (subject?.kind ?? null),
    origin: originOf(unit.db),
  })
  if (subject !== undefined) addRunObject(unit, run, refOf(subject))
  saveRun(unit, run)
  schedule(unit, 'scenario', unit.atMs, run.id)
  return run
}

/** Removes the webhook faults of one outcome before the next one. */
const resetWebhooksAfter = (steps: readonly Step[]): Step[] =>
  steps.some((step) => stepKey(step) === 'webhooks') ? [{ webhooks: {} }] : []

const idNotTakenError = ({ name }: Scenario) =>
  new ApiError(
    'INVALID_VALUE',
    {
      field: 'id',
      rule: 'a scenario with `outcomes` creates its own objects and does not accept an id; arm it instead',
    },
    `${name} has outcomes, which create their own objects, so it does not accept an id.`,
  )

/** Returns the newest object that allows the first action, unless the scenario creates or names one. */
function newestFor(unit: Unit, steps: readonly Step[]) {
  const first = steps.find((step) => stepKey(step) === 'create' || isAction(stepKey(step)))
  const name = first === undefined ? 'create' : stepKey(first)
  if (!isAction(name)) return undefined
  const { id, create } = fieldsIn(first?.[name])
  return id === undefined && create !== true ? findSubject(unit, name, undefined) : undefined
}

/** Merges the given params over the defaults; throws 422 INVALID_VALUE for an unknown param. */
function paramsOf(scenario: Scenario, options: Record<string, ParamValue>): Record<string, ParamValue> {
  const defaults = scenario.params ?? {}
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(defaults, name)) continue
    const guess = nearest(name, Object.keys(defaults))
    const rule = `is not a param of ${scenario.name}${didYouMean(guess)}`
    throw new ApiError(
      'INVALID_VALUE',
      { field: `params.${name}`, rule, params: Object.keys(defaults) },
      `params.${name} ${rule}`,
    )
  }
  return { ...defaults, ...options }
}

/** What happens to a call that a scenario takes, before its handler runs, and how many steps this covers. */
export interface Plan {
  intercepted: ScenarioMatch
  faults: CallFaults
  coveredSteps: number
  kind: ObjectKind | null
  origin: Origin
}

const kinds: Readonly<Record<OperationName, ObjectKind>> = {
  cashin: 'cashin',
  cashout: 'cashout',
  wallet: 'wallet',
  transfer: 'transfer',
  conversion: 'conversion',
  dispute_reply: 'dispute',
}

/** Reads the faults from the first steps. */
export function planCall(unit: Unit, intercepted: ScenarioMatch, operation: OperationName | undefined): Plan {
  const kind = operation === undefined ? null : kinds[operation]
  const faults: CallFaults = { respond: null, latencyMs: 0, disconnect: null, deliveryFaults: null }
  const params = intercepted.scenario.params ?? {}
  let leading = 0
  for (const step of intercepted.steps) {
    const name = stepKey(step)
    const value = replaceReferences(step[name], (reference) => rowAt(params, reference))
    if (isFault(name)) setFault(faults, name, parseStepValue(name, value), intercepted.scenario.name)
    else if (name === 'webhooks')
      faults.deliveryFaults = { ...parseStepValue('webhooks', value), scenario: intercepted.scenario.name }
    else if (name !== 'create' || kind === null || fieldsIn(step.create)[kind] === undefined) break
    leading++
  }
  return { intercepted, faults, coveredSteps: leading, kind, origin: originOf(unit.db) }
}

export function describeFaults({ respond, latencyMs, disconnect, deliveryFaults }: CallFaults): string[] {
  const { scenario: _scenario, ...webhooks } = deliveryFaults ?? {}
  return [
    ...(respond === null ? [] : [`respond: ${respond.status} ${respond.code} (not executed)`]),
    ...(latencyMs === 0 ? [] : [`latency: ${latencyMs} ms`]),
    ...(disconnect === 'before' ? ['disconnect: before (not executed)'] : []),
    ...(disconnect === 'after' ? ['disconnect: after (executed, response dropped)'] : []),
    ...(deliveryFaults === null ? [] : [`webhooks: ${JSON.stringify(webhooks)}`]),
  ]
}

export interface CallResult {
  ref: ObjectRef | null
  accountSeq: number
  answer: RunAnswer
}

/**
 * Starts the run that continues after a taken call; null if an earlier call has started it on the same object (a call
 * repeated with its `external_id`).
 */
export function startForCall(unit: Unit, plan: Plan, result: CallResult): Run | null {
  const { intercepted, faults, coveredSteps: leading } = plan
  const { scenario, steps, startedBy } = intercepted
  const { ref } = result
  if (ref !== null && hasStartedOn(unit.db, ref.id, scenario.name)) return null
  const { kind, origin } = plan
  const { accountSeq } = result
  const params = { ...scenario.params }
  const run = newRun(unit, { scenario, steps, startedBy, accountSeq, params, kind, origin })
  const { state } = run
  state.answer = result.answer
  state.deliveryFaults = faults.deliveryFaults
  if (ref !== null) addRunObject(unit, run, ref)
  for (const [index, one] of run.results.slice(0, leading).entries()) {
    const step = steps[index]
    const name = step === undefined ? 'wait' : stepKey(step)
    one.status = name === 'create' ? 'skipped' : 'passed'
    one.atMs = unit.atMs
    one.detail =
      isFault(name) || name === 'webhooks' ? 'applied to the matched call' : creationDetail(unit.db, run, ref)
    const as = name === 'create' ? fieldsIn(step?.create).as : undefined
    if (typeof as === 'string') state.names[as] = ref
  }
  state.currentStep = leading
  saveRun(unit, run)
  schedule(unit, 'scenario', unit.atMs, run.id)
  return run
}

/** Steps in one transaction, so that calls run in between. */
const stepsPerTransaction = 25

/**
 * Runs every step that is possible now, the later ones of a long run in another job. Does nothing if the run has
 * finished or was deleted.
 */
export function continueRun(unit: Unit, id: string): void {
  const run = findRun(unit.db, id)
  if (run === undefined || run.status !== 'running') return
  cancelJobs(unit, 'scenario', id)
  const { state } = run
  const pauseAt = state.currentStep + stepsPerTransaction
  let waiting = false
  while (run.status === 'running' && !waiting && state.currentStep < pauseAt) {
    const step = run.steps[state.currentStep]
    if (step === undefined) finishRun(unit, run, 'passed')
    else waiting = runStep(unit, run, step)
  }
  if (run.status === 'running' && !waiting) schedule(unit, 'scenario', unit.atMs, id)
  updateWaitingRun(unit, run, waiting && state.expecting)
  saveRun(unit, run)
}

/** Returns true if the step has to wait. */
function runStep(unit: Unit, run: Run, step: Step): boolean {
  const { state } = run
  const outcome = tryStep(unit, run, step)
  const result = run.results[state.currentStep]
  if (result === undefined) throw new Error(`run ${run.id} has no step ${state.currentStep}`)
  result.detail = outcome.detail
  if (outcome.kind === 'waiting') {
    result.status = 'running'
    state.untilMs = outcome.untilMs
    state.expecting = outcome.expecting
    schedule(unit, 'scenario', outcome.untilMs, run.id)
    return true
  }
  result.status = outcome.kind
  result.atMs = unit.atMs
  state.untilMs = null
  state.expecting = false
  state.currentStep++
  if (outcome.kind === 'failed') finishRun(unit, run, 'failed')
  return false
}

function tryStep(unit: Unit, run: Run, step: Step): StepOutcome {
  try {
    return unit.attempt(() => performStep(unit, run, stepKey(step), Object.values(step)[0]))
  } catch (error) {
    if (unit.db.isUnavailable(error)) throw error
    const message = messageOf(error)
    return { kind: 'failed', detail: error instanceof ApiError ? `${error.code}: ${message}` : message }
  }
}

/**
 * Finishes a run. Withdrawals that it left pending settle by themselves again, unless the scenario or the settings say
 * otherwise.
 */
function finishRun(unit: Unit, run: Run, status: 'passed' | 'failed' | 'canceled'): void {
  run.status = status
  run.finishedAtMs = unit.atMs
  for (const result of run.results) {
    if (result.status !== 'pending' && result.status !== 'running') continue
    result.status = status === 'canceled' ? 'canceled' : 'skipped'
    result.atMs = unit.atMs
  }
  const { config } = unit
  if (run.state.settleAfterRun === 'manual' || config.cashoutSettle === 'manual') return
  for (const id of run.state.heldSettles)
    if (findTransaction(unit.db, id)?.status === 'pending')
      schedule(unit, 'settle', unit.atMs + config.cashoutSettleMs, id)
}

/** Throws 409 INVALID_TRANSITION if the run has finished. */
export function cancelRun(unit: Unit, run: Run): Run {
  if (run.status !== 'running')
    throw new ApiError(
      'INVALID_TRANSITION',
      { from: run.status, action: 'run.cancel', allowed: [] },
      `Run ${run.id} has already finished (${run.status}).`,
    )
  cancelJobs(unit, 'scenario', run.id)
  finishRun(unit, run, 'canceled')
  updateWaitingRun(unit, run, false)
  saveRun(unit, run)
  return run
}

/** Registers the run at once, so that changes later in the same unit wake it too. */
function updateWaitingRun(unit: Unit, run: Run, isExpecting: boolean): void {
  const runs = unit.memory.of(waitingRuns)
  const before = runs.get(run.id)
  unit.undo(() => (before === undefined ? runs.delete(run.id) : runs.set(run.id, before)))
  if (isExpecting) runs.set(run.id, objectsOf(run))
  else runs.delete(run.id)
}
