/** The database port over the SQLite of a Durable Object: transactions by its own call, images by rows. */
import type { Db } from '../../store/db.js'
import { ormOver, type Statement } from '../../store/orm.js'
import { imagesByRows } from '../../store/row-image.js'
import type { Cursor, ObjectStorage } from './runtime.js'

interface Along {
  keep(): void
  undone(): void
}

/** `along` is what is kept with every group of changes, or not at all. */
export function databaseOf(storage: ObjectStorage, along: Along = { keep() {}, undone() {} }): Db {
  const run = (sqlText: string, params: readonly unknown[]): Cursor => storage.sql.exec(sqlText, ...params.map(plain))
  const orm = ormOver({ prepare: (sqlText) => statement(run, sqlText) })
  const db: Db = {
    orm,
    opened: orm,
    driver: 'durable-object',
    lasts: true,
    statement: (sqlText) => (params) => void run(sqlText, params),
    query: (sqlText) => (params) => run(sqlText, params).toArray(),
    exec: (sqlText) => void run(sqlText, []),
    transaction: (work) => storage.transactionSync(work),
    // The runtime lets nothing out of the object before what was written is durable.
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
    whenDurable: () => null,
    written: () => Number(run('select total_changes() as written', []).toArray()[0]?.written),
    soon: (work) => {
      setImmediate(work)
    },
    isUnavailable: (error) => unavailable.test(messageOf(error)),
    ...imagesByRows(
      () => db,
      (error) => ofSqlite.test(messageOf(error)),
    ),
    // It is the object's for as long as there is one.
    close: () => undefined,
  }
  return db
}

/** Statements are kept prepared by the runtime, by their text. */
const statement = (run: (sqlText: string, params: unknown[]) => Cursor, sqlText: string): Statement => ({
  run: (...params) => run(sqlText, params),
  all: (...params) => run(sqlText, params).toArray(),
  get: (...params) => run(sqlText, params).toArray()[0],
  raw: () => ({
    all: (...params) => run(sqlText, params).raw().toArray(),
    get: (...params) => run(sqlText, params).raw().toArray()[0],
  }),
})

/** It takes neither big numbers nor truth values for what they are. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'boolean' ? Number(value) : value
}

/** Its errors say in their text what SQLite calls them. */
const ofSqlite = /: SQLITE_[A-Z]+$/
const unavailable = /: SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED)$/

const messageOf = (error: unknown) => (error instanceof Error ? error.message : '')
