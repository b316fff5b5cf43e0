/** The database port: synchronous SQLite in any runtime, and the SQL that creates its tables and indexes. */

import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { DatabaseHolder } from '../protocol/settings/process.js'
import * as schema from './schema.js'

/**
 * SQL that turns the tables of each released schema number into those of the next, from number 1. Every change of the
 * tables after a release adds a row.
 */
export const upgrades: readonly string[] = ['alter table attempts add column manual integer not null default 0']
export const schemaNumber = upgrades.length + 1

const indexes = [
  'credentials_by_account on credentials (account_seq)',
  'postings_by_object on postings (object_id)',
  'transactions_by_time on transactions (account_seq, created_at_ms, type, status, currency, currency_to, source)',
  'transactions_by_state on transactions (type, status)',
  `transactions_by_wallet on transactions (json_extract(detail, '$.walletId')) where source = 'static'`,
  'wallets_by_address on wallets (address)',
  'wallets_by_account on wallets (account_seq, seq)',
  'disputes_by_transaction on disputes (transaction_id)',
  'disputes_by_state on disputes (status)',
  'disputes_by_account on disputes (account_seq, seq)',
  'replies_by_dispute on replies (dispute_id)',
  'history_by_object on history (object_id)',
  'events_by_transaction on events (transaction_id)',
  'events_by_subject on events (subject_id)',
  'events_by_name on events (event)',
  `events_undelivered on events (status) where status <> 'delivered'`,
  'attempts_by_event on attempts (event_seq)',
  'attempts_by_time on attempts (at_ms)',
  'jobs_by_time on jobs (due_at_ms, seq) where claimed = 0',
  'jobs_by_ref on jobs (ref)',
  'runs_by_subject on runs (subject_id) where subject_id is not null',
  `runs_running on runs (seq) where status = 'running'`,
  'inbox_messages_by_inbox on inbox_messages (inbox, seq)',
]

const uniqueIndexes = [
  'transactions_by_external_id on transactions (account_seq, external_id) where external_id is not null',
]

export const schemaSql = [
  ...Object.values(schema).map(createTable),
  ...indexes.map((index) => `create index ${index}`),
  ...uniqueIndexes.map((index) => `create unique index ${index}`),
].join(';\n')

function createTable(table: SQLiteTable): string {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const keys = primaryKeys.map((key) => `primary key (${key.columns.map((column) => column.name).join(', ')})`)
  const isNumbered = columns.some((column) => column.primary && column.getSQLType() === 'integer')
  return `create table ${name} (${[...columns.map(columnText), ...keys].join(', ')})${isNumbered ? '' : ' without rowid'}`
}

function columnText(column: SQLiteColumn): string {
  const rule = column.primary
    ? ' primary key'
    : `${column.notNull ? ' not null' : ''}${column.isUnique ? ' unique' : ''}`
  return `${column.name} ${column.getSQLType()}${rule}`
}

/** Why a database cannot be used: it is damaged, another program wrote it, or a newer version of the sandbox did. */
export type DatabaseFault = 'damaged' | 'foreign' | 'newer'

/** Describes to the user what is wrong with a database or an image. */
export class UnusableDatabase extends Error {
  constructor(
    message: string,
    readonly fault: DatabaseFault = 'damaged',
  ) {
    super(message)
  }
}

export interface Db {
  /** The identity of the open database: a new object after `replaceWith`, and after a runtime has reopened the database. */
  readonly handle: object
  /** Like `handle`, but null while the database is closed. Reading this property does not open it. */
  readonly opened: object | null
  readonly driver: DatabaseHolder
  /** Whether the data outlives the process. If so, deferred writes are written soon. */
  readonly isPersistent: boolean
  /** Prepares a statement that returns nothing. Parameters are in the driver's types. */
  statement(sqlText: string): (params: unknown[]) => void
  /** Prepares a statement that returns rows as objects. */
  query(sqlText: string): (params: unknown[]) => unknown[]
  exec(sqlText: string): void
  /** The outermost call opens an immediate transaction, an inner one a savepoint. Synchronous: no await inside. */
  transaction<T>(work: () => T): T
  /** Runs `work` in the one transaction that commits all units of an event-loop turn. */
  group<T>(work: () => T): T
  /** Number of rows ever inserted, changed or deleted over this connection. A rollback does not reduce it. */
  changedRows(): number
  /** Calls back at the end of this event-loop turn. */
  afterTurn(work: () => void): void
  /**
   * Whether an error means that the store cannot be written (disk full, read-only, I/O error), and not that the
   * statement was wrong.
   */
  isUnavailable(error: unknown): boolean
  /** The whole database as bytes. */
  image(): Uint8Array
  /** Opens an image as a separate database while `read` runs. Throws `UnusableDatabase` if it is not a complete database. */
  inspect<T>(image: Uint8Array, read: (candidate: Db) => T): T
  /** Returns the image of a database that `fill` creates from an empty one. */
  imageOf(fill: (fresh: Db) => void): Uint8Array
  /** Replaces the whole database by an image, at once. */
  replaceWith(image: Uint8Array): void
  close(): void
}

