/** Rows that every call needs and hardly any call changes, kept in memory per database. */
import type { Db, Orm } from './db.js'

const maxEntries = 5000
const caches = new WeakMap<Orm, Map<string, unknown>>()
const indexes = new WeakMap<Orm, Map<string, unknown>>()

function mapOf(maps: typeof caches, db: Db): Map<string, unknown> {
  let map = maps.get(db.orm)
  if (map === undefined) {
    map = new Map()
    maps.set(db.orm, map)
  }
  return map
}

/** The value of a key, looked up once. Whoever writes what it was made of calls `forgetRows`, or `keepRow` with what it is now. */
export function cachedRow<T>(db: Db, key: string, look: () => T): T {
  const rows = mapOf(caches, db)
  if (rows.has(key)) return rows.get(key) as T
  return keepRow(db, key, look())
}

export function keepRow<T>(db: Db, key: string, value: T): T {
  const rows = mapOf(caches, db)
  if (rows.size >= maxEntries) rows.clear()
  rows.set(key, value)
  return value
}

/** Also after every rollback: a row may have been read that is no longer there. */
export function forgetRows(db: Db): void {
  caches.get(db.orm)?.clear()
}

/** A whole table as an index in memory, loaded once; whoever fails after changing it takes the change back. */
export function memoryIndex<T>(db: Db, name: string, load: () => T): T {
  const map = mapOf(indexes, db)
  if (!map.has(name)) map.set(name, load())
  return map.get(name) as T
}

/** When the store has refused a commit, or all rows were replaced: nothing in memory is sure any more. */
export function forgetEverything(db: Db): void {
  forgetRows(db)
  indexes.get(db.orm)?.clear()
}
