/** Does one step of a run. */

import { ApiError } from '../../protocol/api/errors.js'
import type { ActionName } from '../../protocol/control/actions.js'
import { isActionStep } from '../../protocol/scenario/file.js'
import { callFaults, type StepName, stepSchemas } from '../../protocol/scenario/steps.js'
import { type Triggered, trigger } from '../operations/trigger.js'
import { respondOf, setTreatment, withTreatment } from '../webhooks/faults.js'
import type { Unit } from '../workspace/unit.js'
import { doCreate, refused } from './create.js'
import { doExpect } from './expectations.js'
import { refOf } from './objects.js'
import { withValues } from './references.js'
import { namedValue, remember, targetOf } from './run-objects.js'
import type { Run, StepOutcome } from './runs.js'

const passed = (detail: string | null): StepOutcome => ({ kind: 'passed', detail })

/** Throws `ApiError` where an action or a create is refused, `Error` where a value makes no sense. */
export function doStep(unit: Unit, run: Run, name: StepName, raw: unknown): StepOutcome {
  const value = withValues(raw, (reference) => namedValue(unit, run, reference))
  if (name === 'wait') return doWait(unit, run, read('wait', value))
  if (name === 'create') return doCreate(unit, run, read('create', value))
  if (name === 'expect') return doExpect(unit, run, read('expect', value))
  if (name === 'webhooks') return doWebhooks(unit, run, read('webhooks', value))
  if (callFaults.includes(name)) return doFault(run, name, value)
  return doAction(unit, run, name as ActionName, value)
}

type Output<Name extends StepName> = ReturnType<(typeof stepSchemas)[Name]['parse']>

/** Checked again, because a param may have brought in anything. */
export function read<Name extends StepName>(name: Name, value: unknown): Output<Name> {
  const result = stepSchemas[name].safeParse(value)
  if (result.success) return result.data as Output<Name>
  const [issue] = result.error.issues
  throw new Error(`${[name, ...(issue?.path ?? [])].join('.')} ${issue?.message ?? 'is wrong'}`)
}

function doWait(unit: Unit, run: Run, ms: number): StepOutcome {
  const untilMs = run.state.untilMs ?? unit.atMs + ms
  return unit.atMs >= untilMs ? passed(null) : { kind: 'waiting', untilMs, expecting: false, detail: null }
}

function doAction(unit: Unit, run: Run, name: ActionName, value: unknown): StepOutcome {
  if (!isActionStep(name)) throw new Error(`${name} is no step`)
  const { id, as, ...params } = read(name, value) as { id?: string | number; as?: string } & Record<string, unknown>
  const target = targetOf(unit, run, name, id === undefined ? undefined : String(id))
  let done: Triggered
  try {
    done = unit.attempt(() => withTreatment(unit, run.state.treatment, () => trigger(unit, name, target, params)))
  } catch (error) {
    if (error instanceof ApiError) return refused(run, error)
    throw error
  }
  remember(unit, run, refOf(done.subject), as)
  const told = done.events.map((one) => one.event)
  return passed(`${refOf(done.subject).id}${told.length === 0 ? '' : `: ${told.join(', ')}`}`)
}

/** For every object that the run is about, and those that it will come to. */
function doWebhooks(unit: Unit, run: Run, treatment: Output<'webhooks'>): StepOutcome {
  const { state } = run
  state.treatment = Object.keys(treatment).length === 0 ? null : treatment
  for (const id of state.objects) setTreatment(unit, id, state.treatment)
  return passed(state.treatment === null ? 'as documented again' : null)
}

function doFault(run: Run, name: StepName, value: unknown): StepOutcome {
  const { faults } = run.state
  if (name === 'respond') {
    const { status, code } = respondOf(read('respond', value), run.scenario)
    faults.respond = { status, code }
  } else if (name === 'latency') faults.latencyMs = read('latency', value)
  else faults.disconnect = read('disconnect', value)
  return passed('for the next create')
}
