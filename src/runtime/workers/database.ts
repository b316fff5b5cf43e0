/** The database port over the SQLite of a Durable Object: transactions with the runtime's own call. It cannot copy a database file, so an image is all rows as JSON. */

import { messageOf } from '../../base/unknown.js'
import type { SnapshotTable } from '../../protocol/control/snapshots.js'
import { type Db, requireSameSchema, schemaNumber, UnusableDatabase } from '../../store/db.js'
import { dumpTables, fillTables, tableNames } from '../../store/dump.js'
import { clearRowCache } from '../../store/unit-of-work.js'
import type { Cursor, ObjectStorage } from './runtime.js'

interface AlsoStored {
  save(): void
  noteRollback(): void
}

/** `along` saves further state in the transaction of each group of changes. */
export function databaseOf(storage: ObjectStorage, along: AlsoStored = { save() {}, noteRollback() {} }): Db {
  const run = (sqlText: string, params: readonly unknown[]): Cursor =>
    storage.sql.exec(sqlText, ...params.map(sqlValue))
  const handle = {}
  const db: Db = {
    handle,
    opened: handle,
    driver: 'durable-object',
    isPersistent: true,
    statement: (sqlText) => (params) => void run(sqlText, params),
    query: (sqlText) => (params) => run(sqlText, params).toArray(),
    exec: (sqlText) => void run(sqlText, []),
    transaction: (work) => storage.transactionSync(work),
    // The runtime sends nothing out of the object before its writes are durable.
    group(work) {
      try {
        return storage.transactionSync(() => {
          const result = work()
          along.save()
          return result
        })
      } catch (error) {
        along.noteRollback()
        throw error
      }
    },
    changedRows: () => Number(run('select total_changes() as written', []).toArray()[0]?.written),
    afterTurn: (work) => {
      setImmediate(work)
    },
    isUnavailable: (error) => unavailable.test(messageOf(error)),
    ...imagesByRows(
      () => db,
      (error) => ofSqlite.test(messageOf(error)),
    ),
    // The database lives as long as its object.
    close: () => undefined,
  }
  return db
}

/** The runtime does not accept bigint and boolean parameters. */
function sqlValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'boolean' ? Number(value) : value
}

/** Its error messages end with SQLite's error code. */
const ofSqlite = /: SQLITE_[A-Z]+$/
const unavailable = /: SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED)$/

type ByRows = Pick<Db, 'image' | 'inspect' | 'imageOf' | 'replaceWith'>

interface RowImage {
  schema: number
  tables: Record<string, SnapshotTable>
}

/** Adds to `db` the functions that need a copy of the database. `isOfStore` separates database errors from program errors. */
function imagesByRows(db: () => Db, isOfStore: (error: unknown) => boolean): ByRows {
  const image = () => encoded({ schema: schemaNumber, tables: dumpTables(db()) })
  const replace = ({ schema, tables }: RowImage) => {
    requireSameSchema(schema)
    emptyDatabase(db())
    fillTables(db(), tables)
    clearRowCache(db())
  }
  return {
    image,
    inspect: (bytes, look) =>
      tried(db(), () => {
        orUnusable(db(), isOfStore, () => replace(decoded(bytes)))
        return look(db())
      }),
    imageOf: (fill) =>
      tried(db(), () => {
        emptyDatabase(db())
        fill(db())
        return image()
      }),
    replaceWith: (bytes) => db().transaction(() => replace(decoded(bytes))),
  }
}

/** Returns the result of `work` and rolls back its writes. */
function tried<T>(db: Db, work: () => T): T {
  let found: { value: T } | undefined
  try {
    db.transaction(() => {
      found = { value: work() }
      throw takenBack
    })
  } catch (error) {
    if (error !== takenBack) throw error
  } finally {
    clearRowCache(db)
  }
  if (found === undefined) throw new Error('the database transaction ended before its work began')
  return found.value
}

const takenBack = Symbol('taken back')

function orUnusable(db: Db, isOfStore: (error: unknown) => boolean, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!isOfStore(error) || db.isUnavailable(error)) throw error
    throw new UnusableDatabase(`its rows do not match the schema: ${messageOf(error)}`)
  }
}

const emptyDatabase = (db: Db) => db.exec(tableNames.map((name) => `drop table if exists "${name}"`).join(';'))

const encoded = (image: RowImage): Uint8Array => new TextEncoder().encode(JSON.stringify(image))

/** Parses an image. Throws `UnusableDatabase`. */
function decoded(bytes: Uint8Array): RowImage {
  try {
    // `encoded` wrote it, and its checksum was verified.
    return JSON.parse(new TextDecoder().decode(bytes)) as RowImage
  } catch {
    throw new UnusableDatabase('the image cannot be read')
  }
}
