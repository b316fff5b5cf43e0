/** Drizzle over any synchronous driver: all queries are built here. */
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Orm } from './db.js'

/** The part of a prepared statement that drizzle uses; `raw` returns rows as lists. */
export interface Statement {
  run(...params: unknown[]): unknown
  all(...params: unknown[]): unknown[]
  get(...params: unknown[]): unknown
  raw(): { all(...params: unknown[]): unknown[]; get(...params: unknown[]): unknown }
}

export function ormOver(connection: { prepare(sqlText: string): Statement }): Orm {
  const dialect = new SQLiteSyncDialect()
  // Drizzle only prepares statements with it, and uses nothing else of better-sqlite3.
  const client = connection as unknown as ConstructorParameters<typeof BetterSQLiteSession>[0]
  const session = new BetterSQLiteSession(client, dialect, undefined)
  // Built as in drizzle's own drivers; only the types know the schema.
  return new BaseSQLiteDatabase('sync', dialect, session, undefined) as unknown as Orm
}
