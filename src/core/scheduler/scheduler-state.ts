/** When the runtime is to wake the workspace next, and what ran since a walk through time began. */

import type { JobKind } from '../../protocol/control/clock.js'
import type { Unit } from '../workspace/unit.js'

/** `at` business time ISO; `job` the kind; `id` the object it was about. */
export interface RanJob {
  at: string
  job: JobKind
  id: string
}

/** A walk waits for what it caused, and not for what others cause meanwhile. */
export interface Walk {
  ran: RanJob[]
  /** Its jobs, by number: those due when it began or because it moved the clock, and what they led to. */
  own: Set<number>
}

export interface SchedulerState {
  /** A job is due at that moment: wakes earlier if need be. */
  nudge(dueAtMs: number): void
  /** Forgets what was armed, and arms this (null: nothing). */
  arm(dueAtMs: number | null): void
  /** Set while somebody walks the clock. */
  walk: Walk | null
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
    walk: null,
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

/** Does what that job is for: what it puts into the queue belongs to the walk if the job does. */
export function causedBy<T>({ walk }: SchedulerState, { ids }: Unit, jobSeq: number, work: () => T): T {
  if (walk === null || !walk.own.has(jobSeq)) return work()
  const before = ids.sequence('jobs')
  const value = work()
  for (let seq = ids.sequence('jobs') - 1; seq > before; seq--) walk.own.add(seq)
  return value
}
