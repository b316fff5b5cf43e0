/** The tasks themselves: synchronous, with little memory however large the files are. */
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { sha256Stream } from '../../../base/crypto.js'
import { fileText, fillFromFile, textOf } from '../../../core/snapshots/file.js'
import { requireWhole } from '../../../core/snapshots/image-check.js'
import { sealedHash, sealLength, sealOf } from '../../../core/snapshots/seal.js'
import { type Db, UnusableDatabase } from '../../../store/db.js'
import { chooseDriver } from '../sqlite/choose-driver.js'
import { asDamage, openScratchFile } from '../sqlite/sqlite.js'
import type { Task } from './task.js'

type TaskOf<Name extends Task['do']> = Extract<Task, { do: Name }>

export const tasks: { [Name in Task['do']]: (task: TaskOf<Name>) => Iterator<Uint8Array> | undefined } = {
  copy: ({ descriptor, sizeBytes, to }) => {
    writing(to, (output) => {
      const hash = sha256Stream()
      for (const piece of piecesOf(descriptor, sizeBytes)) {
        hash.update(piece)
        output.write(piece)
      }
      output.write(sealOf(hash.hex()))
    })
    return undefined
  },
  prepare(task) {
    prepared(task).close()
    markAsLogged(task.to)
    return undefined
  },
  export: (task) => textPieces(prepared(task)),
  import({ driver, from, to }) {
    rmSync(to, { force: true })
    reading(from, (input, sizeBytes) => {
      const db = scratch(() => openScratchFile(chooseDriver(driver), to))
      const text = textOf(synced(to, piecesOf(input, sizeBytes, false)))
      closing(db, () => {
        fillFromFile(db, text)
        requireWhole(db)
      })
    })
    seal(to)
    return undefined
  },
}

const pieceBytes = 1024 * 1024
/** What is written is brought to the disk as often, so that a sync of the sandbox never has to wait for all of it. */
const syncEveryBytes = 8 * pieceBytes

/** The database of a stored image, in a file of its own, checked and up to date. Throws `UnusableDatabase`. */
function prepared({ driver, from, to }: TaskOf<'prepare' | 'export'>): Db {
  unsealedCopy(from, to)
  const db = scratch(() => openScratchFile(chooseDriver(driver), to))
  try {
    scratch(() => requireWhole(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function unsealedCopy(from: string, to: string): void {
  reading(from, (input, sizeBytes) => {
    const end = Buffer.alloc(Math.min(sizeBytes, sealLength))
    readSync(input, end, 0, end.length, sizeBytes - end.length)
    const expected = sealedHash(end)
    const hash = sha256Stream()
    writing(to, (output) => {
      for (const piece of piecesOf(input, expected === null ? sizeBytes : sizeBytes - sealLength)) {
        hash.update(piece)
        output.write(piece)
      }
    })
    if (expected !== null && expected !== hash.hex())
      throw new UnusableDatabase('its bytes are not those that were saved')
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

/** What SQLite cannot read is damage. */
function scratch<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asDamage(error)
  }
}

function closing(db: Db, work: () => void): void {
  try {
    scratch(work)
  } finally {
    db.close()
  }
}

function seal(file: string): void {
  const hash = sha256Stream()
  reading(file, (input, sizeBytes) => {
    for (const piece of piecesOf(input, sizeBytes)) hash.update(piece)
    const output = openSync(file, 'a')
    try {
      writeSync(output, sealOf(hash.hex()))
      fdatasyncSync(output)
    } finally {
      closeSync(output)
    }
  })
}

/** As a database with a log: SQLite needs four syncs to make it one. */
function markAsLogged(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    writeSync(descriptor, Buffer.of(2, 2), 0, 2, 18)
    fdatasyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Each piece is gone with the next one. An image is never that of a database with a log, which is not there. */
function* piecesOf(descriptor: number, sizeBytes: number, isImage = true): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(pieceBytes)
  for (let at = 0; at < sizeBytes; ) {
    const count = readSync(descriptor, buffer, 0, Math.min(pieceBytes, sizeBytes - at), at)
    if (count === 0) throw new UnusableDatabase('it is shorter than it was')
    if (isImage && at === 0 && count > 19 && buffer[18] === 2) buffer.fill(1, 18, 20)
    yield buffer.subarray(0, count)
    at += count
  }
}

function* synced(file: string, pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let unsynced = 0
  for (const piece of pieces) {
    yield piece
    unsynced += piece.length
    if (unsynced < syncEveryBytes) continue
    unsynced = 0
    reading(file, fdatasyncSync)
  }
}

function reading(file: string, work: (descriptor: number, sizeBytes: number) => void): void {
  const descriptor = openSync(file, 'r')
  try {
    work(descriptor, fstatSync(descriptor).size)
  } finally {
    closeSync(descriptor)
  }
}

function writing(file: string, work: (output: { write(bytes: Uint8Array): void }) => void): void {
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