export type Param = string | number | bigint | null

/** A prepared SQL statement for hot paths; parameters are in the driver's types (booleans are 0 and 1). */
export function runner(text: string): (db: Db, ...params: Param[]) => void {
  const run = preparedStatement(text)
  return (db, ...params) => run(db)(params)
}

/** Prepares a statement that returns rows. `Row` names the columns, with values as the driver returns them. */
export function reader<Row>(text: string): (db: Db, ...params: Param[]) => Row[] {
  const query = cachePerDatabase((db) => db.query(text))
  // Only the author of the statement knows the type of its rows.
  return (db, ...params) => query(db)(params) as Row[]
}

/** Prepares a query for one value, in a column `value`; `otherwise` stands for null and for no row. */
export function valueReader<Value>(text: string, otherwise: Value): (db: Db, ...params: Param[]) => Value {
  const read = reader<{ value: Value | null }>(text)
  return (db, ...params) => read(db, ...params)[0]?.value ?? otherwise
}

/** Reads the largest `seq` of a table; 0 if it is empty. */
export const lastSeqReader = (table: string) => valueReader(`select max(seq) as value from ${table}`, 0)

/** A prepared statement that takes its parameters as a list. */
export const preparedStatement = (text: string) => cachePerDatabase((db) => db.statement(text))

function cachePerDatabase<T>(prepare: (db: Db) => T): (db: Db) => T {
  const readers = new WeakMap<object, T>()
  return (db) => {
    let one = readers.get(db.handle)
    if (one === undefined) {
      one = prepare(db)
      readers.set(db.handle, one)
    }
    return one
  }
}

/**
 * Creates the tables of an empty database, or upgrades those of an older version, completely or not at all. Throws
 * `UnusableDatabase` if a newer version of the sandbox wrote it.
 */
export function createTables(db: Db, steps: readonly string[] = upgrades): void {
  const found = schemaOf(db)
  const current = steps.length + 1
  refuseNewerSchema(found, current)
  if (found === current) return
  db.transaction(() => {
    for (const step of found === 0 ? [schemaSql] : steps.slice(found - 1)) db.exec(step)
    writeMeta(db, 'schema', String(current))
  })
}

/** Throws `UnusableDatabase` if another version's tables are in a snapshot: only a database is upgraded. */
export function requireSameSchema(found: number, current = schemaNumber): void {
  refuseNewerSchema(found, current)
  if (found < current)
    throw new UnusableDatabase(
      `an older version of the sandbox wrote it (schema ${found}, this one has schema ${current}); docs/state.md has the commands that convert it`,
    )
}

/** Throws `UnusableDatabase` if the schema number is newer than `current`. */
export function refuseNewerSchema(found: number, current = schemaNumber): void {
  if (found > current)
    throw new UnusableDatabase(
      `the database was written by a newer version of the sandbox (schema ${found}, this one supports ${current})`,
      'newer',
    )
}

/** The schema number; 0 for an empty database. The runtime rejects databases of other programs. */
export function schemaOf(db: Db): number {
  return metaTable(db).length === 0 ? 0 : Number(readMeta(db, 'schema') ?? 0)
}

const metaTable = reader("select 1 as found from sqlite_master where type = 'table' and name = 'meta'")

export const readMeta = valueReader<string | undefined>('select value from meta where key = ?', undefined)
export const writeMeta = runner(
  'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
)
