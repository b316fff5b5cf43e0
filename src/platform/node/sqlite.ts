/** The database port over SQLite: a file, which is durable and can rest, or `:memory:`. */
import type { Db } from '../../store/db.js'
import { UnusableDatabase } from '../../store/db.js'
import { betterSqlite3 } from './driver-better-sqlite3.js'
import { cannotWrite } from './durable-file.js'
import type { OpenFiles } from './open-files.js'
import { sqliteCode } from './sqlite-driver.js'
import { DatabaseFile } from './sqlite-file.js'
import { type Handle, handleOn, type Place, refuseDamaged, refuseForeign } from './sqlite-handle.js'

export const memory = ':memory:'

/** Throws the driver's error where the file cannot be opened, read or locked. With `openFiles` it is closed while nobody uses it. */
export const openSqlite = (file: string, openFiles?: OpenFiles): Db =>
  file === memory ? openInMemory() : dbOn(new DatabaseFile(betterSqlite3, file, openFiles))

/** Empty, or as an image has it. */
export const openInMemory = (image?: Uint8Array): Db => dbOn(inMemory(open(image ?? memory)))

const open = (image: typeof memory | Uint8Array): Handle =>
  handleOn(image === memory ? betterSqlite3.open(memory, false) : betterSqlite3.openImage(image), false, () => {})

function inMemory(opened: Handle): Place {
  let handle = opened
  return {
    lasts: false,
    handle: () => handle,
    opened: () => handle,
    swap(image) {
      const old = handle
      handle = open(image)
      old.connection.close()
    },
    close: () => handle.connection.close(),
  }
}

function dbOn(place: Place): Db {
  const handle = () => place.handle()
  return {
    get orm() {
      return handle().orm
    },
    get opened() {
      return place.opened()?.orm ?? null
    },
    lasts: place.lasts,
    statement: (sqlText) => handle().connection.statement(sqlText),
    query: (sqlText) => handle().connection.query(sqlText),
    exec: (sqlText) => handle().connection.exec(sqlText),
    transaction: (work) => handle().transaction(work),
    written: () => handle().written(),
    soon: (work) => {
      setImmediate(work)
    },
    isUnavailable,
    image: () => withoutWalMark(handle().connection.serialize()),
    inspect,
    imageOf,
    swap: (image) => place.swap(image),
    close: () => place.close(),
  }
}

function imageOf(fill: (fresh: Db) => void): Uint8Array {
  const fresh = openInMemory()
  try {
    fill(fresh)
    return fresh.image()
  } finally {
    fresh.close()
  }
}

/** In memory, so that nothing on the disk can be hurt. */
function inspect<T>(image: Uint8Array, look: (candidate: Db) => T): T {
  let place: Place | undefined
  try {
    place = inMemory(open(image))
    refuseForeign(place.handle().connection)
    refuseDamaged(place.handle().connection, 'integrity_check')
    return look(dbOn(place))
  } catch (error) {
    if (sqliteCode(error) === undefined || isUnavailable(error)) throw error
    throw new UnusableDatabase(`the database is damaged: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    place?.close()
  }
}

/** Whether an error of the driver or the file system means that the store cannot be written. */
function isUnavailable(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === undefined ? cannotWrite(error) : unavailable.test(code)
}

/** Whether it is the database or its file that is at fault, and not the program. */
export const isOfStore = (error: unknown): boolean =>
  sqliteCode(error) !== undefined || cannotWrite(error) || error instanceof UnusableDatabase

const unavailable = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED|PROTOCOL)/

/** An image of a WAL database says so in its header, and then cannot be opened in memory. */
function withoutWalMark(image: Uint8Array): Uint8Array {
  if (image[18] === 2) image[18] = image[19] = 1
  return image
}
