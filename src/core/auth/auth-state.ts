/** What guards the door remember between calls: wrong attempts and request rates on business time, nonces on wall time. A reset clears it. */
import { minuteMs, secondMs } from '../../base/duration.js'
import { lockoutAttempts, lockoutMs } from '../../protocol/platform/limits.js'
import type { Scope } from '../../store/unit-of-work.js'
import type { MemorySlot } from '../unit/memory.js'

/** What is counted a minute, is of this span. */
export const rateSpanMs = minuteMs
/** Of callers and of rates: beyond it everything is forgotten, which lets somebody in rather than taking up all memory. */
const maxKeys = 10_000

/** Whatever changes it takes the unit that it does it in: a unit that is undone has not counted. */
export interface AuthState {
  /** Milliseconds until the IP may try again, or 0. */
  blockedForMs(ip: string, nowMs: number): number
  wrongAttempt(unit: Moment, ip: string): void
  rightAttempt(unit: Moment, ip: string): void
  /** Counts one request of `key`; the milliseconds until there is room again, or 0 where it fits. */
  exceeds(unit: Moment, key: string, perMinute: number): number
  readonly nonces: NonceMemory
  /** What has changed since it was asked last, by name; null: there is nothing of that name any more. */
  changes(): [name: string, guard: Guard | null][]
}

/** Wrong attempts of a caller, or the moments of what is counted, each with how often: plain values, to be kept while a workspace sleeps. */
export type Guard = { attempts: Attempts } | { moments: [atMs: number, times: number][] }

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

export const authState: MemorySlot<AuthState> = { begin: () => createAuthState() }

/** `guards` as an earlier one told of its changes. */
export function createAuthState(guards: Iterable<readonly [name: string, guard: Guard]> = []): AuthState {
  const attempts = new Map<string, Attempts>()
  const windows = new Map<string, Window>()
  const changed = new Set<string>()
  for (const [name, guard] of guards)
    if ('attempts' in guard) attempts.set(name.slice(attemptsOf.length), guard.attempts)
    else windows.set(name.slice(rateOf.length), { atMs: guard.moments.flatMap(repeated), head: 0 })
  const setAttempts = (unit: Moment, ip: string, next: Attempts | undefined) => {
    const before = attempts.get(ip)
    const change = (to: Attempts | undefined) => {
      put(attempts, ip, to)
      changed.add(attemptsOf + ip)
    }
    unit.undo(() => change(before))
    change(next)
  }
  const forgetAll = (kind: string, map: Map<string, unknown>) => {
    for (const key of map.keys()) changed.add(kind + key)
    map.clear()
  }
  const guardOf = (name: string): Guard | null => {
    if (name.startsWith(attemptsOf)) {
      const found = attempts.get(name.slice(attemptsOf.length))
      return found === undefined ? null : { attempts: found }
    }
    const window = windows.get(name.slice(rateOf.length))
    return window === undefined ? null : { moments: counted(window.atMs.slice(window.head)) }
  }
  return {
    changes() {
      const names = [...changed]
      changed.clear()
      return names.map((name) => [name, guardOf(name)])
    },
    nonces: { expiresWallMs: null, nextPurgeMs: 0 },
    blockedForMs: (ip, nowMs) => Math.max(0, (attempts.get(ip)?.untilMs ?? 0) - nowMs),
    wrongAttempt(unit, ip) {
      const before = attempts.get(ip)
      const wrong = (before === undefined || before.untilMs > 0 ? 0 : before.wrong) + 1
      if (attempts.size > maxKeys) forgetAll(attemptsOf, attempts)
      setAttempts(unit, ip, { wrong, untilMs: wrong >= lockoutAttempts ? unit.atMs + lockoutMs : 0 })
    },
    rightAttempt(unit, ip) {
      if (attempts.has(ip)) setAttempts(unit, ip, undefined)
    },
    exceeds(unit, key, perMinute) {
      let window = windows.get(key)
      if (window === undefined) {
        if (windows.size > maxKeys) forgetAll(rateOf, windows)
        window = { atMs: [], head: 0 }
        windows.set(key, window)
      }
      changed.add(rateOf + key)
      unit.undo(() => changed.add(rateOf + key))
      return take(unit, window, perMinute)
    },
  }
}

const attemptsOf = 'attempts '
const rateOf = 'rate '
/** More moments than this are kept by the second, so that no change takes more than a little room. */
const mostMoments = 100

/** The later end of a second: nobody gets in before their time. */
const toSecond = (atMs: number) => Math.ceil(atMs / secondMs) * secondMs

function counted(atMs: readonly number[]): [number, number][] {
  const moments = new Map<number, number>()
  for (const at of atMs) {
    const moment = atMs.length > mostMoments ? toSecond(at) : at
    moments.set(moment, (moments.get(moment) ?? 0) + 1)
  }
  return [...moments]
}

const repeated = ([atMs, times]: readonly [number, number]): number[] => new Array(times).fill(atMs)

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

function take(unit: Moment, window: Window, perMinute: number): number {
  const { atMs } = window
  const nowMs = unit.atMs
  while (window.head < atMs.length && (atMs[window.head] ?? 0) <= nowMs - rateSpanMs) window.head++
  if (window.head > 4096 && window.head * 2 > atMs.length) {
    atMs.splice(0, window.head)
    window.head = 0
  }
  if (atMs.length - window.head >= perMinute) return (atMs[window.head] ?? nowMs) + rateSpanMs - nowMs
  atMs.push(nowMs)
  unit.undo(() => atMs.pop())
  return 0
}
