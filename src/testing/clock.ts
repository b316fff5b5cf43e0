/** The business clock of a sandbox: advances it, freezes it and resumes it. */
import type { ControlClient } from '../client/control.js'
import { UsageError } from '../client/errors.js'
import type { Advanced, ClockReading } from '../client/types/control.js'
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
