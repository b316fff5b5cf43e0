/** The database port over the SQLite of a Durable Object: transactions with the runtime's own call, images row by row. */
import type { Db } from '../../store/db.js'
import { ormOver, type Statement } from '../../store/orm.js'
import { imagesByRows } from './row-image.js'
import type { Cursor, ObjectStorage } from './runtime.js'

interface AlsoStored {
  keep(): void
  undone(): void
}

/** `along` saves further state in the transaction of each group of changes. */
export function databaseOf(storage: ObjectStorage, along: AlsoStored = { keep() {}, undone() {} }): Db {
  const run = (sqlText: string, params: readonly unknown[]): Cursor =>
    storage.sql.exec(sqlText, ...params.map(sqlValue))
  const orm = ormOver({ prepare: (sqlText) => statement(run, sqlText) })
  const db: Db = {
    orm,
    opened: orm,
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
          along.keep()
          return result
        })
      } catch (error) {
        along.undone()
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

/** The runtime caches prepared statements by their text. */
const statement = (run: (sqlText: string, params: unknown[]) => Cursor, sqlText: string): Statement => ({
  run: (...params) => run(sqlText, params),
  all: (...params) => run(sqlText, params).toArray(),
  get: (...params) => run(sqlText, params).toArray()[0],
  raw: () => ({
    all: (...params) => run(sqlText, params).raw().toArray(),
    get: (...params) => run(sqlText, params).raw().toArray()[0],
  }),
})

/** The runtime does not accept bigint and boolean parameters. */
function sqlValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'boolean' ? Number(value) : value
}

/** Its error messages end with SQLite's error code. */
const ofSqlite = /: SQLITE_[A-Z]+$/
const unavailable = /: SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED)$/

const messageOf = (error: unknown) => (error instanceof Error ? error.message : '')
