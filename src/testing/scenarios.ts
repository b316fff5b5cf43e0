/** Scenarios and their runs. */
import type { ControlClient } from '../client/control.js'
import type { Arm, Run, ScenarioSummary } from './answers.js'
import { part, readAll } from './lists.js'

export interface RunOptions {
  /** What it is about: an id, or an `external_id` that only one object bears. */
  id?: string | number | undefined
  params?: Readonly<Record<string, string | number | boolean>> | undefined
  account?: string | undefined
  /** Moves the clock from step to step instead of waiting. */
  fast_forward?: boolean | undefined
  /** Resolve only when the run is over; so it is with `fast_forward` unless said otherwise. */
  wait?: boolean | undefined
}

export interface ArmOptions {
  /** How many calls it takes; as the scenario says where absent. */
  times?: number | undefined
  /** Whose calls; everybody's where absent. */
  account?: string | undefined
}

export interface SandboxScenarios {
  list(): Promise<ScenarioSummary[]>
  get(name: string): Promise<ScenarioSummary>
  /** A run that failed is no error: look at its `status`. */
  run(name: string, options?: RunOptions): Promise<Run>
  /** From now on the scenario catches the calls that its `on` describes. */
  arm(name: string, options?: ArmOptions): Promise<Arm>
  disarm(name: string, options?: { account?: string | undefined }): Promise<void>
  /** Text is YAML or JSON, an object is a scenario already. Throws `SandboxError` with every mistake in `details.mistakes`. */
  upload(scenario: string | object): Promise<ScenarioSummary>
  delete(name: string): Promise<void>
}

export interface SandboxRuns {
  /** Newest first. */
  list(filter?: { scenario?: string | undefined; status?: Run['status'] | undefined }): Promise<Run[]>
  get(id: string): Promise<Run>
  cancel(id: string): Promise<Run>
}

export function scenariosOf(control: ControlClient): SandboxScenarios {
  const at = (name: string, more = '') => `/scenarios/${part(name)}${more}`
  return {
    list: () => readData<ScenarioSummary>(control, '/scenarios'),
    get: (name) => control.call('GET', at(name)),
    run: (name, options = {}) => control.call('POST', at(name, '/run'), options),
    arm: (name, options = {}) => control.call('POST', at(name, '/arm'), options),
    async disarm(name, { account } = {}) {
      await control.call('DELETE', at(name, '/arm'), undefined, { query: { account } })
    },
    upload: (scenario) =>
      typeof scenario === 'string'
        ? control.call('POST', '/scenarios', scenario, { contentType: 'application/yaml' })
        : control.call('POST', '/scenarios', scenario),
    async delete(name) {
      await control.call('DELETE', at(name))
    },
  }
}

/** A list that comes in one piece. */
async function readData<T>(control: ControlClient, path: string): Promise<T[]> {
  return (await control.call<{ data: T[] }>('GET', path)).data
}

export function runsOf(control: ControlClient): SandboxRuns {
  return {
    list: (filter) => readAll(control, '/runs', filter),
    get: (id) => control.call('GET', `/runs/${part(id)}`),
    cancel: (id) => control.call('DELETE', `/runs/${part(id)}`),
  }
}
