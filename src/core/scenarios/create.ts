/** The step `create`: the scenario creates an object through the API's own code, subject to its own faults. */
import { endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { type Creatable, creatableKinds } from '../../protocol/scenario/calls.js'
import { stepKey } from '../../protocol/scenario/file.js'
import type { StepValue } from '../../protocol/scenario/steps.js'
import type { ObjectRef, RunAnswer } from '../../store/run-state.js'
import { accountOf, requireAccount } from '../auth/account.js'
import { createObject } from '../endpoints/create-object.js'
import type { Unit } from '../unit/unit.js'
import { withDeliveryFaults } from '../webhooks/faults.js'
import { addRunObject } from './run-objects.js'
import type { Run, StepOutcome } from './runs.js'

type Options = StepValue<'create'>

export function runCreateStep(unit: Unit, run: Run, options: Options): StepOutcome {
  const { state } = run
  const kind = creatableKinds.find((one) => options[one] !== undefined)
  if (kind === undefined) throw new Error('create must name the object to create')
  if (state.untilMs !== null) return afterLatency(unit, state.untilMs)
  if (state.kind === kind) return skip(run, kind, options.as)
  const { respond, disconnect, latencyMs } = state.faults
  state.faults = {}
  if (respond !== undefined) {
    const { status, code } = respond
    return answeredOutcome(run, options.as, { status, code }, `responded with ${status} ${code}, not executed`)
  }
  if (disconnect === 'before')
    return answeredOutcome(run, options.as, 'lost', 'the connection was closed, not executed')
  let ref: ObjectRef
  try {
    ref = unit.attempt(() =>
      withDeliveryFaults(unit, state.deliveryFaults, () => createForRun(unit, run, kind, options)),
    )
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (options.as !== undefined) state.names[options.as] ??= null
    return rejectedOutcome(run, error)
  }
  addRunObject(unit, run, ref, options.as)
  state.answer = disconnect === 'after' ? 'lost' : { status: endpoints[kind].status, code: null }
  if (latencyMs !== undefined && latencyMs > 0)
    return { kind: 'waiting', untilMs: unit.atMs + latencyMs, expecting: false, detail: `${ref.id}, response delayed` }
  return { kind: 'passed', detail: disconnect === 'after' ? `${ref.id}, response dropped` : ref.id }
}

function afterLatency(unit: Unit, untilMs: number): StepOutcome {
  if (unit.atMs >= untilMs) return { kind: 'passed', detail: 'response delayed' }
  return { kind: 'waiting', untilMs, expecting: false, detail: 'response delayed' }
}

function skip(run: Run, kind: Creatable, as: string | undefined): StepOutcome {
  const ref = run.state.currentObjects[kind] ?? null
  if (as !== undefined) run.state.names[as] = ref
  return { kind: 'skipped', detail: ref === null ? 'created by the matched call' : `the run uses ${ref.id}` }
}

function answeredOutcome(run: Run, as: string | undefined, answer: RunAnswer, detail: string): StepOutcome {
  run.state.answer = answer
  if (as !== undefined) run.state.names[as] ??= null
  return { kind: 'passed', detail }
}

/** An error of the API or the state table fails the run, unless the next step expects it. */
export function rejectedOutcome(run: Run, error: ApiError): StepOutcome {
  const next = run.steps[run.state.currentStep + 1]
  const value = next === undefined || stepKey(next) !== 'expect' ? undefined : (next.expect as { answer?: unknown })
  const detail = `rejected: ${error.status} ${error.code}: ${error.message} ${JSON.stringify(error.details)}`
  run.state.answer = { status: error.status, code: error.code }
  return { kind: value?.answer === undefined ? 'failed' : 'passed', detail }
}

function createForRun(unit: Unit, run: Run, kind: Creatable, options: Options): ObjectRef {
  const account =
    options.account === undefined ? accountOf(unit.db, run.accountSeq) : requireAccount(unit.db, options.account)
  return createObject(unit, account, kind, options[kind] ?? {}, () => `${run.id}-${run.state.currentStep}`)
}
