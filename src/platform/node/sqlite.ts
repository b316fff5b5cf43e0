/** SQLite through better-sqlite3: a file (durable, exclusive) or `:memory:`. */
import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { type Db, type Orm, refuseNewerSchema } from '../../store/db.js'
import * as schema from '../../store/schema.js'
import { cannotWrite, moveIntoPlace, writeBeside } from './durable-file.js'

export const memory = ':memory:'

/** Throws the driver's error where the file cannot be opened, read or locked. */
export function openSqlite(file: string): Db {
  let handle = open(file)
  const image = () => withoutWalMark(handle.sqlite.serialize())
  return {
    get orm() {
      return handle.orm
    },
    statement(sqlText) {
      const prepared = handle.sqlite.prepare(sqlText)
      return (params) => void prepared.run(params)
    },
    exec: (sqlText) => {
      handle.sqlite.exec(sqlText)
    },
    transaction: (work) => handle.transaction(work),
    soon: (work) => {
      setImmediate(work)
    },
    isUnavailable,
    image,
    swap(bytes) {
      if (file === memory) {
        const old = handle
        handle = open(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
        old.sqlite.close()
        return
      }
      const fresh = writeBeside(file, bytes)
      handle.sqlite.close()
      try {
        // Closing has emptied the log into the old file; a log that is left must never meet the new one.
        for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
        moveIntoPlace(fresh, file)
      } finally {
        handle = open(file)
      }
    },
    close() {
      handle.sqlite.close()
    },
  }
}

/** Whether an error of the driver or the file system means that the store cannot be written. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Database.SqliteError ? unavailable.test(error.code) : cannotWrite(error)

const unavailable = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED|PROTOCOL)/

interface Handle {
  sqlite: Database.Database
  orm: Orm
  transaction<T>(work: () => T): T
}

function open(source: string | Buffer): Handle {
  const sqlite: Database.Database = new Database(source as string, { timeout: 0 })
  if (typeof source === 'string' && source !== memory) {
    refuseForeignFile(sqlite)
    // Exclusive before WAL: then no shared-memory file is made, and a second sandbox on the file is refused at once.
    sqlite.pragma('locking_mode = EXCLUSIVE')
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('wal_autocheckpoint = 4000')
    sqlite.exec('begin immediate; commit')
  } else {
    sqlite.pragma('journal_mode = MEMORY')
    sqlite.pragma('synchronous = OFF')
  }
  // Savepoints keep the pages that they change: in memory, not in a temporary file.
  sqlite.pragma('temp_store = MEMORY')
  sqlite.pragma('cache_size = -65536')
  return { sqlite, orm: drizzle(sqlite, { schema }), transaction: transactions(sqlite) }
}

/** Before anything is written: another program's database, a newer version's, or a broken one, is left as it is. */
function refuseForeignFile(sqlite: Database.Database): void {
  const names = sqlite.prepare("select name from sqlite_master where type = 'table'").pluck().all()
  if (names.length > 0 && !names.includes('meta')) throw new Error('the file is a database of some other program')
  if (names.length === 0) return
  refuseNewerSchema(Number(sqlite.prepare("select value from meta where key = 'schema'").pluck().get() ?? 0))
  const pages = Number(sqlite.pragma('page_count', { simple: true }))
  if (pages > quickCheckPages) return
  const verdict = sqlite.pragma('quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw new Error(`the database is damaged: ${String(verdict)}`)
}

/** A larger file is believed: reading all of it would hold up the start. */
const quickCheckPages = 8192

/** Prepared once: better-sqlite3's own helper makes four wrappers at every call. */
function transactions(sqlite: Database.Database): <T>(work: () => T) => T {
  const outer = ['begin immediate', 'commit', 'rollback'].map((text) => sqlite.prepare(text))
  const inner = ['savepoint unit', 'release unit', 'rollback to unit'].map((text) => sqlite.prepare(text))
  return (work) => {
    const nested = sqlite.inTransaction
    const [begin, end, undo] = nested ? inner : outer
    begin?.run()
    try {
      const value = work()
      end?.run()
      return value
    } catch (error) {
      // A full disk makes SQLite roll back by itself.
      if (sqlite.inTransaction) {
        undo?.run()
        if (nested) end?.run()
      }
      throw error
    }
  }
}

/** An image of a WAL database says so in its header, and then cannot be opened in memory. */
function withoutWalMark(image: Buffer): Uint8Array {
  if (image[18] === 2) image[18] = image[19] = 1
  return image
}
