/** The tasks themselves: synchronous, and with little memory for files of any size. */
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { sha256Stream } from '../../../base/crypto.js'
import { fileText, fillFromFile, sealedHash, sealLength, sealOf, textOf } from '../../../core/snapshots/file.js'
import { requireValidDatabase } from '../../../core/snapshots/images.js'
import { type Db, UnusableDatabase } from '../../../store/db.js'
import { chooseDriver, damageError, openScratchFile } from '../sqlite/sqlite.js'
import type { Task } from './task.js'

type TaskOf<Name extends Task['do']> = Extract<Task, { do: Name }>

export const tasks: { [Name in Task['do']]: (task: TaskOf<Name>) => Iterator<Uint8Array> | undefined } = {
  copy: ({ descriptor, sizeBytes, to }) => {
    withOutputFile(to, (output) => {
      const hash = sha256Stream()
      for (const piece of readPieces(descriptor, sizeBytes)) {
        hash.update(piece)
        output.write(piece)
      }
      output.write(sealOf(hash.hex()))
    })
    return undefined
  },
  prepare(task) {
    openPrepared(task).close()
    markAsWal(task.to)
    return undefined
  },
  export: (task) => textPieces(openPrepared(task)),
  import({ driver, from, to }) {
    rmSync(to, { force: true })
    withInputFile(from, (input, sizeBytes) => {
      const db = asDamageErrors(() => openScratchFile(chooseDriver(driver), to))
      const text = textOf(syncWhileReading(to, readPieces(input, sizeBytes, false)))
      thenClose(db, () => {
        fillFromFile(db, text)
        requireValidDatabase(db)
      })
    })
    seal(to)
    return undefined
  },
}

const pieceBytes = 1024 * 1024
/** Number of written bytes after which data is synced, so that a sync of the sandbox never has to wait for all of it. */
const syncEveryBytes = 8 * pieceBytes

/** Creates the database of a stored image as a separate file, checked and up to date. Throws `UnusableDatabase`. */
function openPrepared({ driver, from, to }: TaskOf<'prepare' | 'export'>): Db {
  copyUnsealed(from, to)
  const db = asDamageErrors(() => openScratchFile(chooseDriver(driver), to))
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

function* textPieces(db: Db): Generator<Uint8Array> {
  const utf8 = new TextEncoder()
  try {
    for (const piece of fileText(db)) yield utf8.encode(piece)
  } finally {
    db.close()
  }
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
