/** When the runtime is to wake the workspace next, and who advances the clock. */

import type { Unit } from '../unit/unit.js'
import type { RoomSlot } from '../unit/workspace.js'
import type { Advance } from './advance.js'

export interface SchedulerState {
  /** A job is due at that moment: wakes earlier if need be. */
  nudge(dueAtMs: number): void
  /** Forgets what was armed, and arms this (null: nothing). */
  arm(dueAtMs: number | null): void
  /** The advance that moves the clock now. */
  advance: Advance | null
  /** Those that are not over, in the order in which they were asked for: they run one after the other. */
  readonly advances: Set<Advance>
  /** Settles, without an error, when the last of them is over. */
  lastAdvance: Promise<unknown>
  /** The store refused, and that has been told. */
  refused: boolean
  /** The queue is to be tried again in a moment. */
  retrying: boolean
}

export const scheduler: RoomSlot<SchedulerState> = { begin: ({ wake }) => createSchedulerState(wake) }

function createSchedulerState(wake: (atMs: number | null) => void): SchedulerState {
  let armedMs = Number.POSITIVE_INFINITY
  return {
    advance: null,
    advances: new Set(),
    lastAdvance: Promise.resolve(),
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

/** Does what that job is for: what it puts into the queue belongs to the advance if the job does. */
export function causedBy<T>({ advance }: SchedulerState, unit: Unit, jobSeq: number, work: () => T): T {
  if (advance === null || !advance.owns(jobSeq)) return work()
  const before = unit.ids.sequence('jobs')
  const value = work()
  for (let seq = unit.ids.sequence('jobs') - 1; seq > before; seq--) {
    advance.take(seq)
    // A unit that is undone gives its numbers back, and the next job to bear one may be another's.
    unit.undo(() => advance.drop(seq))
  }
  return value
}
