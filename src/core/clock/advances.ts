/** Who advances the clock: one after the other, each caller waiting no longer than it wants, canceled by a caller who leaves. */

import { isoUtc } from '../../base/iso.js'
import type { EventName } from '../../protocol/platform/events.js'
import { deliveryState } from '../delivery/dispatch-state.js'
import { Advance, type RanJob } from '../jobs/advance.js'
import { scheduler } from '../jobs/jobs.js'
import type { Workspace } from '../unit/workspace.js'
import { type AdvanceTarget, advanceAlone } from './advance.js'

/** A webhook whose answer the clock waits for; `at` business time ISO. */
export interface InFlight extends RanJob {
  job: 'deliver'
  event: EventName
  url: string | null
}

export interface Advanced {
  ran: RanJob[]
  inFlight: InFlight[]
  /** Everything up to the target has run and been answered. */
  isComplete: boolean
  /** It has ended before that, and does not continue. */
  isCanceled: boolean
}

/** The caller of an advance. */
export interface Caller {
  /** In milliseconds of real time, how long it waits; null: until it is over. */
  waitMs: number | null
  /** Calls back once when the caller goes away; returns how to call that off. */
  whenGone?: ((listener: () => void) => () => void) | undefined
}

/** Moment in business time that an advance leads to, from where the clock stands when its turn comes. */
type Target = (nowMs: number) => AdvanceTarget

interface Begun {
  advance: Advance
  /** Rejects where the store refused, or the target cannot be. */
  over: Promise<void>
}

/**
 * Advances the clock in its turn. Answers when it is over, or has been waited for long enough: then it continues.
 * A caller who leaves before the answer cancels it.
 */
export function advanceClock(ws: Workspace, target: Target, { waitMs, whenGone }: Caller): Promise<Advanced> {
  const { advance, over } = begin(ws, target)
  return new Promise((resolve, reject) => {
    let isOver = false
    const finish = (settle: () => void) => {
      stopWaiting()
      stopWatching()
      settle()
    }
    const answer = () => finish(() => resolve(stateOf(ws, advance, isOver)))
    const stopWaiting = waitMs === null ? () => {} : ws.alarm(waitMs, answer)
    const stopWatching = whenGone?.(() => advance.cancel()) ?? (() => {})
    over.then(
      () => {
        isOver = true
        answer()
      },
      (error: unknown) => finish(() => reject(error)),
    )
  })
}

/** Cancels every advance of the workspace, those that wait for their turn included; returns how many there were. */
export async function cancelAdvances(ws: Workspace): Promise<number> {
  const { advances, lastAdvance } = ws.rooms.of(scheduler)
  const all = [...advances]
  for (const advance of all) advance.cancel()
  await lastAdvance
  return all.length
}

function begin(ws: Workspace, target: Target): Begun {
  const state = ws.rooms.of(scheduler)
  const advance = new Advance()
  const before = state.lastAdvance
  state.advances.add(advance)
  const over = Promise.race([before, advance.whenCanceled])
    .then(() => (advance.isCanceled ? undefined : advanceAlone(ws, advance, target(ws.clock.now()))))
    .finally(() => state.advances.delete(advance))
  state.lastAdvance = Promise.allSettled([before, over])
  return { advance, over }
}

function stateOf(ws: Workspace, advance: Advance, isOver: boolean): Advanced {
  const inFlight = inFlightOf(ws)
  const ran = advance.report(new Set(inFlight.map(({ seq }) => seq)))
  const { isComplete } = advance
  return { ran, inFlight: inFlight.map(({ seq, ...shown }) => shown), isComplete, isCanceled: isOver && !isComplete }
}

/** The webhooks whose answers the clock waits for at the moment: those of the advance whose turn it is. */
export function inFlightOf(ws: Workspace): (InFlight & { seq: number })[] {
  const { advance } = ws.rooms.of(scheduler)
  if (advance === null) return []
  return [...ws.memory.of(deliveryState).inFlight.values()]
    .filter(({ seq }) => advance.owns(seq))
    .map(({ seq, dueAtMs, ref, event, url }) => ({ seq, at: isoUtc(dueAtMs), job: 'deliver', id: ref, event, url }))
}
