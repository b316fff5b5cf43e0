/** The business clock of a sandbox: it stands still or runs, and moves forward when it is told to. */
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
  /** Also its mode, and what is due when. */
  read(): Promise<ClockReading>
  /**
   * Advances from job to job; resolves when everything due up to there has run, webhooks and their answers included, or
   * after `wait`: then `complete` is false, `in_flight` names the webhooks that have not been answered, and it continues.
   * `idle`: until the jobs that exist now, and what they cause, have run. Aborting the signal cancels it.
   */
  advance(
    target: Duration | { by: Duration } | { to: string | Date } | { until: 'idle' },
    options?: AdvanceOptions,
  ): Promise<Advanced>
  /** Cancels every advance of this sandbox; resolves to how many there were. What has run is kept. */
  cancel(): Promise<number>
  /** Advances to that moment. */
  set(moment: string | Date): Promise<ClockReading>
  /** From now on time passes only when told. */
  freeze(): Promise<ClockReading>
  /** From now on time passes as it does outside. */
  resume(): Promise<ClockReading>
}

export function clockOf(control: ControlClient): SandboxClock {
  const put = (body: { now?: string; mode?: ClockReading['mode'] }) => control.call('PUT /clock', { body })
  const read = () => control.call('GET /clock')
  return {
    read,
    now: async () => (await read()).now,
    advance(target, { wait, signal } = {}) {
      const wish = typeof target === 'object' ? target : { by: target }
      const body = { ...('to' in wish ? { to: momentText(wish.to) } : wish), wait }
      return control.call('POST /clock/advance', { body, ...(signal === undefined ? {} : { signal }) })
    },
    cancel: async () => (await control.call('DELETE /clock/advance')).canceled,
    set: (moment) => put({ now: momentText(moment) }),
    freeze: () => put({ mode: 'manual' }),
    resume: () => put({ mode: 'realtime' }),
  }
}

function momentText(moment: string | Date): string {
  if (typeof moment === 'string') return moment
  if (!(moment instanceof Date) || Number.isNaN(moment.getTime()))
    throw new UsageError('a moment is a valid Date, or text such as 2026-11-21T12:00:00Z')
  return moment.toISOString()
}
