/** Validates the value of a step, and adds faults to a call. */
import { type FaultName, type StepName, type StepValue, schemaOf } from '../../protocol/scenario/steps.js'
import { type CallFaults, respondOf } from '../webhooks/faults.js'

/** Validated again, because a param can contain any value. */
export function parseStepValue<Name extends StepName>(name: Name, value: unknown): StepValue<Name> {
  const result = schemaOf(name).safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Error(`${[name, ...(issue?.path ?? [])].join('.')} ${issue?.message ?? 'is invalid'}`)
}

type Faults = Partial<Omit<CallFaults, 'deliveryFaults'>>
type FaultSetter<Name extends FaultName> = (faults: Faults, value: StepValue<Name>, scenario: string) => void

const setters: { readonly [Name in FaultName]: FaultSetter<Name> } = {
  respond: (faults, value, scenario) => {
    faults.respond = respondOf(value, scenario)
  },
  latency: (faults, value) => {
    faults.latencyMs = value
  },
  disconnect: (faults, value) => {
    faults.disconnect = value
  },
}

/** Adds the step's fault to the faults of a call. */
export function setFault<Name extends FaultName>(
  faults: Faults,
  name: Name,
  value: StepValue<Name>,
  scenario: string,
): void {
  const set: FaultSetter<Name> = setters[name]
  set(faults, value, scenario)
}
