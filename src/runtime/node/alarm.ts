/** Timers of the process: the one alarm of a workspace, and plain waits. */
import type { Workspace } from '../../core/unit/workspace.js'

/** Timers take no more. */
export const longestMs = 2 ** 31 - 1

/** Wakes a workspace at a moment of its business clock; while the clock stands still before it, not at all. */
export function createWake(
  workspace: () => Workspace,
  tick: () => void,
  alarm = ringAfter,
): (atMs: number | null) => void {
  let disarm = () => {}
  return (atMs) => {
    disarm()
    const delayMs = atMs === null ? null : workspace().clock.untilMs(atMs)
    if (delayMs === null) return
    if (delayMs === 0) {
      const immediate = setImmediate(tick)
      disarm = () => clearImmediate(immediate)
    } else {
      disarm = alarm(Math.min(Math.ceil(delayMs), longestMs), tick)
    }
  }
}

/** Rings once after so many milliseconds; returns how to call it off. */
export function ringAfter(delayMs: number, ring: () => void): () => void {
  const timer = setTimeout(ring, delayMs)
  return () => clearTimeout(timer)
}
