/** What the sandbox asks of a library that opens SQLite, whichever it is. */
import type { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3'

/** What drizzle asks: statements in the manner of better-sqlite3. */
export type Client = ConstructorParameters<typeof BetterSQLiteSession>[0]

/** An open database. */
export interface Connection {
  readonly client: Client
  statement(sqlText: string): (params: unknown[]) => void
  query(sqlText: string): (params: unknown[]) => unknown[]
  exec(sqlText: string): void
  /** The first column of the first row. */
  value(sqlText: string): unknown
  readonly inTransaction: boolean
  /** The whole database as bytes. */
  serialize(): Uint8Array
  close(): void
}

export interface Driver {
  readonly name: string
  /** A file, made where `mustExist` does not forbid it, or `:memory:`. Throws where it cannot be opened. */
  open(file: string, mustExist: boolean): Connection
  /** In memory, out of what `serialize` gave. */
  openImage(image: Uint8Array): Connection
}

/** The name that SQLite gives to an error; undefined where it is none of SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code.startsWith('SQLITE_') ? code : undefined
}
