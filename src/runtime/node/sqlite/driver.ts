/** What the sandbox requires of a SQLite library, and how Node's `node:sqlite` fulfils it: nothing to compile, from Node 22.16 on. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fieldAt } from '../../../base/unknown.js'
import type { DatabaseDriver } from '../../../protocol/settings/process.js'

export const memory = ':memory:'

/** Suffixes of SQLite's files beside a database. SQLite applies such a file to whatever database has that name. */
export const databaseSuffixes = ['-wal', '-shm', '-journal']

export interface Connection {
  /** Prepares a statement that returns nothing, and one that returns rows as objects. */
  statement(sqlText: string): (params: unknown[]) => void
  query(sqlText: string): (params: unknown[]) => unknown[]
  /** Prepares a statement that returns the first column of the first row. */
  scalar(sqlText: string): () => unknown
  exec(sqlText: string): void
  readonly inTransaction: boolean
  /** Returns the whole database as bytes. */
  serialize(): Uint8Array
  close(): void
}

export interface Driver {
  readonly name: DatabaseDriver
  /** Opens a file, which is created if missing, or `:memory:`. Throws if it cannot be opened. */
  open(file: string): Connection
  /** Opens an image from `serialize` in memory; changes are lost when it is closed. */
  openImage(image: Uint8Array): Connection
}

/** SQLite's names of its error numbers. */
const names: Readonly<Record<number, string>> = {
  3: 'PERM',
  5: 'BUSY',
  6: 'LOCKED',
  7: 'NOMEM',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  15: 'PROTOCOL',
  19: 'CONSTRAINT',
  23: 'AUTH',
  26: 'NOTADB',
}

/** Returns SQLite's name of an error; undefined if it is not an error of SQLite. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (code.startsWith('SQLITE_')) return code
  if (code !== 'ERR_SQLITE_ERROR') return undefined
  // The lowest byte is the kind of error, the others are details.
  const kind = 'errcode' in error ? Number(error.errcode) & 0xff : 1
  return `SQLITE_${names[kind] ?? 'ERROR'}`
}

/** The used part of the module; the types of the oldest supported Node do not have it. */
interface NodeStatement {
  run(...params: unknown[]): unknown
  all(...params: unknown[]): unknown[]
  get(...params: unknown[]): unknown
  setReturnArrays(enabled: boolean): void
}

interface NodeDatabase {
  prepare(sqlText: string): NodeStatement
  exec(sqlText: string): void
  close(): void
  readonly isTransaction: boolean
  /** Exists from Node 24 on. */
  serialize?(): Uint8Array
  deserialize?(image: Uint8Array): void
}

type Library = new (file: string) => NodeDatabase

/** Throws if this Node has no `node:sqlite`, or one without functions that the sandbox needs. */
export function loadNodeSqlite(): Driver {
  const Database = withoutWarning(libraryOf)
  return {
    name: 'node',
    open: (file) => connect(new Database(file)),
    openImage: (image) => openImage(Database, image),
  }
}

function libraryOf(): Library {
  // The installed types describe an older version of Node.
  const library = process.getBuiltinModule?.('node:sqlite') as
    | { DatabaseSync: Library; StatementSync: { prototype: object } }
    | undefined
  if (library === undefined) throw new Error(`Node ${process.versions.node} has no node:sqlite`)
  if (!('setReturnArrays' in library.StatementSync.prototype))
    throw new Error(`the node:sqlite of Node ${process.versions.node} is too old`)
  return library.DatabaseSync
}

/** The documentation mentions that the module is experimental; a warning at every start is not needed. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

const connect = (library: NodeDatabase, afterClose = () => {}): Connection => ({
  statement(sqlText) {
    const prepared = library.prepare(sqlText)
    return (params) => void prepared.run(...params)
  },
  query(sqlText) {
    const prepared = library.prepare(sqlText)
    return (params) => prepared.all(...params)
  },
  scalar(sqlText) {
    const prepared = library.prepare(sqlText)
    prepared.setReturnArrays(true)
    return () => fieldAt(prepared.get(), 0)
  },
  exec: (sqlText) => library.exec(sqlText),
  get inTransaction() {
    return library.isTransaction
  },
  serialize: () => library.serialize?.() ?? serializeByFile(library),
  close() {
    library.close()
    afterClose()
  },
})

/** Older versions of Node create and read images through temporary files. */
function serializeByFile(library: NodeDatabase): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-'))
  try {
    const file = join(folder, 'image')
    library.prepare('vacuum into ?').run(file)
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function openImage(Database: Library, image: Uint8Array): Connection {
  const inMemory = new Database(memory)
  if (inMemory.deserialize !== undefined && image.length > 0) {
    try {
      inMemory.deserialize(image)
      return connect(inMemory)
    } catch (error) {
      inMemory.close()
      throw error
    }
  }
  inMemory.close()
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    writeFileSync(join(folder, 'image'), image)
    return connect(new Database(join(folder, 'image')), remove)
  } catch (error) {
    remove()
    throw error
  }
}
