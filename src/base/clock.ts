/** Two clocks: business time, which the user controls, and wall time, the real one: signatures, nonces, timers, quotas. */

/** In `manual` mode business time is frozen, except while it is advanced. */
export type ClockMode = 'realtime' | 'manual'

/** The saved state of the clock: enough to continue after a restart. `frozenAtMs` is set while business time stands still. */
export interface ClockState {
  mode: ClockMode
  offsetMs: number
  frozenAtMs: number | null
}

export interface Clock {
  /** Business time, epoch milliseconds: expiry, deadlines, retries, rate windows, token validity. */
  now(): number
  /** Real time, epoch milliseconds: `X-Timestamp`, nonces, `X-Webhook-Timestamp`. */
  wall(): number
  state(): ClockState
  /** Real milliseconds until business time reaches `atMs`: 0 if it has passed, null if the clock is frozen before it. */
  untilMs(atMs: number): number | null
  /** Stops business time at `atMs`, whatever the mode, until `release`. Used while the clock advances from job to job. */
  hold(atMs: number): void
  /** Ends a hold. A running clock continues from the held moment; a manual clock stays there. */
  release(): void
  setMode(mode: ClockMode): void
  restore(state: ClockState): void
  /** Saves the state of the clock, a hold included; call the result to restore it. */
  checkpoint(): () => void
}

/**
 * Calls back once after `delayMs` of real time; returns a function that cancels it. For waiting callers, never for
 * business events.
 */
export type CallAfter = (delayMs: number, callback: () => void) => () => void

const partsOfLimit = 8

/**
 * Calls back when a time limit is over; returns a function that cancels it. Time in which the process stood still, on a
 * busy machine or while it was stopped, counts as an eighth of the limit at most, so that what arrived meanwhile is in
 * time.
 */
export function callAtLimit(callAfter: CallAfter, limitMs: number, callback: () => void): () => void {
  let cancel = () => {}
  const wait = (parts: number) => {
    cancel = callAfter(Math.ceil(limitMs / partsOfLimit), parts === 1 ? callback : () => wait(parts - 1))
  }
  wait(partsOfLimit)
  return () => cancel()
}

/** `wall` is the only source of time in the whole program. */
export function createClock(wall: () => number, initial: ClockState): Clock {
  let { mode, offsetMs, frozenAtMs } = initial
  let heldAtMs: number | null = null
  const now = () => heldAtMs ?? frozenAtMs ?? wall() + offsetMs
  return {
    now,
    wall,
    state: () => ({
      mode,
      offsetMs: heldAtMs === null ? offsetMs : heldAtMs - wall(),
      frozenAtMs: mode === 'manual' ? now() : null,
    }),
    untilMs(atMs) {
      const rest = atMs - now()
      if (rest <= 0) return 0
      return heldAtMs !== null || frozenAtMs !== null ? null : rest
    },
    hold(atMs) {
      heldAtMs = atMs
    },
    release() {
      if (heldAtMs === null) return
      if (mode === 'manual') frozenAtMs = heldAtMs
      else offsetMs = heldAtMs - wall()
      heldAtMs = null
    },
    setMode(next) {
      if (next === mode) return
      const at = now()
      mode = next
      frozenAtMs = next === 'manual' ? at : null
      offsetMs = at - wall()
    },
    restore(state) {
      mode = state.mode
      offsetMs = state.offsetMs
      frozenAtMs = state.mode === 'manual' ? (state.frozenAtMs ?? wall() + offsetMs) : null
      heldAtMs = null
    },
    checkpoint() {
      const saved = { mode, offsetMs, frozenAtMs, heldAtMs }
      return () => {
        ;({ mode, offsetMs, frozenAtMs, heldAtMs } = saved)
      }
    },
  }
}
