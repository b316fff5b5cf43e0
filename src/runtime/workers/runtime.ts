/** The used parts of the Durable Objects runtime, and how an object is woken: with a timer while it is in memory, with its alarm after it was evicted. */
import type { Workspace } from '../../core/unit/unit.js'

/** Returns the real time in epoch milliseconds. */
export const wallClock = () => Date.now()

export interface Cursor {
  toArray(): Record<string, unknown>[]
}

export interface ObjectStorage {
  readonly sql: { exec(sqlText: string, ...params: unknown[]): Cursor; readonly databaseSize: number }
  /** Key-value storage that takes part in the transactions of the tables. */
  readonly kv: {
    get(key: string): unknown
    put(key: string, value: unknown): void
    delete(key: string): boolean
    list(options: { prefix: string }): Iterable<[key: string, value: unknown]>
  }
  transactionSync<T>(work: () => T): T
  /** There is only one alarm; the last call wins. */
  setAlarm(atMs: number): Promise<void>
  getAlarm(): Promise<number | null>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

export interface ObjectState {
  readonly storage: ObjectStorage
  /** The object receives no calls until `work` has finished. */
  blockConcurrencyWhile(work: () => Promise<void>): Promise<void>
}

export interface ObjectsByName<Methods> {
  getByName(name: string): ObjectStub & Methods
}

interface ObjectStub {
  fetch(request: Request): Promise<Response>
}

/** A workspace, and the address of its deployment. */
export interface Home {
  origin: string
  workspace: string
}

/** Longest time for which a due job is waited for in memory. */
const maxTimerMs = 15_000
/** Time after the timer at which the alarm fires, in case the object was evicted before. */
const graceMs = 1000

export interface WakeSchedule {
  /** Calls `tick` at a business time of the workspace. While the clock is frozen before that time, it is not called. */
  wakeAt(atMs: number | null): void
  /** Wakes the object at this real time at the latest. */
  wakeAtLatest(wallMs: number): void
  /** Must be called when the alarm has fired, because no alarm is set any more. */
  noteAlarm(): void
}

/**
 * Each change of the alarm is a write, so an alarm that is early enough is left as it is, even if it may find nothing
 * to do. `storedAtMs` is the stored alarm, null if there is none; a runtime that has lost it accepts a new alarm only at
 * a different time.
 */
export function createWake(
  storage: ObjectStorage,
  storedAtMs: number | null,
  workspace: () => Workspace,
  tick: () => void,
): WakeSchedule {
  let disarm = () => {}
  let alarmAtMs = Number.POSITIVE_INFINITY
  const requireAlarm = (wallMs: number) => {
    if (wallMs >= alarmAtMs) return
    alarmAtMs = wallMs
    void storage.setAlarm(wallMs === storedAtMs ? wallMs - 1 : wallMs)
  }
  return {
    wakeAt(atMs) {
      disarm()
      const { clock } = workspace()
      const delayMs = atMs === null ? null : clock.untilMs(atMs)
      if (delayMs === null) return
      requireAlarm(Math.ceil(clock.wall() + delayMs + (delayMs > maxTimerMs ? 0 : graceMs)))
      if (delayMs > maxTimerMs) return
      if (delayMs > 0) disarm = callAfter(Math.ceil(delayMs), tick)
      else {
        const immediate = setImmediate(tick)
        disarm = () => clearImmediate(immediate)
      }
    },
    wakeAtLatest: requireAlarm,
    noteAlarm() {
      alarmAtMs = Number.POSITIVE_INFINITY
    },
  }
}

/** Calls back once after `delayMs`; returns a function that cancels it. */
export function callAfter(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
