/** A database in a file: it is made and exchanged as a whole, it rests while nobody uses it, and it notices when the file is taken away. */
import { closeSync, existsSync, fstatSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { closeLater, codeOf, moveIntoPlace, syncFolder, writeBeside } from '../durable-file.js'
import { besideFile, type Driver, sqliteCode } from './driver.js'
import { autocheckpointPages, type Handle, handleOn, type Place } from './handle.js'
import { LogSync } from './log-sync.js'
import { descriptorsGone, type OpenFiles, type Restable } from './open-files.js'

export class DatabaseFile implements Place, Restable {
  readonly lasts = true
  /** null while it rests. */
  #handle: Handle | null
  #used = true
  #closed = false
  /** Tells this file from another one of the same name. */
  #inode = 0
  /** A change could not be kept, because the file is no longer where it was. */
  #isAstray = false
  readonly #log: LogSync
  /** Reads the file as it lies there. To close it would take SQLite's lock off the file, so that happens after SQLite has closed it. */
  #reading: number | null = null
  #held: HeldFile | null = null

  /** One that is not there begins as `first`, or empty. Throws the driver's error where the file cannot be opened, read or locked. */
  constructor(
    readonly driver: Driver,
    readonly file: string,
    readonly openFiles?: OpenFiles,
    first?: () => Uint8Array,
  ) {
    this.#log = new LogSync(`${file}-wal`, () => {
      if (this.#held !== null) this.#held.isWhole = false
      this.handle().connection.exec('pragma wal_checkpoint(TRUNCATE)')
    })
    this.#handle = this.#open(false, first)
  }

  handle(): Handle {
    this.#used = true
    const handle = this.#handle ?? this.#wake()
    return this.#isAstray && !handle.connection.inTransaction ? this.#comeBack(handle) : handle
  }

  opened(): Handle | null {
    return this.#handle
  }

  group<T>(work: () => T): T {
    const handle = this.handle()
    const before = handle.written()
    handle.connection.exec('pragma synchronous = NORMAL')
    try {
      return handle.transaction(work)
    } finally {
      handle.connection.exec('pragma synchronous = FULL')
      if (handle.written() !== before) this.#log.committed()
    }
  }

  whenDurable(): Promise<void> | null {
    return this.#log.whenDurable()
  }

  swap(image: Uint8Array): void {
    this.#exchange(this.handle(), () => writeBeside(this.file, asFile(image)))
  }

  /** Puts a file in the place of this one: checked, on the disk, marked as one with a log. */
  swapFile(fresh: string): void {
    this.#exchange(this.handle(), () => fresh, true)
  }

  /** All that is committed lies in the file, and nothing is written into it until the end of the hold: what is committed meanwhile goes into the log. */
  hold(): HeldFile {
    const { connection } = this.handle()
    connection.exec('pragma wal_checkpoint(TRUNCATE)')
    connection.exec('pragma wal_autocheckpoint = 0')
    this.#reading ??= openSync(this.file, 'r')
    const held = { descriptor: this.#reading, sizeBytes: fstatSync(this.#reading).size, isWhole: true }
    this.#held = held
    return held
  }

  endHold(held: HeldFile): void {
    if (this.#held === held) {
      this.#held = null
      this.#handle?.connection.exec(`pragma wal_autocheckpoint = ${autocheckpointPages}`)
    }
    if (held.descriptor !== this.#reading) closeLater(held.descriptor)
  }

  close(): void {
    this.#closed = true
    this.openFiles?.closed(this)
    this.#end()
  }

  wasUsed(): boolean {
    const used = this.#used
    this.#used = false
    return used
  }

  rest(): boolean {
    if (this.#handle === null) return true
    if (this.#held !== null || this.#handle.connection.inTransaction || inodeOf(this.file) !== this.#inode) return false
    this.#end()
    return true
  }

  #end(): void {
    this.#letGo()
    this.#handle?.connection.close()
    this.#handle = null
    if (this.#reading !== null) closeSync(this.#reading)
    this.#reading = null
    this.#log.end()
  }

  /** The file is about to be written: who copies it has to give up, and closes what it reads by. */
  #letGo(): void {
    if (this.#held === null) return
    this.#held.isWhole = false
    this.#held = null
    this.#reading = null
  }

  #wake(): Handle {
    if (this.#closed) throw new Error('the database is closed')
    this.#handle = this.#open(true)
    return this.#handle
  }

  #open(mustExist: boolean, first?: () => Uint8Array, isChecked = false): Handle {
    this.openFiles?.makeRoom()
    try {
      if (mustExist && !existsSync(this.file)) throw cannotOpen(`the database ${this.file} is gone`)
      if (!existsSync(dirname(this.file))) throw cannotOpen(`there is no folder ${dirname(this.file)}`)
      if (first !== undefined && !existsSync(this.file)) takePlace(writeBeside(this.file, asFile(first())), this.file)
      const handle = handleOn(this.driver.open(this.file), isChecked ? 'checked file' : 'file', () =>
        this.#requireInPlace(),
      )
      this.#inode = inodeOf(this.file) ?? 0
      this.openFiles?.opened(this)
      return handle
    } catch (error) {
      throw (mayLackDescriptors(error) && descriptorsGone(dirname(this.file))) || error
    }
  }

  /** What is written into a file that has been deleted would be lost with the process. */
  #requireInPlace(): void {
    if (inodeOf(this.file) === this.#inode) return
    this.#isAstray = true
    const message = `the database ${this.file} is no longer where it was: put it back, or make its folder again`
    throw Object.assign(new Error(message), { code: 'ENOENT' })
  }

  /** Once its folder is there again, what the open handle still holds is written down anew; another file there is left alone. */
  #comeBack(handle: Handle): Handle {
    const inode = inodeOf(this.file)
    if (inode !== this.#inode && (inode !== undefined || !existsSync(dirname(this.file)))) return handle
    if (inode === undefined) this.#exchange(handle, () => writeBeside(this.file, asFile(handle.connection.serialize())))
    this.#isAstray = false
    return this.#handle ?? handle
  }

  #exchange(old: Handle, write: () => string, isChecked = false): void {
    // A log that is left must never meet the new file, so all of it goes into the old one, or nothing happens.
    old.connection.exec('pragma wal_checkpoint(TRUNCATE)')
    const fresh = write()
    // To free what a large file took holds up everybody: the last to close it does so beside the event loop.
    const last = existsSync(this.file) ? openSync(this.file, 'r') : null
    this.#end()
    let isGone = false
    try {
      takePlace(fresh, this.file)
      isGone = true
    } finally {
      // Of a file that is opened again, a late closing would take the lock.
      if (last !== null && isGone) closeLater(last)
      else if (last !== null) closeSync(last)
      this.#handle = this.#open(true, undefined, isChecked)
    }
  }
}

/** A file that stands still while it is copied. */
export interface HeldFile {
  readonly descriptor: number
  readonly sizeBytes: number
  /** false once it has been written all the same: what was copied of it is worth nothing. */
  isWhole: boolean
}

/** Marked as one with a log: SQLite needs four syncs to make it one. */
function asFile(image: Uint8Array): Uint8Array {
  // The slice of a Buffer would be the same bytes: the image is kept, for the next one.
  const bytes = new Uint8Array(image)
  bytes[18] = bytes[19] = 2
  return bytes
}

/** A log that is left there would be read into the database that comes: it is gone from the disk first. */
function takePlace(fresh: string, file: string): void {
  const left = besideFile.map((end) => file + end).filter((path) => existsSync(path))
  for (const path of left) rmSync(path)
  if (left.length > 0) syncFolder(dirname(file))
  moveIntoPlace(fresh, file)
}

/** SQLite's own word for it is the same as for a file that may not be opened. */
const mayLackDescriptors = (error: unknown) =>
  sqliteCode(error)?.startsWith('SQLITE_CANTOPEN') === true || /^E[MN]FILE$/.test(codeOf(error))

/** As SQLite says it, which would make the file, or say no more. */
const cannotOpen = (message: string) => Object.assign(new Error(message), { code: 'SQLITE_CANTOPEN' })

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino
