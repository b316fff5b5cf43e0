/** SQLite through better-sqlite3: a file (durable, exclusive) or `:memory:`. */
import { rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { type Db, type Orm, refuseNewerSchema, UnusableDatabase } from '../../store/db.js'
import * as schema from '../../store/schema.js'
import { cannotWrite, moveIntoPlace, writeBeside } from './durable-file.js'

export const memory = ':memory:'

/** Throws the driver's error where the file cannot be opened, read or locked. */
export const openSqlite = (file: string): Db => dbOn(file, open(file))

function dbOn(file: string, opened: Handle): Db {
  let handle = opened
  const image = () => withoutWalMark(handle.sqlite.serialize())
  return {
    get orm() {
      return handle.orm
    },
    statement(sqlText) {
      const prepared = handle.sqlite.prepare(sqlText)
      return (params) => void prepared.run(params)
    },
    query(sqlText) {
      const prepared = handle.sqlite.prepare(sqlText)
      return (params) => prepared.all(params)
    },
    exec: (sqlText) => {
      handle.sqlite.exec(sqlText)
    },
    transaction: (work) => handle.transaction(work),
    written: () => handle.written(),
    soon: (work) => {
      setImmediate(work)
    },
    isUnavailable,
    image,
    inspect,
    swap(bytes) {
      if (file === memory) {
        const old = handle
        handle = openImage(bytes)
        old.sqlite.close()
        return
      }
      const fresh = writeBeside(file, bytes)
      // A log that is left must never meet the new file, so all of it goes into the old one, or nothing happens.
      handle.sqlite.pragma('wal_checkpoint(TRUNCATE)')
      handle.sqlite.close()
      try {
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

/** In memory, so that nothing on the disk can be hurt. */
function inspect<T>(image: Uint8Array, look: (candidate: Db) => T): T {
  let candidate: Db | undefined
  try {
    const handle = openImage(image)
    candidate = dbOn(memory, handle)
    refuseForeign(handle.sqlite)
    refuseDamaged(handle.sqlite, 'integrity_check')
    return look(candidate)
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || isUnavailable(error)) throw error
    throw new UnusableDatabase(`the database is damaged: ${error.message}`)
  } finally {
    candidate?.close()
  }
}

const openImage = (image: Uint8Array): Handle => open(Buffer.from(image.buffer, image.byteOffset, image.byteLength))

/** Whether an error of the driver or the file system means that the store cannot be written. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Database.SqliteError ? unavailable.test(error.code) : error instanceof FileGone || cannotWrite(error)

/** SQLite goes on with a file that was deleted, and all that it acknowledges is lost with the process. */
class FileGone extends Error {
  constructor(file: string) {
    super(`the database file ${file} is no longer there`)
  }
}

const unavailable = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED|PROTOCOL)/

interface Handle {
  sqlite: Database.Database
  orm: Orm
  transaction<T>(work: () => T): T
  written(): number
}

const isFile = (source: string | Buffer): source is string => typeof source === 'string' && source !== memory

function open(source: string | Buffer): Handle {
  const sqlite: Database.Database = new Database(source as string, { timeout: 0 })
  if (isFile(source)) {
    refuseForeign(sqlite)
    if (pagesOf(sqlite) <= quickCheckPages) refuseDamaged(sqlite, 'quick_check')
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
  if (sqlite.pragma('application_id', { simple: true }) === 0) sqlite.pragma(`application_id = ${applicationId}`)
  // Savepoints keep the pages that they change: in memory, not in a temporary file.
  sqlite.pragma('temp_store = MEMORY')
  sqlite.pragma('cache_size = -65536')
  const changes = sqlite.prepare<[], number>('select total_changes()').pluck()
  const written = () => changes.get() ?? 0
  const transaction = transactions(sqlite, isFile(source) ? source : null)
  return { sqlite, orm: drizzle(sqlite, { schema }), transaction, written }
}

/** Before anything is written: another program's database, or a newer version's, is left as it is. */
function refuseForeign(sqlite: Database.Database): void {
  const id = sqlite.pragma('application_id', { simple: true })
  const names = sqlite.prepare("select name from sqlite_master where type = 'table'").pluck().all()
  // Files of the first version bear no id.
  if ((id !== 0 && id !== applicationId) || (names.length > 0 && !names.includes('meta')))
    throw new UnusableDatabase('the file is a database of some other program')
  if (names.length === 0) return
  refuseNewerSchema(Number(sqlite.prepare("select value from meta where key = 'schema'").pluck().get() ?? 0))
}

/** Tells our files from those of other programs that use SQLite: `PAYS`. */
const applicationId = 0x50415953

function refuseDamaged(sqlite: Database.Database, check: 'quick_check' | 'integrity_check'): void {
  const verdict = sqlite.pragma(`${check}(1)`, { simple: true })
  if (verdict !== 'ok') throw new UnusableDatabase(`the database is damaged: ${String(verdict)}`)
}

const pagesOf = (sqlite: Database.Database) => Number(sqlite.pragma('page_count', { simple: true }))

/** A larger file is believed: reading all of it would hold up the start. */
const quickCheckPages = 8192

/** Prepared once: better-sqlite3's own helper makes four wrappers at every call. */
function transactions(sqlite: Database.Database, file: string | null): <T>(work: () => T) => T {
  const outer = ['begin immediate', 'commit', 'rollback'].map((text) => sqlite.prepare(text))
  const inner = ['savepoint unit', 'release unit', 'rollback to unit'].map((text) => sqlite.prepare(text))
  return (work) => {
    const nested = sqlite.inTransaction
    if (file !== null && !nested && statSync(file, { throwIfNoEntry: false }) === undefined) throw new FileGone(file)
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
