/**
 * Work on snapshots outside the event loop. On files: synchronous, in a thread, and with little memory for any size. On
 * images of databases in memory: in a thread, or in pieces between which calls pass.
 */
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sha256Stream } from '../../../base/crypto.js'
import { fileText, fillFromFile, sealedHash, sealLength, sealOf, textOf } from '../../../core/snapshots/file.js'
import { type ImageWork, imageWorkOn, requireValidDatabase } from '../../../core/snapshots/images.js'
import type { Ask, Job, RunJob } from '../../../http/host.js'
import { type Db, UnusableDatabase } from '../../../store/db.js'
import type { Driver } from '../sqlite/driver.js'
import { createSqlite, damageError, openScratchFile } from '../sqlite/sqlite.js'
import type { FileJobs } from './run.js'

type Running<Name extends keyof FileJobs> = (input: FileJobs[Name], ports: { ask: Ask }) => Promise<void>

export function snapshotJobs(driver: Driver): Readonly<Record<string, Job>> {
  const own = () => imageWorkOn(createSqlite(driver).openInMemory())
  const onFiles: { [Name in keyof FileJobs]: Running<Name> } = {
    async 'file.copy'({ descriptor, sizeBytes, to }) {
      withOutputFile(to, (output) => {
        const hash = sha256Stream()
        for (const piece of readPieces(descriptor, sizeBytes)) {
          hash.update(piece)
          output.write(piece)
        }
        output.write(sealOf(hash.hex()))
      })
    },
    async 'file.prepare'({ from, to }) {
      openPrepared(driver, from, to).close()
      markAsWal(to)
    },
    async 'file.export'({ from, to }, { ask }) {
      const db = openPrepared(driver, from, to)
      const utf8 = new TextEncoder()
      try {
        for (const piece of fileText(db)) await ask(utf8.encode(piece))
      } finally {
        db.close()
      }
    },
    async 'file.import'({ from, to }) {
      rmSync(to, { force: true })
      withInputFile(from, (input, sizeBytes) => {
        const db = asDamageErrors(() => openScratchFile(driver, to))
        const text = textOf(syncWhileReading(to, readPieces(input, sizeBytes, false)))
        thenClose(db, () => {
          fillFromFile(db, text)
          requireValidDatabase(db)
        })
      })
      seal(to)
    },
  }
  return {
    ...onFiles,
    'image.check': (sealed) => own().check(sealed),
    'image.textOf': (sealed) => own().textOf(sealed),
    'image.imageOf': (text) => own().imageOf(text),
  }
}

const pieceBytes = 1024 * 1024
/** Number of written bytes after which data is synced, so that a sync of the sandbox never has to wait for all of it. */
const syncEveryBytes = 8 * pieceBytes

