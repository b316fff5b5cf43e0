/** What the sandbox asks of a library that opens SQLite, whichever it is. */
import type { DatabaseDriver } from '../../../protocol/control/shapes/drivers.js'
import type { Statement } from '../../../store/orm.js'

export const memory = ':memory:'

/** What SQLite keeps beside a file, by the end of its name: each is taken for that of whatever database bears the name. */
export const besideFile = ['-wal', '-shm', '-journal']

/** An open database. */
export interface Connection {
  prepare(sqlText: string): Statement
  /** For hot paths, without what `prepare` adds. */
  statement(sqlText: string): (params: unknown[]) => void
  query(sqlText: string): (params: unknown[]) => unknown[]
  /** Prepared: the first column of the first row. */
  scalar(sqlText: string): () => unknown
  exec(sqlText: string): void
  readonly inTransaction: boolean
  /** The whole database as bytes. */
  serialize(): Uint8Array
  close(): void
}

export interface Driver {
  readonly name: DatabaseDriver
  /** A file, made where it is not there, or `:memory:`. Throws where it cannot be opened. */
  open(file: string): Connection
  /** Out of what `serialize` gave; nothing that is done to it outlives it. */
  openImage(image: Uint8Array): Connection
}

/** The names that SQLite gives to the numbers of its errors. */
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

/** The name that SQLite gives to an error; undefined where it is none of SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (code.startsWith('SQLITE_')) return code
  if (code !== 'ERR_SQLITE_ERROR') return undefined
  // The lowest byte is the kind, the others tell more of it.
  const kind = 'errcode' in error ? Number(error.errcode) & 0xff : 1
  return `SQLITE_${names[kind] ?? 'ERROR'}`
}
