/** What guards the door remember between calls: wrong attempts and request rates, on business time. A reset clears it. */
import { lockoutAttempts, lockoutMs } from '../../protocol/api/limits.js'

const minuteMs = 60_000

export interface AccessState {
  /** Milliseconds until the IP may try again, or 0. */
  blockedForMs(ip: string, nowMs: number): number
  wrongAttempt(ip: string, nowMs: number): void
  rightAttempt(ip: string): void
  /** Counts one request of `key`; the milliseconds until there is room again, or 0 where it fits. */
  exceeds(key: string, perMinute: number, nowMs: number): number
  clear(): void
}

/** A minute as two counters, weighed by how much of the earlier one still lies in the last 60 seconds, would be an estimate; this keeps each moment. */
interface Window {
  atMs: number[]
  head: number
}

export function createAccessState(): AccessState {
  const attempts = new Map<string, { wrong: number; untilMs: number }>()
  const windows = new Map<string, Window>()
  return {
    blockedForMs: (ip, nowMs) => Math.max(0, (attempts.get(ip)?.untilMs ?? 0) - nowMs),
    wrongAttempt(ip, nowMs) {
      const before = attempts.get(ip)
      const wrong = (before === undefined || before.untilMs > 0 ? 0 : before.wrong) + 1
      if (attempts.size > 10_000) attempts.clear()
      attempts.set(ip, { wrong, untilMs: wrong >= lockoutAttempts ? nowMs + lockoutMs : 0 })
    },
    rightAttempt(ip) {
      attempts.delete(ip)
    },
    exceeds(key, perMinute, nowMs) {
      let window = windows.get(key)
      if (window === undefined) {
        if (windows.size > 10_000) windows.clear()
        window = { atMs: [], head: 0 }
        windows.set(key, window)
      }
      return take(window, perMinute, nowMs)
    },
    clear() {
      attempts.clear()
      windows.clear()
    },
  }
}

function take(window: Window, perMinute: number, nowMs: number): number {
  const { atMs } = window
  while (window.head < atMs.length && (atMs[window.head] ?? 0) <= nowMs - minuteMs) window.head++
  if (window.head > 4096 && window.head * 2 > atMs.length) {
    atMs.splice(0, window.head)
    window.head = 0
  }
  if (atMs.length - window.head >= perMinute) return (atMs[window.head] ?? nowMs) + minuteMs - nowMs
  atMs.push(nowMs)
  return 0
}