/** Creates the database of a stored image as a separate file, checked and up to date. Throws `UnusableDatabase`. */
function openPrepared(driver: Driver, from: string, to: string): Db {
  copyUnsealed(from, to)
  const db = asDamageErrors(() => openScratchFile(driver, to))
  try {
    asDamageErrors(() => requireValidDatabase(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function copyUnsealed(from: string, to: string): void {
  withInputFile(from, (input, sizeBytes) => {
    const end = Buffer.alloc(Math.min(sizeBytes, sealLength))
    readSync(input, end, 0, end.length, sizeBytes - end.length)
    const expected = sealedHash(end)
    const hash = sha256Stream()
    withOutputFile(to, (output) => {
      for (const piece of readPieces(input, expected === null ? sizeBytes : sizeBytes - sealLength)) {
        hash.update(piece)
        output.write(piece)
      }
    })
    if (expected !== null && expected !== hash.hex())
      throw new UnusableDatabase('its content has changed since it was saved')
  })
}

/** Reports what SQLite cannot read as damage. */
function asDamageErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw damageError(error)
  }
}

function thenClose(db: Db, work: () => void): void {
  try {
    asDamageErrors(work)
  } finally {
    db.close()
  }
}

function seal(file: string): void {
  const hash = sha256Stream()
  withInputFile(file, (input, sizeBytes) => {
    for (const piece of readPieces(input, sizeBytes)) hash.update(piece)
    const output = openSync(file, 'a')
    try {
      writeSync(output, sealOf(hash.hex()))
      fdatasyncSync(output)
    } finally {
      closeSync(output)
    }
  })
}

/** Marks the file as a database in WAL mode; SQLite would need four syncs for it. */
function markAsWal(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    writeSync(descriptor, Buffer.of(2, 2), 0, 2, 18)
    fdatasyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Reads an image in pieces; each piece is valid until the next one. Images are marked as not in WAL mode, because they have no log. */
function* readPieces(descriptor: number, sizeBytes: number, isImage = true): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(pieceBytes)
  for (let at = 0; at < sizeBytes; ) {
    const count = readSync(descriptor, buffer, 0, Math.min(pieceBytes, sizeBytes - at), at)
    if (count === 0) throw new UnusableDatabase('it became shorter while it was read')
    if (isImage && at === 0 && count > 19 && buffer[18] === 2) buffer.fill(1, 18, 20)
    yield buffer.subarray(0, count)
    at += count
  }
}

function* syncWhileReading(file: string, pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let unsynced = 0
  for (const piece of pieces) {
    yield piece
    unsynced += piece.length
    if (unsynced < syncEveryBytes) continue
    unsynced = 0
    withInputFile(file, fdatasyncSync)
  }
}

function withInputFile(file: string, work: (descriptor: number, sizeBytes: number) => void): void {
  const descriptor = openSync(file, 'r')
  try {
    work(descriptor, fstatSync(descriptor).size)
  } finally {
    closeSync(descriptor)
  }
}

function withOutputFile(file: string, work: (output: { write(bytes: Uint8Array): void }) => void): void {
  const descriptor = openSync(file, 'w')
  let unsynced = 0
  try {
    work({
      write(bytes) {
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
        unsynced += bytes.length
        if (unsynced < syncEveryBytes) return
        unsynced = 0
        fdatasyncSync(descriptor)
      },
    })
    fdatasyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

// Images of databases in memory.

/** A smaller image takes a few milliseconds. */
const largeBytes = 2 * 1024 * 1024
const nothing = new Uint8Array(0)

const sizeOf = (pieces: readonly Uint8Array[]) => pieces.reduce((size, { length }) => size + length, 0)

/** Not in a thread: to copy the image there takes as long as to hash it. */
async function sealInPieces(image: Uint8Array): Promise<Uint8Array> {
  const hash = sha256Stream()
  const sealed = new Uint8Array(image.length + sealLength)
  for (let at = 0; at < image.length; at += largeBytes) {
    await nextTurn()
    const piece = image.subarray(at, at + largeBytes)
    hash.update(piece)
    sealed.set(piece, at)
  }
  sealed.set(sealOf(hash.hex()), image.length)
  return sealed
}

/** Does the work on large images in a thread. The sandbox keeps its own copy of what it stores. */
export const imageWork = (own: ImageWork, runJob: RunJob): ImageWork => {
  const run = <T>(name: keyof ImageWork, input: unknown) =>
    // Each job returns what the method of its name does.
    runJob(`image.${name}`, input, nothing) as Promise<T>
  return {
    seal: (image) => (image.length <= largeBytes ? own.seal(image) : sealInPieces(image)),
    check: (sealed) => (sealed.length <= largeBytes ? own.check(sealed) : run('check', sealed)),
    textOf: (sealed) => (sealed.length <= largeBytes ? own.textOf(sealed) : run('textOf', sealed)),
    imageOf: (text) => (sizeOf(text) <= largeBytes ? own.imageOf(text) : run('imageOf', text)),
  }
}
