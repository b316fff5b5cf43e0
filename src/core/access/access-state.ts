/** What guards the door remember between calls: wrong attempts and request rates on business time, nonces on wall time. A reset clears it. */
import { lockoutAttempts, lockoutMs } from '../../protocol/api/limits.js'
import type { Scope } from '../../store/unit-of-work.js'

const minuteMs = 60_000
/** Of callers and of rates: beyond it everything is forgotten, which lets somebody in rather than taking up all memory. */
const maxKeys = 10_000

/** Whatever changes it takes the unit that it does it in: a unit that is undone has not counted. */
export interface AccessState {
  /** Milliseconds until the IP may try again, or 0. */
  blockedForMs(ip: string, nowMs: number): number
  wrongAttempt(unit: Moment, ip: string): void
  rightAttempt(unit: Moment, ip: string): void
  /** Counts one request of `key`; the milliseconds until there is room again, or 0 where it fits. */
  exceeds(unit: Moment, key: string, perMinute: number): number
  readonly nonces: NonceMemory
}

/** When each stops being used, wall milliseconds, by credential and nonce; null until the rows have been read. */
export interface NonceMemory {
  expiresWallMs: Map<string, number> | null
  nextPurgeMs: number
}

type Moment = Pick<Scope, 'undo'> & { readonly atMs: number }

/** A minute as two counters, weighed by how much of the earlier one still lies in the last 60 seconds, would be an estimate; this keeps each moment. */
interface Window {
  atMs: number[]
  head: number
}

interface Attempts {
  wrong: number
  untilMs: number
}

export function createAccessState(): AccessState {
  const attempts = new Map<string, Attempts>()
  const windows = new Map<string, Window>()
  const setAttempts = (unit: Moment, ip: string, next: Attempts | undefined) => {
    const before = attempts.get(ip)
    unit.undo(() => put(attempts, ip, before))
    put(attempts, ip, next)
  }
  return {
    nonces: { expiresWallMs: null, nextPurgeMs: 0 },
    blockedForMs: (ip, nowMs) => Math.max(0, (attempts.get(ip)?.untilMs ?? 0) - nowMs),
    wrongAttempt(unit, ip) {
      const before = attempts.get(ip)
      const wrong = (before === undefined || before.untilMs > 0 ? 0 : before.wrong) + 1
      if (attempts.size > maxKeys) attempts.clear()
      setAttempts(unit, ip, { wrong, untilMs: wrong >= lockoutAttempts ? unit.atMs + lockoutMs : 0 })
    },
    rightAttempt(unit, ip) {
      if (attempts.has(ip)) setAttempts(unit, ip, undefined)
    },
    exceeds(unit, key, perMinute) {
      let window = windows.get(key)
      if (window === undefined) {
        if (windows.size > maxKeys) windows.clear()
        window = { atMs: [], head: 0 }
        windows.set(key, window)
      }
      return take(unit, window, perMinute)
    },
  }
}

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

function take(unit: Moment, window: Window, perMinute: number): number {
  const { atMs } = window
  const nowMs = unit.atMs
  while (window.head < atMs.length && (atMs[window.head] ?? 0) <= nowMs - minuteMs) window.head++
  if (window.head > 4096 && window.head * 2 > atMs.length) {
    atMs.splice(0, window.head)
    window.head = 0
  }
  if (atMs.length - window.head >= perMinute) return (atMs[window.head] ?? nowMs) + minuteMs - nowMs
  atMs.push(nowMs)
  unit.undo(() => atMs.pop())
  return 0
}
