/** Starts runs, on request or by a call that an armed scenario takes. */

import { rowAt } from '../../base/keys.js'
import { nearest } from '../../base/text.js'
import { fieldsIn } from '../../base/unknown.js'
import type { OperationName } from '../../protocol/platform/endpoints/row.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { ObjectKind } from '../../protocol/platform/transitions.js'
import { type Scenario, type Step, stepKey } from '../../protocol/scenario/file.js'
import { isAction, isFault } from '../../protocol/scenario/steps.js'
import type { ParamValue } from '../../protocol/scenario/values.js'
import type { ObjectRef, RunAnswer } from '../../store/run-state.js'
import { listAccounts, requireAccount } from '../auth/account.js'
import { schedule } from '../jobs/jobs.js'
import { findSubject } from '../operations/subjects.js'
import type { Unit } from '../unit/unit.js'
import type { CallFaults } from '../webhooks/faults.js'
import type { InterceptedCall } from './arms.js'
import { refOf, requireAnyObject } from './objects.js'
import { replaceReferences } from './references.js'
import { addRunObject } from './run-objects.js'
import { hasStartedOn, newRun, type Origin, originOf, type Run, saveRun } from './runs.js'
import { parseStepValue, setFault } from './step-values.js'

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
    { message: `${name} has outcomes, which create their own objects, so it does not accept an id.` },
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
    const rule = `is not a param of ${scenario.name}${guess === null ? '' : `; did you mean ${guess}?`}`
    throw new ApiError(
      'INVALID_VALUE',
      { field: `params.${name}`, rule, params: Object.keys(defaults) },
      { message: `params.${name} ${rule}` },
    )
  }
  return { ...defaults, ...options }
}

/** What happens to a call that a scenario takes, before its handler runs, and how many steps this covers. */
export interface Plan {
  intercepted: InterceptedCall
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
export function planCall(unit: Unit, intercepted: InterceptedCall, operation: OperationName | undefined): Plan {
  const kind = operation === undefined ? null : kinds[operation]
  const faults: CallFaults = { respond: null, latencyMs: 0, disconnect: null, deliveryFaults: null }
  const params = intercepted.scenario.params ?? {}
  let leading = 0
  for (const step of intercepted.steps) {
    const name = stepKey(step)
    const value = replaceReferences(step[name], (reference) => rowAt(params, reference))
    if (isFault(name)) setFault(faults, name, parseStepValue(name, value), intercepted.scenario.name)
    else if (name === 'webhooks') faults.deliveryFaults = parseStepValue('webhooks', value)
    else if (name !== 'create' || kind === null || fieldsIn(step.create)[kind] === undefined) break
    leading++
  }
  return { intercepted, faults, coveredSteps: leading, kind, origin: originOf(unit.db) }
}

/** Describes the faults for the request log. */
export function describeFaults({ respond, latencyMs, disconnect, deliveryFaults }: CallFaults): string[] {
  return [
    ...(respond === null ? [] : [`respond: ${respond.status} ${respond.code} (not executed)`]),
    ...(latencyMs === 0 ? [] : [`latency: ${latencyMs} ms`]),
    ...(disconnect === 'before' ? ['disconnect: before (not executed)'] : []),
    ...(disconnect === 'after' ? ['disconnect: after (executed, response dropped)'] : []),
    ...(deliveryFaults === null ? [] : [`webhooks: ${JSON.stringify(deliveryFaults)}`]),
  ]
}

/** The result of the call. */
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
    one.detail = isFault(name) || name === 'webhooks' ? 'applied to the matched call' : 'created by the matched call'
    const as = name === 'create' ? fieldsIn(step?.create).as : undefined
    if (typeof as === 'string') state.names[as] = ref
  }
  state.currentStep = leading
  saveRun(unit, run)
  schedule(unit, 'scenario', unit.atMs, run.id)
  return run
}
