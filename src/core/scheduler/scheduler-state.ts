/** When the runtime is to wake the workspace next, and what ran since a walk through time began. */

import type { JobKind } from '../../protocol/control/clock.js'

/** `at` business time ISO; `job` the kind; `id` the object it was about. */
export interface RanJob {
  at: string
  job: JobKind
  id: string
}

export interface SchedulerState {
  /** A job is due at that moment: wakes earlier if need be. */
  nudge(dueAtMs: number): void
  /** Forgets what was armed, and arms this (null: nothing). */
  arm(dueAtMs: number | null): void
  /** Set while somebody walks the clock: what ran is told to them. */
  ran: RanJob[] | null
  /** Walks wait for each other. */
  walks: Promise<unknown>
  /** The store refused, and that has been told. */
  refused: boolean
  /** The queue is to be tried again in a moment. */
  retrying: boolean
}

export function createSchedulerState(wake: (atMs: number | null) => void): SchedulerState {
  let armedMs = Number.POSITIVE_INFINITY
  return {
    ran: null,
    walks: Promise.resolve(),
    refused: false,
    retrying: false,
    nudge(dueAtMs) {
      if (dueAtMs >= armedMs) return
      armedMs = dueAtMs
      wake(dueAtMs)
    },
    arm(dueAtMs) {
      armedMs = dueAtMs ?? Number.POSITIVE_INFINITY
      wake(dueAtMs)
    },
  }
}
