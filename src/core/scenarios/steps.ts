/** Runs one step of a run, with a function for each row of the table of steps. */
import { isoUtc } from '../../base/iso.js'
import { tableOf } from '../../base/keys.js'
import { type ActionName, actionNames } from '../../protocol/actions/actions.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { FaultName, StepName, StepValue } from '../../protocol/scenario/steps.js'
import { accountOf } from '../auth/account.js'
import { triggerOnNewObject } from '../endpoints/trigger-on-new.js'
import { type TriggerResult, trigger } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import { setDeliveryFaults, withDeliveryFaults } from '../webhooks/faults.js'
import { rejectedOutcome, runCreateStep } from './create.js'
import { runExpectStep } from './expectations.js'
import { refOf } from './objects.js'
import { replaceReferences } from './references.js'
import { addRunObject, namedValue, targetOf } from './run-objects.js'
import type { Run, StepOutcome } from './runs.js'
import { parseStepValue, setFault } from './step-values.js'

type Runner<Name extends StepName> = (unit: Unit, run: Run, value: StepValue<Name>) => StepOutcome

const passed = (detail: string | null): StepOutcome => ({ kind: 'passed', detail })

const action =
  (name: ActionName): Runner<ActionName> =>
  (unit, run, { id, as, create, fields = {}, ...params }) => {
    const target = create === true ? undefined : targetOf(unit, run, name, id === undefined ? undefined : String(id))
    const act =
      create === true
        ? () => triggerOnNewObject(unit, name, fields, params, accountOf(unit.db, run.accountSeq))
        : () => trigger(unit, name, target, params)
    let triggered: TriggerResult
    try {
      triggered = unit.attempt(() => withDeliveryFaults(unit, run.state.deliveryFaults, act))
    } catch (error) {
      if (error instanceof ApiError) return rejectedOutcome(run, error)
      throw error
    }
    addRunObject(unit, run, refOf(triggered.subject), as)
    const eventNames = triggered.events.map((one) => one.event)
    return passed(`${refOf(triggered.subject).id}${eventNames.length === 0 ? '' : `: ${eventNames.join(', ')}`}`)
  }

const actions = tableOf(actionNames, action)

const fault =
  <Name extends FaultName>(name: Name): Runner<Name> =>
  (_unit, run, value) => {
    setFault(run.state.faults, name, value, run.scenario)
    return passed('for the next create')
  }

/** A step without a runner is a type error. */
const runners: { readonly [Name in StepName]: Runner<Name> } = {
  ...actions,
  create: runCreateStep,
  expect: runExpectStep,
  respond: fault('respond'),
  latency: fault('latency'),
  disconnect: fault('disconnect'),
  wait(unit, run, ms) {
    const untilMs = run.state.untilMs ?? unit.atMs + ms
    if (unit.atMs >= untilMs) return passed(null)
    return { kind: 'waiting', untilMs, expecting: false, detail: `until ${isoUtc(untilMs)}` }
  },
  /** Applies to the present objects of the run and to later ones. */
  webhooks(unit, run, deliveryFaults) {
    const { state } = run
    state.deliveryFaults = Object.keys(deliveryFaults).length === 0 ? null : deliveryFaults
    for (const id of state.objects) setDeliveryFaults(unit, id, state.deliveryFaults)
    return passed(state.deliveryFaults === null ? 'as documented again' : null)
  },
}

/** Throws `ApiError` if an action or `create` is rejected, `Error` for an invalid value. */
export function performStep<Name extends StepName>(unit: Unit, run: Run, name: Name, raw: unknown): StepOutcome {
  const runner: Runner<Name> = runners[name]
  return runner(
    unit,
    run,
    parseStepValue(
      name,
      replaceReferences(raw, (reference) => namedValue(unit, run, reference)),
    ),
  )
}
