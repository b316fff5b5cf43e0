/** Drizzle over whatever prepares statements: every driver that is synchronous gets its queries from here. */
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Orm } from './db.js'

/** A prepared statement, as far as drizzle asks for it; `raw` answers rows as lists. */
export interface Statement {
  run(...params: unknown[]): unknown
  all(...params: unknown[]): unknown[]
  get(...params: unknown[]): unknown
  raw(): { all(...params: unknown[]): unknown[]; get(...params: unknown[]): unknown }
}

export function ormOver(connection: { prepare(sqlText: string): Statement }): Orm {
  const dialect = new SQLiteSyncDialect()
  // It asks for statements, and for nothing else of the library that it is named after.
  const client = connection as unknown as ConstructorParameters<typeof BetterSQLiteSession>[0]
  const session = new BetterSQLiteSession(client, dialect, undefined)
  // As drizzle's own drivers make theirs; the schema is known to the types alone.
  return new BaseSQLiteDatabase('sync', dialect, session, undefined) as unknown as Orm
}
