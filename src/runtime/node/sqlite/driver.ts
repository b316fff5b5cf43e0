/** What the sandbox requires of a SQLite library. */
import type { DatabaseDriver } from '../../../protocol/control/shapes/drivers.js'
import type { Statement } from '../../../store/orm.js'

export const memory = ':memory:'

/** Suffixes of SQLite's files beside a database. SQLite applies such a file to whatever database has that name. */
export const databaseSuffixes = ['-wal', '-shm', '-journal']

/** An open database. */
export interface Connection {
  prepare(sqlText: string): Statement
  /** For hot paths, without the overhead of `prepare`. */
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
