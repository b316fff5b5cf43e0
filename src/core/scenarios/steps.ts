/** Does one step of a run: a runner for each row of the table of steps. */
import { tableOf } from '../../base/keys.js'
import { type ActionName, actionNames } from '../../protocol/actions/actions.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { FaultName, StepName, StepValue } from '../../protocol/scenario/steps.js'
import { accountOf } from '../auth/account.js'
import { triggerOnNew } from '../endpoints/provide.js'
import { type Triggered, trigger } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import { setTreatment, withTreatment } from '../webhooks/faults.js'
import { doCreate, refused } from './create.js'
import { doExpect } from './expectations.js'
import { refOf } from './objects.js'
import { withValues } from './references.js'
import { namedValue, remember, targetOf } from './run-objects.js'
import type { Run, StepOutcome } from './runs.js'
import { read, setFault } from './step-values.js'

type Runner<Name extends StepName> = (unit: Unit, run: Run, value: StepValue<Name>) => StepOutcome

const passed = (detail: string | null): StepOutcome => ({ kind: 'passed', detail })

const action =
  (name: ActionName): Runner<ActionName> =>
  (unit, run, { id, as, create, fields = {}, ...params }) => {
    const target = create === true ? undefined : targetOf(unit, run, name, id === undefined ? undefined : String(id))
    const act =
      create === true
        ? () => triggerOnNew(unit, name, fields, params, accountOf(unit.db, run.accountSeq))
        : () => trigger(unit, name, target, params)
    let done: Triggered
    try {
      done = unit.attempt(() => withTreatment(unit, run.state.treatment, act))
    } catch (error) {
      if (error instanceof ApiError) return refused(run, error)
      throw error
    }
    remember(unit, run, refOf(done.subject), as)
    const told = done.events.map((one) => one.event)
    return passed(`${refOf(done.subject).id}${told.length === 0 ? '' : `: ${told.join(', ')}`}`)
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
  create: doCreate,
  expect: doExpect,
  respond: fault('respond'),
  latency: fault('latency'),
  disconnect: fault('disconnect'),
  wait(unit, run, ms) {
    const untilMs = run.state.untilMs ?? unit.atMs + ms
    return unit.atMs >= untilMs ? passed(null) : { kind: 'waiting', untilMs, expecting: false, detail: null }
  },
  /** For every object that the run is about, and those that it will come to. */
  webhooks(unit, run, treatment) {
    const { state } = run
    state.treatment = Object.keys(treatment).length === 0 ? null : treatment
    for (const id of state.objects) setTreatment(unit, id, state.treatment)
    return passed(state.treatment === null ? 'as documented again' : null)
  },
}

/** Throws `ApiError` where an action or a create is refused, `Error` where a value makes no sense. */
export function doStep<Name extends StepName>(unit: Unit, run: Run, name: Name, raw: unknown): StepOutcome {
  const runner: Runner<Name> = runners[name]
  return runner(
    unit,
    run,
    read(
      name,
      withValues(raw, (reference) => namedValue(unit, run, reference)),
    ),
  )
}
