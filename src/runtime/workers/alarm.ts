/** When an object is to be woken: by a timer while it is awake, by its alarm when it has been put to sleep. */
import type { Workspace } from '../../core/unit/workspace.js'
import type { ObjectStorage } from './runtime.js'

/** What is due within this time is waited for awake. */
const nearMs = 15_000
/** So long after a timer the alarm takes over, should the object be gone by then. */
const graceMs = 1000

export interface Wake {
  /** Wakes at a moment of the business clock; while the clock stands still before it, not at all. */
  wake(atMs: number | null): void
  /** Wakes at that moment of real time at the latest. */
  atLatest(wallMs: number): void
  /** The alarm has gone off: there is none any more. */
  rang(): void
}

/**
 * Each setting of the alarm is a write: one that is early enough stays, and finds perhaps nothing to do. `keptAtMs` is the
 * alarm as the storage has it, null where there is none; a runtime that has forgotten it takes one only that is another.
 */
export function createWake(
  storage: ObjectStorage,
  keptAtMs: number | null,
  workspace: () => Workspace,
  tick: () => void,
): Wake {
  let disarm = () => {}
  let alarmAtMs = Number.POSITIVE_INFINITY
  const requireAlarm = (wallMs: number) => {
    if (wallMs >= alarmAtMs) return
    alarmAtMs = wallMs
    void storage.setAlarm(wallMs === keptAtMs ? wallMs - 1 : wallMs)
  }
  return {
    wake(atMs) {
      disarm()
      const { clock } = workspace()
      const delayMs = atMs === null ? null : clock.untilMs(atMs)
      if (delayMs === null) return
      requireAlarm(Math.ceil(clock.wall() + delayMs + (delayMs > nearMs ? 0 : graceMs)))
      if (delayMs > nearMs) return
      if (delayMs > 0) disarm = ringAfter(Math.ceil(delayMs), tick)
      else {
        const immediate = setImmediate(tick)
        disarm = () => clearImmediate(immediate)
      }
    },
    atLatest: requireAlarm,
    rang() {
      alarmAtMs = Number.POSITIVE_INFINITY
    },
  }
}

/** Rings once after so many milliseconds; returns how to call it off. */
export function ringAfter(delayMs: number, ring: () => void): () => void {
  const timer = setTimeout(ring, delayMs)
  return () => clearTimeout(timer)
}
