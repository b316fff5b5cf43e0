/** The business clock of a sandbox: it stands still or runs, and moves forward when it is told to. */
import type { ControlClient } from '../client/control.js'
import type { Advanced, ClockReading } from '../client/types/control.js'
import type { Duration } from './options.js'

export interface SandboxClock {
  /** Business time, ISO 8601 UTC. */
  now(): Promise<string>
  /** Also its mode, and what is due when. */
  read(): Promise<ClockReading>
  /** Walks forward from job to job; resolves when everything due up to there has run, webhooks and their answers included. */
  advance(target: Duration | { by: Duration } | { to: string | Date } | { until: 'idle' }): Promise<Advanced>
  /** Walks forward to that moment. */
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
    advance(target) {
      const wish = typeof target === 'object' ? target : { by: target }
      return control.call('POST /clock/advance', { body: 'to' in wish ? { to: momentText(wish.to) } : wish })
    },
    set: (moment) => put({ now: momentText(moment) }),
    freeze: () => put({ mode: 'manual' }),
    resume: () => put({ mode: 'realtime' }),
  }
}

const momentText = (moment: string | Date) => (typeof moment === 'string' ? moment : moment.toISOString())
