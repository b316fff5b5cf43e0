/**
 * Snapshots as files beside the database: `sandbox.db.s-NAME`. A worker thread copies, checks, writes and reads them
 * while calls continue.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ImageInfo, PreparedSnapshot, ReceivedFile, SnapshotStore } from '../../../core/snapshots/images.js'
import { isName } from '../../../core/unit/ports.js'
import { type FileJobs, startThread, type Thread } from '../background/run.js'
import { freeSpaceAsync, moveIntoPlace, removeFileAsync } from '../durable-file.js'
import { databaseSuffixes } from './driver.js'
import type { DatabaseFile } from './file.js'

export class FileSnapshots implements SnapshotStore {
  /** Running threads, and the file that each one writes. */
  readonly #running = new Map<Thread, string>()
  #count = 0

  constructor(private readonly place: DatabaseFile) {}

  list(): ImageInfo[] {
    return namesBeside(this.place.file, '.s-').map((name) => imageInfo(name, this.#fileOf(name)))
  }

  remove(name: string): boolean {
    const file = this.#fileOf(name)
    const found = existsSync(file)
    removeFileAsync(file)
    return found
  }

  rename(from: string, to: string): void {
    this.#store(this.#fileOf(from), to)
  }

  async save(name: string): Promise<void> {
    const hold = this.place.hold()
    const to = this.#unfinishedFile()
    try {
      await this.#run('file.copy', { descriptor: hold.descriptor, sizeBytes: hold.sizeBytes, to })
    } finally {
      this.place.endHold(hold)
    }
    if (hold.isWhole) return this.#store(to, name)
    removeFileAsync(to)
    throw Object.assign(new Error('the database file was replaced while it was copied'), { code: 'SQLITE_BUSY' })
  }

  async prepare(name: string): Promise<PreparedSnapshot> {
    const to = this.#unfinishedFile()
    await this.#run('file.prepare', { from: this.#fileOf(name), to })
    return { swap: () => this.place.replaceFile(to), discard: () => removeFileAsync(to) }
  }

  async exportPieces(name: string): Promise<AsyncIterable<Uint8Array>> {
    const to = this.#unfinishedFile()
    const thread = this.#begin('file.export', { from: this.#fileOf(name), to })
    const end = () => {
      this.#finish(thread)
      removeFileAsync(to)
    }
    try {
      return piecesOf(thread, await nextPiece(thread), end)
    } catch (error) {
      end()
      throw error
    }
  }

  async receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedFile> {
    const from = this.#unfinishedFile()
    const discard = () => removeFileAsync(from)
    try {
      await write(from, pieces)
    } catch (error) {
      discard()
      throw error
    }
    const store = async (name: string) => {
      const to = this.#unfinishedFile()
      await this.#run('file.import', { from, to })
      this.#store(to, name)
    }
    return { store, discard }
  }

  abort(): void {
    for (const [thread, file] of this.#running) {
      thread.end()
      removeFileAsync(file)
    }
    this.#running.clear()
  }

  /** Writes `input.to` completely, or leaves no file. */
  async #run<Name extends keyof FileJobs>(job: Name, input: FileJobs[Name]): Promise<void> {
    const thread = this.#begin(job, input)
    try {
      await thread.next()
    } catch (error) {
      removeFileAsync(input.to)
      throw error
    } finally {
      this.#finish(thread)
    }
  }

  #begin<Name extends keyof FileJobs>(job: Name, input: FileJobs[Name]): Thread {
    const thread = startThread({ job, input, driver: this.place.driver.name })
    this.#running.set(thread, input.to)
    return thread
  }

  #finish(thread: Thread): void {
    thread.end()
    this.#running.delete(thread)
  }

  #store(fresh: string, name: string): void {
    freeSpaceAsync(this.#fileOf(name), () => moveIntoPlace(fresh, this.#fileOf(name)))
  }

  #fileOf(name: string): string {
    return `${this.place.file}.s-${name}`
  }

  /** Returns the name of an unfinished file. If the process is killed, the next start deletes the file. */
  #unfinishedFile(): string {
    return `${this.place.file}.s-${++this.#count}.new`
  }
}

async function write(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const output = await open(file, 'w')
  try {
    for await (const piece of pieces) await output.writeFile(piece)
  } finally {
    await output.close()
  }
}

/** Returns null at the end. */
async function nextPiece(thread: Thread): Promise<Uint8Array | null> {
  const message = await thread.next()
  // The job asks only about pieces.
  return message.kind === 'done' ? null : (message.question as Uint8Array)
}

async function* piecesOf(thread: Thread, first: Uint8Array | null, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = first; piece !== null; piece = await nextPiece(thread)) {
      yield piece
      thread.answer(null)
    }
  } finally {
    end()
  }
}

function imageInfo(name: string, file: string): ImageInfo {
  const { size, mtimeMs } = statSync(file)
  return { name, sizeBytes: size, savedWallMs: Math.floor(mtimeMs) }
}

/** Returns the NAME of every file `DATABASE{mark}NAME{end}` in the folder of the database. */
export function namesBeside(database: string, mark: string, end = ''): string[] {
  const folder = dirname(database)
  if (!existsSync(folder)) return []
  const start = basename(database) + mark
  return readdirSync(folder)
    .filter((file) => file.startsWith(start) && file.endsWith(end))
    .map((file) => file.slice(start.length, file.length - end.length))
    .filter((name) => isName(name) && statSync(join(folder, start + name + end)).isFile())
    .sort()
}

/**
 * Deletes unfinished files that a killed process left beside the database. Other files never end like this, because
 * names have no dot.
 */
export function removeUnfinished(database: string): void {
  const folder = dirname(database)
  const start = basename(database)
  for (const file of readdirSync(folder)) {
    const rest = file.startsWith(start) && file.endsWith('.new') ? file.slice(start.length) : ''
    if (/^(\.admin-token|\.[sw]-.*)?\.new$/.test(rest)) rmSync(join(folder, file), { force: true })
  }
}

/** Deletes the database, its log and its snapshots. */
export function removeDatabase(database: string): void {
  for (const name of namesBeside(database, '.s-')) rmSync(`${database}.s-${name}`, { force: true })
  removeFile(database)
}

/** Deletes the database and its log. */
export function removeFile(database: string): void {
  for (const suffix of ['', ...databaseSuffixes]) rmSync(database + suffix, { force: true })
}
