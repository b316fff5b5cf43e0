/** Rows that every call needs and hardly any call changes, kept in memory per database. */
import type { Db, Orm } from './db.js'

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
