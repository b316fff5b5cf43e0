/** SQLite through better-sqlite3: the fastest driver, compiled for each machine. */
import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import type { Statement } from '../../../store/orm.js'
import type { Connection, Driver } from './driver.js'

/** Loads the library. Throws if it is not installed, or not for this version of Node. */
export function loadBetterSqlite3(): Driver {
  const Library = createRequire(import.meta.url)('better-sqlite3') as typeof Database
  // The native code is loaded only with the first database.
  new Library(':memory:').close()
  return {
    name: 'better-sqlite3',
    open: (file) => connect(new Library(file, { timeout: 0 })),
    openImage: (image) => connect(new Library(Buffer.from(image.buffer, image.byteOffset, image.byteLength))),
  }
}

const connect = (library: Database.Database): Connection => ({
  prepare: (sqlText): Statement => library.prepare(sqlText),
  statement(sqlText) {
    const prepared = library.prepare(sqlText)
    return (params) => void prepared.run(params)
  },
  query(sqlText) {
    const prepared = library.prepare<unknown[], unknown[]>(sqlText).raw()
    const names = namesOf(sqlText, prepared)
    return (params) => prepared.all(params).map((values) => toRow(names, values))
  },
  scalar(sqlText) {
    const prepared = library.prepare(sqlText).pluck()
    return () => prepared.get()
  },
  exec: (sqlText) => void library.exec(sqlText),
  get inTransaction() {
    return library.inTransaction
  },
  serialize: () => library.serialize(),
  close: () => void library.close(),
})

const known = new Map<string, readonly string[]>()

/** Returns the column names, cached by SQL text: all databases have the same tables, and reading the names took 4 % of a workspace. */
function namesOf(sqlText: string, prepared: Database.Statement<unknown[], unknown[]>): readonly string[] {
  const names = known.get(sqlText) ?? prepared.columns().map(({ name }) => name)
  known.set(sqlText, names)
  return names
}

/** Builds the row object here: the library's objects take twice as long, and longer with each field that is read. */
function toRow(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) row[names[at] ?? ''] = values[at]
  return row
}
