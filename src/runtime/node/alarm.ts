/** Timers of the process: the alarm of a workspace, and plain delays. */
import type { Workspace } from '../../core/unit/workspace.js'

/** Longest delay of a timer in Node. */
export const maxTimerMs = 2 ** 31 - 1

/** Calls `tick` at a business time of the workspace. While the clock is frozen before that time, it is not called. */
export function createWake(
  workspace: () => Workspace,
  tick: () => void,
  alarm = callAfter,
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
      disarm = alarm(Math.min(Math.ceil(delayMs), maxTimerMs), tick)
    }
  }
}

/** Calls back once after `delayMs`; returns a function that cancels it. */
export function callAfter(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
