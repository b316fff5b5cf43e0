/** What a test causes in its sandbox: time passes, actions, scenarios and their runs, random faults. */
import type { ControlClient } from '../client/control.js'
import { SandboxError, UsageError } from '../client/errors.js'
import type { ActionParameters } from '../client/types/actions.js'
import type {
  ActionName,
  ActionResults,
  Advanced,
  Arm,
  Chaos,
  ClockReading,
  EventName,
  Run,
  Scenario,
  ScenarioSummary,
  TriggerRequest,
} from '../client/types/control.js'
import type { PlatformOptions } from '../client/types/settings.js'
import { chaosPresets } from '../protocol/settings/chaos.js'
import { readAll } from './lists.js'
import type { Duration } from './options.js'

export interface AdvanceOptions {
  /** Real time, at most `10m` (default: `30s`). */
  wait?: Duration | undefined
  signal?: AbortSignal | undefined
}

export interface SandboxClock {
  /** Business time, ISO 8601 UTC. */
  now(): Promise<string>
  /** Also returns the mode, and what is due when. */
  read(): Promise<ClockReading>
  /**
   * Advances from job to job. Resolves when everything due up to the target has run, webhooks and their answers
   * included, or after `wait`: then `complete` is false, `in_flight` names the unanswered webhooks, and the advance
   * continues.
   * `idle`: until the jobs that exist now, and those that they cause, have run. Aborting the signal cancels it.
   */
  advance(
    target: Duration | { by: Duration } | { to: string | Date } | { until: 'idle' },
    options?: AdvanceOptions,
  ): Promise<Advanced>
  /** Cancels every advance of this sandbox, and resolves to their number. What has already run stays. */
  cancel(): Promise<number>
  /** Advances to the given moment. */
  set(moment: string | Date): Promise<ClockReading>
  /** From now on, time passes only by `advance` and `set`. */
  freeze(): Promise<ClockReading>
  /** From now on, time passes at normal speed. */
  resume(): Promise<ClockReading>
}

export function clockOf(control: ControlClient): SandboxClock {
  const sendClock = (body: { now?: string; mode?: ClockReading['mode'] }) => control.call('PUT /clock', { body })
  const read = () => control.call('GET /clock')
  return {
    read,
    now: async () => (await read()).now,
    advance(target, { wait, signal } = {}) {
      const parsedTarget = typeof target === 'object' ? target : { by: target }
      const body = { ...('to' in parsedTarget ? { to: momentText(parsedTarget.to) } : parsedTarget), wait }
      return control.call('POST /clock/advance', { body, ...(signal === undefined ? {} : { signal }) })
    },
    cancel: async () => (await control.call('DELETE /clock/advance')).canceled,
    set: (moment) => sendClock({ now: momentText(moment) }),
    freeze: () => sendClock({ mode: 'manual' }),
    resume: () => sendClock({ mode: 'realtime' }),
  }
}

function momentText(moment: string | Date): string {
  if (typeof moment === 'string') return moment
  if (!(moment instanceof Date) || Number.isNaN(moment.getTime()))
    throw new UsageError('a time must be a valid Date, or a string such as 2026-11-21T12:00:00Z')
  return moment.toISOString()
}

// The types of `trigger`: each action with its own parameters and result, so that a wrong parameter is a type error.

export type ActionInput<Name extends ActionName> = (
  | ActionParameters[Name]
  | (Partial<ActionParameters[Name]> & { create: true })
) & {
  /** Its own id, or an `external_id` that only one object of that kind has. */
  id?: string | number
  /** Creates a suitable object first, in a state that allows the action. */
  create?: boolean
  /** With `create`: the fields of the object, as in a call of the API. */
  fields?: Exclude<Extract<TriggerRequest, { action: Name }>['fields'], undefined>
}

/** The result of an action: `object` is the changed object in its new state. */
export type Triggered<Name extends ActionName = ActionName> = {
  [One in Name]: {
    action: One
    object: ActionResults[One]
    events: { id: string; event: EventName }[]
    /** With `create`: the actions done before, `cashin.create` first. */
    created?: { action: string; id: string }[]
  }
}[Name]

/**
 * Parameters may be omitted if none is required. An `id` that is present but undefined is an error: it would silently
 * mean the newest object.
 */
export type Trigger = <Name extends ActionName>(
  action: Name,
  ...params: Record<never, never> extends ActionInput<Name> ? [params?: ActionInput<Name>] : [params: ActionInput<Name>]
) => Promise<Triggered<Name>>

export async function triggerOn<Name extends ActionName>(
  control: ControlClient,
  action: Name,
  params: ActionInput<Name> | undefined,
): Promise<Triggered<Name>> {
  if (params !== undefined && 'id' in params && params.id === undefined)
    throw new SandboxError(
      422,
      'INVALID_VALUE',
      `${action} was given an id that is undefined. Leave it out to use the newest object.`,
      { field: 'id', rule: 'must be an id: a non-empty string' },
      null,
      'validation',
    )
  // The compiler cannot relate each body to its action.
  const body = { ...params, action } as unknown as TriggerRequest
  return (await control.call('POST /trigger', { body })) as Triggered<Name>
}

// Chaos: random faults of calls and webhooks, the same for the same seed.

export interface SandboxChaos {
  /** `{}` means no faults. */
  read(): Promise<Chaos>
  /** Replaces the earlier faults. A preset is `gentle`, `rough` or `off`. */
  set(faults: NonNullable<PlatformOptions['chaos']>): Promise<Chaos>
  /** Stops injecting faults. */
  off(): Promise<void>
}

export function chaosOf(control: ControlClient): SandboxChaos {
  return {
    read: () => control.call('GET /chaos'),
    set: (faults) => control.call('PUT /chaos', { body: typeof faults === 'string' ? chaosPresets[faults] : faults }),
    async off() {
      await control.call('DELETE /chaos')
    },
  }
}

// Scenarios and their runs.

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
