/**
 * Queues the advances of the clock: one at a time, each caller with its own maximum wait. A caller who disconnects
 * cancels its advance.
 */

import { isoUtc } from '../../base/iso.js'
import type { EventName } from '../../protocol/platform/events.js'
import { deliveryState } from '../delivery/dispatch-state.js'
import { Advance, type JobRecord } from '../jobs/advance.js'
import { schedulerState } from '../jobs/jobs.js'
import type { Workspace } from '../unit/workspace.js'
import { type AdvanceTarget, runAdvance } from './advance.js'

/** A webhook whose response the clock waits for; `at` is business time (ISO). */
interface InFlight extends JobRecord {
  job: 'deliver'
  event: EventName
  url: string | null
}

interface AdvanceReport {
  ran: JobRecord[]
  inFlight: InFlight[]
  /** Whether all jobs up to the target have run, and all their webhooks have completed. */
  isComplete: boolean
  /** Whether the advance ended before the target and does not continue. */
  isCanceled: boolean
}

/** The caller of an advance. */
export interface Caller {
  /** How long the caller waits, in milliseconds of real time; null if until the advance is over. */
  waitMs: number | null
  /** Calls back once when the caller disconnects; returns a function that cancels the callback. */
  onDisconnect?: ((listener: () => void) => () => void) | undefined
}

/** Returns the target of an advance; `nowMs` is the business time when its turn comes. */
type Target = (nowMs: number) => AdvanceTarget

interface StartedAdvance {
  advance: Advance
  /** Rejects if the database failed or the target is not possible. */
  done: Promise<void>
}

/**
 * Advances the clock when its turn comes. Resolves when the advance is over, or after `waitMs`; the advance then
 * continues. A caller who disconnects before that cancels it.
 */
export function advanceClock(
  ws: Workspace,
  target: Target,
  { waitMs, onDisconnect: whenGone }: Caller,
): Promise<AdvanceReport> {
  const { advance, done } = startAdvance(ws, target)
  return new Promise((resolve, reject) => {
    let isOver = false
    const finish = (settle: () => void) => {
      stopWaiting()
      stopWatching()
      settle()
    }
    const answer = () => finish(() => resolve(reportAdvance(ws, advance, isOver)))
    const stopWaiting = waitMs === null ? () => {} : ws.alarm(waitMs, answer)
    const stopWatching = whenGone?.(() => advance.cancel()) ?? (() => {})
    done.then(
      () => {
        isOver = true
        answer()
      },
      (error: unknown) => finish(() => reject(error)),
    )
  })
}

/** Cancels every advance of the workspace, queued ones included; returns their number. */
export async function cancelAdvances(ws: Workspace): Promise<number> {
  const { advances, lastAdvance } = ws.state.of(schedulerState)
  const all = [...advances]
  for (const advance of all) advance.cancel()
  await lastAdvance
  return all.length
}

function startAdvance(ws: Workspace, target: Target): StartedAdvance {
  const state = ws.state.of(schedulerState)
  const advance = new Advance()
  const before = state.lastAdvance
  state.advances.add(advance)
  const done = Promise.race([before, advance.whenCanceled])
    .then(() => (advance.isCanceled ? undefined : runAdvance(ws, advance, target(ws.clock.now()))))
    .finally(() => state.advances.delete(advance))
  state.lastAdvance = Promise.allSettled([before, done])
  return { advance, done }
}

function reportAdvance(ws: Workspace, advance: Advance, isOver: boolean): AdvanceReport {
  const inFlight = inFlightOf(ws)
  const ran = advance.report(new Set(inFlight.map(({ seq }) => seq)))
  const { isComplete } = advance
  return { ran, inFlight: inFlight.map(({ seq, ...job }) => job), isComplete, isCanceled: isOver && !isComplete }
}

/** Returns the webhooks whose answers the current advance waits for. */
export function inFlightOf(ws: Workspace): (InFlight & { seq: number })[] {
  const { advance } = ws.state.of(schedulerState)
  if (advance === null) return []
  return [...ws.memory.of(deliveryState).inFlight.values()]
    .filter(({ seq }) => advance.owns(seq))
    .map(({ seq, dueAtMs, ref, event, url }) => ({ seq, at: isoUtc(dueAtMs), job: 'deliver', id: ref, event, url }))
}
