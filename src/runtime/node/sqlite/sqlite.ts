/** The database port over SQLite: a file that can be closed while unused, or `:memory:`. */
import type { SnapshotStore } from '../../../core/snapshots/images.js'
import type { DatabaseDriver, Durability } from '../../../protocol/control/shapes/drivers.js'
import { type Db, UnusableDatabase } from '../../../store/db.js'
import { cannotWrite } from '../durable-file.js'
import { type Driver, memory, sqliteCode } from './driver.js'
import { DatabaseFile } from './file.js'
import { type DatabaseLocation, type Handle, handleOn, rejectDamagedFile, rejectForeignFile } from './handle.js'
import type { OpenFiles } from './open-files.js'
import { FileSnapshots } from './snapshots.js'

/** Opens databases with one library. */
export interface Sqlite {
  readonly driver: DatabaseDriver
  /**
   * Throws the library's error if the file cannot be opened, read or locked. With `openFiles` it is closed while
   * unused. A missing file starts as `first`, or empty.
   */
  open(file: string, openFiles?: OpenFiles, first?: () => Uint8Array): Db
  /** Opens a database in memory: empty, or from an image. */
  openInMemory(image?: Uint8Array): Db
  /** Like `open`, with the store for the snapshots of that file. */
  openWithSnapshots(file: string, openFiles?: OpenFiles, first?: () => Uint8Array): { db: Db; snapshots: SnapshotStore }
}

/** `durability` applies to every file that is opened. */
export function createSqlite(driver: Driver, durability: Durability = 'normal'): Sqlite {
  const openInMemory = (image?: Uint8Array): Db => dbOn(driver, inMemory(driver, image))
  return {
    driver: driver.name,
    open: (file, openFiles, first) =>
      file === memory ? openInMemory() : dbOn(driver, new DatabaseFile(driver, file, durability, openFiles, first)),
    openInMemory,
    openWithSnapshots(file, openFiles, first) {
      const place = new DatabaseFile(driver, file, durability, openFiles, first)
      return { db: dbOn(driver, place), snapshots: new FileSnapshots(place) }
    },
  }
}

/**
 * Opens a private file that is deleted if anything fails: not durable, and with little memory for any size. Throws
 * `UnusableDatabase` if it is damaged.
 */
export function openScratchFile(driver: Driver, file: string): Db {
  const connection = driver.open(file)
  try {
    rejectForeignFile(connection)
    rejectDamagedFile(connection, 'integrity_check')
    const handle = handleOn(connection, 'scratch', () => {})
    connection.exec('pragma journal_mode = OFF; pragma temp_store = FILE; pragma cache_size = -16384')
    return dbOn(driver, createPlace(handle))
  } catch (error) {
    connection.close()
    throw error
  }
}

const dbOn = (driver: Driver, place: DatabaseLocation): Db => ({
  get orm() {
    return place.handle().orm
  },
  get opened() {
    return place.opened()?.orm ?? null
  },
  driver: driver.name,
  isPersistent: place.lasts,
  statement: (sqlText) => place.handle().connection.statement(sqlText),
  query: (sqlText) => place.handle().connection.query(sqlText),
  exec: (sqlText) => place.handle().connection.exec(sqlText),
  transaction: (work) => place.handle().transaction(work),
  group: (work) => place.handle().transaction(work),
  changedRows: () => place.handle().written(),
  afterTurn: (work) => {
    setImmediate(work)
  },
  isUnavailable,
  image: () => imageOf(place),
  inspect: (image, look) => inspectImage(driver, image, look),
  imageOf(fill) {
    const place = inMemory(driver)
    try {
      fill(dbOn(driver, place))
      return imageOf(place)
    } finally {
      place.close()
    }
  },
  replaceWith: (image) => place.swap(image),
  close: () => place.close(),
})

const createPlace = (handle: Handle): DatabaseLocation => ({
  lasts: false,
  handle: () => handle,
  opened: () => handle,
  swap: () => {
    throw new Error('the file cannot be replaced while it is checked')
  },
  close: () => handle.connection.close(),
})

function inMemory(driver: Driver, first?: Uint8Array): DatabaseLocation {
  const open = (image?: Uint8Array): Handle =>
    handleOn(image === undefined ? driver.open(memory) : driver.openImage(image), 'scratch', () => {})
  let handle = open(first)
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

/** Opens an image in memory, so that nothing on disk can be damaged. Throws `UnusableDatabase` if the image is damaged. */
function inspectImage<T>(driver: Driver, image: Uint8Array, look: (candidate: Db) => T): T {
  let place: DatabaseLocation | undefined
  try {
    place = inMemory(driver, image)
    rejectForeignFile(place.handle().connection)
    rejectDamagedFile(place.handle().connection, 'integrity_check')
    return look(dbOn(driver, place))
  } catch (error) {
    throw damageError(error)
  } finally {
    place?.close()
  }
}

/** Converts an SQLite error about unreadable data to `UnusableDatabase`. */
export function damageError(error: unknown): unknown {
  if (sqliteCode(error) === undefined || isUnavailable(error)) return error
  return new UnusableDatabase(`the database is damaged: ${error instanceof Error ? error.message : String(error)}`)
}

/** Returns whether an error of the driver or the file system means that the store cannot be written. */
function isUnavailable(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === undefined ? cannotWrite(error) : unavailable.test(code)
}

/** Returns whether the error is caused by the database or its file, and not by the program. */
export const isStoreError = (error: unknown): boolean =>
  sqliteCode(error) !== undefined || cannotWrite(error) || error instanceof UnusableDatabase

const unavailable = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED|PROTOCOL)/

/** The header of a database in WAL mode is changed, because SQLite cannot open one in memory. */
function imageOf(place: DatabaseLocation): Uint8Array {
  const image = place.handle().connection.serialize()
  if (image[18] === 2) image[18] = image[19] = 1
  return image
}
