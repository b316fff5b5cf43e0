/** The database as a port: synchronous SQLite behind drizzle, whichever runtime provides it. */
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import type { DatabaseHolder } from '../protocol/control/shapes/drivers.js'
import type * as schema from './schema.js'
import { schemaNumber, schemaSql } from './tables.js'

export type Orm = BaseSQLiteDatabase<'sync', unknown, typeof schema>

/** Why a database cannot be used: it is not whole, another program wrote it, or a newer version of the sandbox did. */
export type DatabaseFault = 'damaged' | 'foreign' | 'newer'

/** What is wrong with a database or an image of one, in words for users. */
export class UnusableDatabase extends Error {
  constructor(
    message: string,
    readonly fault: DatabaseFault = 'damaged',
  ) {
    super(message)
  }
}

export interface Db {
  /** Another object after `swap`, and whenever a runtime has closed and opened it meanwhile: nothing may be kept longer. */
  readonly orm: Orm
  /** The same, but null where it is closed for the time being; asking opens nothing. */
  readonly opened: Orm | null
  /** What opens it. */
  readonly driver: DatabaseHolder
  /** What it holds outlives the process: what is only written behind is written soon. */
  readonly lasts: boolean
  /** A prepared statement that answers nothing, its parameters as the driver takes them. */
  statement(sqlText: string): (params: unknown[]) => void
  /** A prepared statement that answers rows, as objects by the names of their columns. */
  query(sqlText: string): (params: unknown[]) => unknown[]
  /** Runs several statements. */
  exec(sqlText: string): void
  /** The outermost is an immediate transaction, an inner one a savepoint. Synchronous: never an await inside. */
  transaction<T>(work: () => T): T
  /** An outermost transaction that does not wait for the disk: `kept` tells when it is durable, and nobody may hear of it before. */
  group<T>(work: () => T): T
  /** null where all that is committed is durable; else settles when it is. Rejects with the store's error where it cannot be made so. */
  whenDurable(): Promise<void> | null
  /** How many rows have ever been inserted, changed or deleted over this connection; undoing counts nothing back. */
  written(): number
  /** Calls back at the end of this event-loop turn. */
  soon(work: () => void): void
  /** Whether an error means that the store cannot be written (disk full, read-only, I/O), and not that the write was wrong. */
  isUnavailable(error: unknown): boolean
  /** The whole database as bytes. */
  image(): Uint8Array
  /** Opens an image as a database of its own while `look` runs. Throws `UnusableDatabase` where it is none, or not whole. */
  inspect<T>(image: Uint8Array, look: (candidate: Db) => T): T
  /** The image of a database that `fill` makes out of an empty one. */
  imageOf(fill: (fresh: Db) => void): Uint8Array
  /** Puts an image in the place of the whole database, at once and durably. */
  swap(image: Uint8Array): void
  close(): void
}

export type Param = string | number | bigint | null

/** A prepared statement for hot paths, written in SQL; parameters as the driver takes them (booleans are 0 and 1). */
export function runner(text: string): (db: Db, ...params: Param[]) => void {
  const run = statementOf(text)
  return (db, ...params) => run(db)(params)
}

/** The same for one that answers rows: `Row` names its columns, their values as the driver gives them. */
export function reader<Row>(text: string): (db: Db, ...params: Param[]) => Row[] {
  const query = oncePerDatabase((db) => db.query(text))
  // What a statement answers is known to whoever wrote it, and to nobody else.
  return (db, ...params) => query(db)(params) as Row[]
}

/** A prepared statement whose parameters are a list already. */
export const statementOf = (text: string) => oncePerDatabase((db) => db.statement(text))

function oncePerDatabase<T>(prepare: (db: Db) => T): (db: Db) => T {
  const made = new WeakMap<Orm, T>()
  return (db) => {
    let one = made.get(db.orm)
    if (one === undefined) {
      one = prepare(db)
      made.set(db.orm, one)
    }
    return one
  }
}

/** Creates the tables of an empty database. Throws `UnusableDatabase` if a newer version of the sandbox wrote it. */
export function createTables(db: Db): void {
  const found = schemaOf(db)
  refuseNewerSchema(found)
  if (found !== 0) return
  db.transaction(() => {
    db.exec(schemaSql)
    writeMeta(db, 'schema', String(schemaNumber))
  })
}

/** Throws `UnusableDatabase` if a newer version of the sandbox wrote a database with that schema. */
export function refuseNewerSchema(found: number): void {
  if (found > schemaNumber)
    throw new UnusableDatabase(
      `the database was written by a newer version of the sandbox (schema ${found}, this one knows ${schemaNumber})`,
      'newer',
    )
}

/** The number of the schema; 0 for an empty database. The runtime that provides the database refuses those of other programs. */
export function schemaOf(db: Db): number {
  return metaTable(db).length === 0 ? 0 : Number(readMeta(db, 'schema') ?? 0)
}

const metaTable = reader("select 1 as found from sqlite_master where type = 'table' and name = 'meta'")

const metaByKey = reader<{ value: string }>('select value from meta where key = ?')
const putMeta = runner(
  'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
)

export const readMeta = (db: Db, key: string): string | undefined => metaByKey(db, key)[0]?.value

export const writeMeta = (db: Db, key: string, value: string): void => putMeta(db, key, value)
