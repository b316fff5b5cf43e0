/**
 * Group commit: the units of work requested in one event-loop turn run together at its end, one after the other, in one
 * transaction; their promises settle after the commit. Units run without savepoints, because SQLite would first copy
 * every page that they touch, a fifth of the cost of a call. If a unit fails after a write, the group is rolled back
 * and runs again with savepoints.
 */

import { messageOf } from '../base/unknown.js'
import { ApiError } from '../protocol/platform/errors.js'
import type { Db } from './db.js'

/** Couples effects outside the database to the transaction. */
export interface Scope {
  /** Calls `step` once the unit is committed. It must not throw. */
  after(step: () => void): void
  /** Calls `step` if the unit, or the attempt that registered it, is rolled back. The last registered step runs first. */
  undo(step: () => void): void
  /** Runs a part that may fail alone: its writes are rolled back, its error is rethrown, the rest of the unit stays. */
  attempt<T>(part: () => T): T
}

interface Units {
  /**
   * Runs `work` at the end of this turn, and up to two more times if this or another unit of the group fails. So effects
   * outside the database go through `after`, or are reversed by `undo`. If `work` throws, its unit alone is rolled back
   * and the promise rejects with the error; with `ApiError SERVICE_UNAVAILABLE` if the store cannot be written.
   */
  run<T>(work: (scope: Scope) => T): Promise<T>
}

interface Waiting {
  work: (scope: Scope) => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

type Result = { ok: true; value: unknown; steps: readonly (() => void)[] } | { ok: false; error: unknown }

/** `explain` may replace the error that a unit rejects with. */
export function createUnits(db: Db, explain: (error: unknown) => unknown): Units {
  let waiting: Waiting[] = []

  const flush = () => {
    const group = waiting
    waiting = []
    const results = runGroup(db, group)
    for (const [index, one] of group.entries()) settle(one, results[index])
  }

  const settle = (one: Waiting, result: Result | undefined) => {
    try {
      if (result?.ok !== true) throw result?.error
      for (const step of result.steps) step()
      // The list has units of any type; `resolve` stands beside the work whose result this is.
      one.resolve(result.value as never)
    } catch (error) {
      one.reject(explain(error))
    }
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) db.afterTurn(flush)
        waiting.push({ work, resolve, reject })
      }),
  }
}

/**
 * Runs the group without savepoints. If a unit failed, runs it again with savepoints. If the store refused to write,
 * runs each unit alone, so that reads still succeed.
 */
function runGroup(db: Db, group: readonly Waiting[]): Result[] {
  const firstTry = runTogether(db, group, false)
  const lastTry = firstTry.kind === 'needs savepoints' ? runTogether(db, group, true) : firstTry
  if (lastTry.kind === 'committed') return lastTry.results
  return group.map((one) => {
    const single = runTogether(db, [one], true)
    if (single.kind === 'committed' && single.results[0] !== undefined) return single.results[0]
    return { ok: false, error: single.kind === 'refused' ? orUnavailable(db, single.error) : undefined }
  })
}

type Outcome =
  | { kind: 'committed'; results: Result[] }
  | { kind: 'refused'; error: unknown }
  | { kind: 'needs savepoints' }

/**
 * `refused`: the store cannot be written. `needs savepoints`: a unit failed after a write. In both cases everything is
 * rolled back.
 */
function runTogether(db: Db, group: readonly Waiting[], withSavepoints: boolean): Outcome {
  const scopes: UnitScope[] = []
  try {
    const results = db.group(() =>
      group.map((one): Result => {
        const scope = new UnitScope(db, withSavepoints)
        scopes.push(scope)
        const result = runOne(one, scope)
        if (scope.fault !== undefined) throw scope.fault
        return result
      }),
    )
    return { kind: 'committed', results }
  } catch (error) {
    for (const scope of scopes.reverse()) scope.undoFrom(0)
    clearRowCache(db)
    return error === needsSavepoints ? { kind: 'needs savepoints' } : { kind: 'refused', error }
  }
}

const needsSavepoints = Symbol('needs savepoints')

function runOne({ work }: Waiting, scope: UnitScope): Result {
  try {
    return { ok: true, value: scope.attempt(() => work(scope)), steps: scope.steps }
  } catch (error) {
    return { ok: false, error }
  }
}

/** Returns 503 SERVICE_UNAVAILABLE for an error of the database itself, and any other error as it is. */
export const orUnavailable = (db: Db, error: unknown): unknown =>
  db.isUnavailable(error) ? new ApiError('SERVICE_UNAVAILABLE', { reason: messageOf(error) }) : error

class UnitScope implements Scope {
  readonly steps: (() => void)[] = []
  /**
   * The store refused, or a failed part left writes in the transaction (`needs savepoints`): the result of the unit
   * does not count.
   */
  fault: unknown
  readonly #undoing: (() => void)[] = []

  constructor(
    private readonly db: Db,
    private readonly withSavepoints: boolean,
  ) {}

  after(step: () => void): void {
    this.steps.push(step)
  }

  undo(step: () => void): void {
    this.#undoing.push(step)
  }

  attempt<T>(part: () => T): T {
    const { db, withSavepoints } = this
    const { length: stepCount } = this.steps
    const { length: undoCount } = this.#undoing
    const written = withSavepoints ? 0 : db.changedRows()
    try {
      return withSavepoints ? db.transaction(part) : part()
    } catch (error) {
      this.steps.length = stepCount
      this.undoFrom(undoCount)
      if (db.isUnavailable(error)) this.fault ??= error
      else if (withSavepoints) clearRowCache(db)
      else if (db.changedRows() !== written) this.fault ??= needsSavepoints
      throw error
    }
  }

  undoFrom(undoCount: number): void {
    for (const step of this.#undoing.splice(undoCount).reverse()) step()
  }
}

/** Rows that every call needs and hardly any call changes are cached in memory, at most this many for each database. */
const maxEntries = 5000
const caches = new WeakMap<object, Map<string, unknown>>()

function rowsOf(db: Db): Map<string, unknown> {
  let rows = caches.get(db.handle)
  if (rows === undefined) {
    rows = new Map()
    caches.set(db.handle, rows)
  }
  return rows
}

/**
 * Returns the cached value of a key, or calls `look` and caches its result. Code that changes the underlying rows calls
 * `clearRowCache`, or `cacheRow` with the new value.
 */
export function getOrCacheRow<T>(db: Db, key: string, look: () => T): T {
  const rows = rowsOf(db)
  if (rows.has(key)) return rows.get(key) as T
  return cacheRow(db, key, look())
}

export function cacheRow<T>(db: Db, key: string, value: T): T {
  const rows = rowsOf(db)
  if (rows.size >= maxEntries) rows.clear()
  rows.set(key, value)
  return value
}

/** Returns the cached value of a key; undefined if there is none. */
export const rowInCache = <T>(db: Db, key: string): T | undefined => rowsOf(db).get(key) as T | undefined

export const uncacheRow = (db: Db, key: string): void => void rowsOf(db).delete(key)

/** Clears the cache of a database, also after every rollback, because a cached row may no longer exist. `handle` would open a closed database. */
export function clearRowCache(db: Db): void {
  if (db.opened !== null) caches.get(db.opened)?.clear()
}
