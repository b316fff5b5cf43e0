/**
 * Group commit: the units of work asked for in one event-loop turn run together at its end, one after the other,
 * each in its own savepoint, inside one transaction; after the commit their promises settle.
 */
import { ApiError } from '../protocol/api/errors.js'
import type { Db } from './db.js'
import { forgetEverything, forgetRows } from './row-cache.js'

export interface Units {
  /** Runs `work` at the end of this turn; a throw undoes this unit alone. `ApiError SERVICE_UNAVAILABLE` where the store cannot be written. */
  run<T>(work: () => T): Promise<T>
  /** Runs whatever is waiting now. */
  flush(): void
}

interface Waiting {
  work: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

type Result = { ok: true; value: unknown } | { ok: false; error: unknown }

export function createUnits(db: Db): Units {
  let waiting: Waiting[] = []

  const flush = () => {
    if (waiting.length === 0) return
    const group = waiting
    waiting = []
    const results = commitGroup(db, group) ?? group.map((one) => commitAlone(db, one))
    for (const [index, one] of group.entries()) settle(one, results[index])
  }

  return {
    flush,
    run: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) db.soon(flush)
        waiting.push({ work, resolve, reject })
      }),
  }
}

/** Undefined where the store refused: then each unit is tried alone, so that reads go on while writes cannot. */
function commitGroup(db: Db, group: Waiting[]): Result[] | undefined {
  try {
    return db.transaction(() => group.map((one) => savepoint(db, one)))
  } catch (error) {
    forgetEverything(db)
    if (group.length > 1) return undefined
    return [{ ok: false, error: translate(db, error) }]
  }
}

function commitAlone(db: Db, one: Waiting): Result {
  try {
    return db.transaction(() => savepoint(db, one))
  } catch (error) {
    return { ok: false, error: translate(db, error) }
  }
}

function savepoint(db: Db, one: Waiting): Result {
  try {
    return { ok: true, value: db.transaction(one.work) }
  } catch (error) {
    forgetRows(db)
    if (db.isUnavailable(error)) throw error
    return { ok: false, error }
  }
}

function translate(db: Db, error: unknown): unknown {
  forgetEverything(db)
  return db.isUnavailable(error)
    ? new ApiError('SERVICE_UNAVAILABLE', { reason: error instanceof Error ? error.message : 'unknown' })
    : error
}

function settle(one: Waiting, result: Result | undefined): void {
  if (result?.ok) one.resolve(result.value as never)
  else one.reject(result?.error)
}
