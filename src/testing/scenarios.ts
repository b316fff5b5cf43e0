/** Scenarios and their runs. */
import type { ControlClient } from '../client/control.js'
import type { Arm, Run, Scenario, ScenarioSummary } from '../client/types/control.js'
import { readAll } from './lists.js'

export interface RunOptions {
  /** The subject: an id, or an `external_id` that only one object has. */
  id?: string | number | undefined
  params?: Record<string, string | number | boolean> | undefined
  account?: string | undefined
  /** Moves the clock from step to step instead of waiting. */
  fast_forward?: boolean | undefined
  /** Resolve only when the run has finished (default: true with `fast_forward`). */
  wait?: boolean | undefined
}

export interface ArmOptions {
  /** How many calls it intercepts (default: as in the scenario). */
  times?: number | undefined
  /** The account whose calls it intercepts (default: all). */
  account?: string | undefined
}

export interface SandboxScenarios {
  list(): Promise<ScenarioSummary[]>
  get(name: string): Promise<Scenario>
  /** Does not throw if the run fails: check its `status`. */
  run(name: string, options?: RunOptions): Promise<Run>
  /** From now on, the scenario intercepts the calls that match its `on`. */
  arm(name: string, options?: ArmOptions): Promise<Arm>
  disarm(name: string, options?: { account?: string | undefined }): Promise<void>
  /** Text is YAML or JSON; an object is a parsed scenario. Throws `SandboxError` with all mistakes in `details.mistakes`. */
  upload(scenario: string | { name: string; [field: string]: unknown }): Promise<Scenario>
  delete(name: string): Promise<void>
}

export interface SandboxRuns {
  /** Newest first. */
  list(filter?: { scenario?: string | undefined; status?: Run['status'] | undefined }): Promise<Run[]>
  get(id: string): Promise<Run>
  cancel(id: string): Promise<Run>
}

export function scenariosOf(control: ControlClient): SandboxScenarios {
  return {
    list: async () => (await control.call('GET /scenarios')).data,
    get: (name) => control.call('GET /scenarios/{name}', { params: { name } }),
    run: (name, options = {}) => control.call('POST /scenarios/{name}/run', { params: { name }, body: options }),
    arm: (name, options = {}) => control.call('POST /scenarios/{name}/arm', { params: { name }, body: options }),
    async disarm(name, { account } = {}) {
      await control.call('DELETE /scenarios/{name}/arm', { params: { name }, query: { account } })
    },
    upload: (body) =>
      control.call('POST /scenarios', typeof body === 'string' ? { body, contentType: 'application/yaml' } : { body }),
    async delete(name) {
      await control.call('DELETE /scenarios/{name}', { params: { name } })
    },
  }
}

export function runsOf(control: ControlClient): SandboxRuns {
  return {
    list: (filter = {}) => readAll(control, 'GET /runs', filter),
    get: (id) => control.call('GET /runs/{id}', { params: { id } }),
    cancel: (id) => control.call('DELETE /runs/{id}', { params: { id } }),
  }
}
