/** The database port over SQLite: a file that can be closed while unused, or `:memory:`. */

import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import { codeOf, messageOf } from '../../../base/unknown.js'
import type { SnapshotStore } from '../../../core/snapshots/images.js'
import type { DatabaseDriver, Durability } from '../../../protocol/settings/process.js'
import { type Db, UnusableDatabase } from '../../../store/db.js'
import { isWriteError } from '../durable-file.js'
import { program } from '../program.js'
import { type Connection, type Driver, loadNodeSqlite, memory, sqliteCode } from './driver.js'
import { DatabaseFile, type OpenFiles } from './file.js'
import { type DatabaseLocation, type Handle, handleOn, rejectDamagedFile, rejectForeignFile } from './handle.js'
import { FileSnapshots } from './snapshots.js'

/** Loads the library for versions of Node without their own, which is compiled for each machine. Throws if it is not installed, or not for this version of Node. */
function loadBetterSqlite3(): Driver {
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

const loaders: Record<DatabaseDriver, () => Driver> = { 'better-sqlite3': loadBetterSqlite3, node: loadNodeSqlite }

/** Explains why no database can be opened, with the remedy. */
export class NoDriver extends Error {}

const installIt = 'run "npm install better-sqlite3" next to payments-sandbox'
// Package managers skip install scripts, and then an installation does nothing more.
const buildIt = 'run "npm rebuild better-sqlite3", with pnpm "pnpm approve-builds"'

const loaded = new Map<DatabaseDriver, Driver>()

/** Returns the driver. Throws `NoDriver`. */
export function chooseDriver(requestedDriver: DatabaseDriver | null): Driver {
  const reasons: string[] = []
  let remedy = installIt
  if (program.isExecutable && requestedDriver === 'better-sqlite3')
    throw new NoDriver('the executable does not contain better-sqlite3: remove --database-driver')
  for (const name of namesToTry(requestedDriver)) {
    try {
      const driver = loaded.get(name) ?? loaders[name]()
      loaded.set(name, driver)
      return driver
    } catch (error) {
      reasons.push(reasonOf(name, error))
      if (name === 'better-sqlite3' && !isMissing(error)) remedy = buildIt
    }
  }
  const instead = requestedDriver === null ? '' : 'remove --database-driver, '
  throw new NoDriver(`${reasons.join('; ')}: ${instead}${remedy}, or use Node 22.16 or newer`)
}

function namesToTry(requestedDriver: DatabaseDriver | null): readonly DatabaseDriver[] {
  if (requestedDriver !== null) return [requestedDriver]
  // Node's own is as fast, and does not depend on whether something could be compiled. A better-sqlite3 beside the
  // executable belongs to another program.
  return program.isExecutable ? ['node'] : ['node', 'better-sqlite3']
}

const isMissing = (error: unknown): boolean => codeOf(error) === 'MODULE_NOT_FOUND'

function reasonOf(name: DatabaseDriver, error: unknown): string {
  if (name === 'node') return messageOf(error)
  const why = isMissing(error) ? 'is not installed' : `does not load on Node ${process.versions.node}`
  return `better-sqlite3 ${why}`
}

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
  get handle() {
    return place.handle()
  },
  get opened() {
    return place.opened()
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
  return new UnusableDatabase(`the database is damaged: ${messageOf(error)}`)
}

/** Returns whether an error of the driver or the file system means that the store cannot be written. */
function isUnavailable(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === undefined ? isWriteError(error) : unavailable.test(code)
}

/** Returns whether the error is caused by the database or its file, and not by the program. */
export const isStoreError = (error: unknown): boolean =>
  sqliteCode(error) !== undefined || isWriteError(error) || error instanceof UnusableDatabase

const unavailable = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED|PROTOCOL)/

/** The header of a database in WAL mode is changed, because SQLite cannot open one in memory. */
function imageOf(place: DatabaseLocation): Uint8Array {
  const image = place.handle().connection.serialize()
  if (image[18] === 2) image[18] = image[19] = 1
  return image
}
