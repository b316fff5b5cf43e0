/** A database in a file: replaced only as a whole, closed while unused, so that file descriptors do not run out, and able to detect that its file was removed. */
import { closeSync, existsSync, fstatSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../../base/unknown.js'
import type { Durability } from '../../../protocol/settings/process.js'
import { closeAsync, moveIntoPlace, syncFolder, writeBeside } from '../durable-file.js'
import { type Driver, databaseSuffixes, sqliteCode } from './driver.js'
import { autocheckpointPages, type DatabaseLocation, type Handle, handleOn } from './handle.js'

export class DatabaseFile implements DatabaseLocation, IdleClosable {
  readonly lasts = true
  /** The open handle; null while the database is closed because it is unused. */
  #handle: Handle | null
  #used = true
  #closed = false
  /** Distinguishes this file from another one of the same name. */
  #inode = 0
  /** True if a change could not be stored, because the file is no longer in its place. */
  #isMisplaced = false
  /** Descriptor that reads the file. Closing it would release SQLite's lock on the file, so it is closed after SQLite's. */
  #reading: number | null = null
  #hold: UnchangedFile | null = null

  /** Opens the file; a missing file starts as `createImage`, or empty. Throws the driver's error if it cannot be opened, read or locked. */
  constructor(
    readonly driver: Driver,
    readonly file: string,
    readonly durability: Durability,
    readonly openFiles?: OpenFiles,
    createImage?: () => Uint8Array,
  ) {
    this.#handle = this.#open(false, createImage)
  }

  handle(): Handle {
    this.#used = true
    const handle = this.#handle ?? this.#reopen()
    return this.#isMisplaced && !handle.connection.inTransaction ? this.#restoreFile(handle) : handle
  }

  opened(): Handle | null {
    return this.#handle
  }

  swap(image: Uint8Array): void {
    this.#exchange(this.handle(), () => writeBeside(this.file, asWalImage(image)))
  }

  /** Replaces this file with another one, which must be checked, on disk, and marked as in WAL mode. */
  replaceFile(fresh: string): void {
    this.#exchange(this.handle(), () => fresh, true)
  }

  /** Moves all commits into the file and prevents further writes to it until it is released. Later commits go into the log. */
  hold(): UnchangedFile {
    const { connection } = this.handle()
    connection.exec('pragma wal_checkpoint(TRUNCATE)')
    connection.exec('pragma wal_autocheckpoint = 0')
    this.#reading ??= openSync(this.file, 'r')
    const unchanged = { descriptor: this.#reading, sizeBytes: fstatSync(this.#reading).size, isWhole: true }
    this.#hold = unchanged
    return unchanged
  }

  endHold(unchanged: UnchangedFile): void {
    if (this.#hold === unchanged) {
      this.#hold = null
      this.#handle?.connection.exec(`pragma wal_autocheckpoint = ${autocheckpointPages}`)
    }
    if (unchanged.descriptor !== this.#reading) closeAsync(unchanged.descriptor)
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

  closeIfIdle(): boolean {
    if (this.#handle === null) return true
    if (this.#hold !== null || this.#handle.connection.inTransaction || inodeOf(this.file) !== this.#inode) return false
    this.#end()
    return true
  }

  #end(): void {
    this.#invalidateHold()
    this.#handle?.connection.close()
    this.#handle = null
    if (this.#reading !== null) closeSync(this.#reading)
    this.#reading = null
  }

  /** Cancels a running copy before the file is written. The copy closes the descriptor that it reads from. */
  #invalidateHold(): void {
    if (this.#hold === null) return
    this.#hold.isWhole = false
    this.#hold = null
    this.#reading = null
  }

  #reopen(): Handle {
    if (this.#closed) throw new Error('the database is closed')
    this.#handle = this.#open(true)
    return this.#handle
  }

  #open(mustExist: boolean, first?: () => Uint8Array, isChecked = false): Handle {
    this.openFiles?.makeRoom()
    try {
      if (mustExist && !existsSync(this.file)) throw cannotOpen(`the database ${this.file} no longer exists`)
      if (!existsSync(dirname(this.file))) throw cannotOpen(`there is no folder ${dirname(this.file)}`)
      if (first !== undefined && !existsSync(this.file))
        replaceDatabase(writeBeside(this.file, asWalImage(first())), this.file)
      const kind = { durability: this.durability, isChecked }
      const handle = handleOn(this.driver.open(this.file), kind, () => this.#requireInPlace())
      this.#inode = inodeOf(this.file) ?? 0
      this.openFiles?.opened(this)
      return handle
    } catch (error) {
      throw (mayLackDescriptors(error) && descriptorShortage(dirname(this.file))) || error
    }
  }

  /** Throws if the file was deleted: anything written to it would be lost with the process. */
  #requireInPlace(): void {
    if (inodeOf(this.file) === this.#inode) return
    this.#isMisplaced = true
    const message = `the database ${this.file} was moved or deleted: put it back, or create its folder again`
    throw Object.assign(new Error(message), { code: 'ENOENT' })
  }

  /**
   * Once the folder exists again, writes the contents of the open handle to a new file. Leaves another file in that
   * place alone.
   */
  #restoreFile(handle: Handle): Handle {
    const inode = inodeOf(this.file)
    if (inode !== this.#inode && (inode !== undefined || !existsSync(dirname(this.file)))) return handle
    if (inode === undefined)
      this.#exchange(handle, () => writeBeside(this.file, asWalImage(handle.connection.serialize())))
    this.#isMisplaced = false
    return this.#handle ?? handle
  }

  #exchange(old: Handle, write: () => string, isChecked = false): void {
    // SQLite must never apply the old log to the new file: the log is moved into the old file, or the exchange fails.
    old.connection.exec('pragma wal_checkpoint(TRUNCATE)')
    const fresh = write()
    // Freeing the space of a large file blocks the event loop, so the last descriptor is closed outside it.
    const lastDescriptor = existsSync(this.file) ? openSync(this.file, 'r') : null
    this.#end()
    let isGone = false
    try {
      replaceDatabase(fresh, this.file)
      isGone = true
    } finally {
      // If the file is opened again, closing this descriptor later would release its lock.
      if (lastDescriptor !== null && isGone) closeAsync(lastDescriptor)
      else if (lastDescriptor !== null) closeSync(lastDescriptor)
      this.#handle = this.#open(true, undefined, isChecked)
    }
  }
}

/** A file that does not change while it is copied. */
interface UnchangedFile {
  readonly descriptor: number
  readonly sizeBytes: number
  /** False if the file was written nevertheless; the copy is then invalid. */
  isWhole: boolean
}

/** Marks an image as a database in WAL mode; SQLite would need four syncs for it. */
function asWalImage(image: Uint8Array): Uint8Array {
  // `slice` of a Buffer would share its bytes, and the image is used again.
  const bytes = new Uint8Array(image)
  bytes[18] = bytes[19] = 2
  return bytes
}

/** Moves a new file into place. SQLite would apply a remaining log to it, so the log is deleted from disk first. */
function replaceDatabase(fresh: string, file: string): void {
  const remainingFiles = databaseSuffixes.map((end) => file + end).filter((path) => existsSync(path))
  for (const path of remainingFiles) rmSync(path)
  if (remainingFiles.length > 0) syncFolder(dirname(file))
  moveIntoPlace(fresh, file)
}

/** Returns whether descriptors may be missing: SQLite reports this with the code of a file that must not be opened. */
const mayLackDescriptors = (error: unknown) =>
  sqliteCode(error)?.startsWith('SQLITE_CANTOPEN') === true || /^E[MN]FILE$/.test(codeOf(error) ?? '')

/** Creates an error with the code of SQLite. SQLite itself would create the file, or give no reason. */
const cannotOpen = (message: string) => Object.assign(new Error(message), { code: 'SQLITE_CANTOPEN' })

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

/** A database that can be closed and reopened by itself. */
interface IdleClosable {
  /** Returns whether the database was used since the last call. */
  wasUsed(): boolean
  /** Closes the database unless a transaction is running; returns whether it is closed. */
  closeIfIdle(): boolean
}

export interface OpenFiles {
  /** Closes unused databases if many are open. Must be called before opening a file. */
  makeRoom(): void
  opened(file: IdleClosable): void
  closed(file: IdleClosable): void
  end(): void
}

/** Time between two checks. A database that was not used in between is closed. */
const lookEveryMs = 2000
/** Closing waits for the disk, so it takes at most one of this many parts of the time. */
const closingPart = 5
/** Up to this number of open files no limit applies. Above it the limit of the process is read, which is slow. */
const alwaysAllowed = 32
/** More open databases take too much memory. */
const mostOpen = 400
/** Descriptors for each database: its file, and its log twice. The other half is for sockets and other files of the process. */
const descriptorsEach = 6

export function createOpenFiles(): OpenFiles {
  /** Those that were opened or kept last are at the end. */
  const open = new Set<IdleClosable>()
  let timer: NodeJS.Timeout | undefined
  let most: number | undefined
  let unused: IdleClosable[] = []

  const lookAfter = (delayMs: number) => {
    timer = setTimeout(closeNext, delayMs).unref()
  }
  const closeNext = () => {
    if (unused.length === 0) unused = [...open].filter((file) => !file.wasUsed())
    const startedMs = performance.now()
    const file = unused.pop()
    if (file !== undefined && open.has(file) && !file.wasUsed() && file.closeIfIdle()) open.delete(file)
    lookAfter(unused.length === 0 ? lookEveryMs : (closingPart - 1) * (performance.now() - startedMs))
  }
  return {
    makeRoom() {
      if (open.size < alwaysAllowed) return
      most ??= Math.min(mostOpen, Math.max(alwaysAllowed, (descriptorLimit() ?? 1024) / descriptorsEach))
      // Those that were used lately are closed only if all were.
      for (const mayBeUsed of [false, true])
        for (const file of [...open]) {
          if (open.size < most) return
          const isKept = !mayBeUsed && file.wasUsed()
          if (!isKept && !file.closeIfIdle()) continue
          open.delete(file)
          if (isKept) open.add(file)
        }
    },
    opened(file) {
      open.add(file)
      if (timer === undefined) lookAfter(lookEveryMs)
    },
    closed: (file) => void open.delete(file),
    end() {
      clearTimeout(timer)
      open.clear()
    },
  }
}

/** Returns the limit of descriptors of the process; null if the system does not report it. */
function descriptorLimit(): number | null {
  const report = process.report?.getReport() as unknown as { userLimits?: { open_files?: { soft: unknown } } }
  const limit = Number(report?.userLimits?.open_files?.soft)
  return Number.isFinite(limit) ? limit : null
}

/** Returns the true cause of a failed opening if descriptors ran out, because SQLite's error blames the file; otherwise null. */
function descriptorShortage(folder: string): Error | null {
  const descriptors: number[] = []
  try {
    // Opens all at once, because the descriptors of the failed opening are free again.
    while (descriptors.length < descriptorsEach) descriptors.push(openSync(folder, 'r'))
    return null
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EMFILE' && code !== 'ENFILE') return null
    const limit = descriptorLimit()
    const message = `the process has reached its limit of open files and connections${limit === null ? '' : ` (${limit}, ulimit -n)`}`
    return Object.assign(new Error(message), { code })
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}
