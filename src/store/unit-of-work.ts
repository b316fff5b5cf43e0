/**
 * Group commit: the units of work asked for in one event-loop turn run together at its end, one after the other, inside one
 * transaction; after the commit their promises settle. No unit has a savepoint: SQLite would copy every page that it touches first, which was
 * a fifth of a call. So a group in which a unit fails after it has written is rolled back, and runs again with savepoints.
 */

import { ApiError } from '../protocol/platform/errors.js'
import type { Db, Orm } from './db.js'

/** What keeps the doings of a unit outside the database in step with those inside. */
export interface Scope {
  /** Runs once the unit is committed. Must not throw. */
  after(step: () => void): void
  /** Runs where the unit, or the attempt that it was said in, is undone; what was said last runs first. */
  undo(step: () => void): void
  /** A part that may fail by itself: it is undone, the throw goes on, the rest of the unit stands. */
  attempt<T>(part: () => T): T
}

export interface Units {
  /**
   * Runs `work` at the end of this turn: once, and once or twice more where something failed, another unit of the group perhaps.
   * So whatever it does outside the database goes through `after`, or is taken back through `undo`. A throw undoes this unit
   * alone and rejects; `ApiError SERVICE_UNAVAILABLE` where the store cannot be written.
   */
  run<T>(work: (scope: Scope) => T): Promise<T>
}

interface Waiting {
  work: (scope: Scope) => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

type Result = { ok: true; value: unknown; steps: readonly (() => void)[] } | { ok: false; error: unknown }

/** `explain` may put another error in the place of the one that a unit rejects with. */
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
      // Each waits for the result of its own work.
      one.resolve(result.value as never)
    } catch (error) {
      one.reject(explain(error))
    }
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) db.soon(flush)
        waiting.push({ work, resolve, reject })
      }),
  }
}

/** In good hope; then with savepoints, where a unit failed by itself; then each alone, where the store refused, so that reads go on while writes cannot. */
function runGroup(db: Db, group: readonly Waiting[]): Result[] {
  const hoped = runTogether(db, group, false)
  if (hoped.kind === 'committed') return hoped.results
  const careful = hoped.kind === 'refused' ? hoped : runTogether(db, group, true)
  if (careful.kind === 'committed') return careful.results
  return group.map((one) => {
    const alone = runTogether(db, [one], true)
    return alone.kind === 'committed' && alone.results[0] !== undefined ? alone.results[0] : refusal(db, alone)
  })
}

type Outcome =
  | { kind: 'committed'; results: Result[] }
  | { kind: 'refused'; error: unknown }
  | { kind: 'needs savepoints' }

/** `refused`: the store cannot be written; `needs savepoints`: a unit has failed and left something behind. Nothing of it stands then. */
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
    for (const scope of scopes.reverse()) scope.goBack(0, 0)
    forgetRows(db)
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

function refusal(db: Db, outcome: Outcome): Result {
  const error = outcome.kind === 'refused' ? outcome.error : undefined
  if (!db.isUnavailable(error)) return { ok: false, error }
  const reason = error instanceof Error ? error.message : 'unknown'
  return { ok: false, error: new ApiError('SERVICE_UNAVAILABLE', { reason }) }
}

class UnitScope implements Scope {
  readonly steps: (() => void)[] = []
  /** The store has refused, or what a failed part has written still lies in the transaction (`needs savepoints`): whatever comes of the unit, it does not count. */
  fault: unknown
  readonly #undoing: (() => void)[] = []
  readonly #db: Db
  readonly #withSavepoints: boolean

  constructor(db: Db, withSavepoints: boolean) {
    this.#db = db
    this.#withSavepoints = withSavepoints
  }

  after(step: () => void): void {
    this.steps.push(step)
  }

  undo(step: () => void): void {
    this.#undoing.push(step)
  }

  attempt<T>(part: () => T): T {
    const db = this.#db
    const { length: steps } = this.steps
    const { length: undoing } = this.#undoing
    const written = this.#withSavepoints ? 0 : db.written()
    try {
      return this.#withSavepoints ? db.transaction(part) : part()
    } catch (error) {
      this.goBack(steps, undoing)
      if (db.isUnavailable(error)) this.fault ??= error
      else if (this.#withSavepoints) forgetRows(db)
      else if (db.written() !== written) this.fault ??= needsSavepoints
      throw error
    }
  }

  goBack(steps: number, undoing: number): void {
    this.steps.length = steps
    for (const step of this.#undoing.splice(undoing).reverse()) step()
  }
}

/** null if every commit is durable; otherwise settles when it is. Rejects with 503 SERVICE_UNAVAILABLE if the sync fails. */
export function whenDurable(db: Db): Promise<void> | null {
  const durable = db.whenDurable()
  if (durable === null) return null
  return durable.catch((error: unknown) => {
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: error instanceof Error ? error.message : 'unknown' })
  })
}

/** Rows that every call needs and hardly any call changes are cached in memory, at most this many for each database. */
const maxEntries = 5000
const caches = new WeakMap<Orm, Map<string, unknown>>()

function rowsOf(db: Db): Map<string, unknown> {
  let rows = caches.get(db.orm)
  if (rows === undefined) {
    rows = new Map()
    caches.set(db.orm, rows)
  }
  return rows
}

/** The value of a key, looked up once. Whoever writes what it was made of calls `forgetRows`, or `keepRow` with what it is now. */
export function cachedRow<T>(db: Db, key: string, look: () => T): T {
  const rows = rowsOf(db)
  if (rows.has(key)) return rows.get(key) as T
  return keepRow(db, key, look())
}

export function keepRow<T>(db: Db, key: string, value: T): T {
  const rows = rowsOf(db)
  if (rows.size >= maxEntries) rows.clear()
  rows.set(key, value)
  return value
}

/** What is kept under a key, where anything is. */
export const keptRow = <T>(db: Db, key: string): T | undefined => rowsOf(db).get(key) as T | undefined

export const forgetRow = (db: Db, key: string): void => void rowsOf(db).delete(key)

/** Also after every rollback: a row may have been read that is no longer there. */
export function forgetRows(db: Db): void {
  if (db.opened !== null) caches.get(db.opened)?.clear()
}
