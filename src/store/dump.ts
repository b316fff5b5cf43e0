/** Exports all rows as plain values and imports them, independent of the driver. */
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import type { SnapshotValue } from '../protocol/control/snapshots.js'
import { createTables, type Db, reader, UnusableDatabase } from './db.js'
import * as schema from './schema.js'

const tables = Object.values(schema).map((table) => {
  const { name, columns } = getTableConfig(table)
  return { name, columns: columns.map((column) => column.name) }
})
export const tableNames = tables.map(({ name }) => name)
/** Tables that describe the process and are not exported. */
const processKeys = ['health']
/** Rows that are read at once: few enough that long rows fit into memory. */
const pageRows = 200

interface DumpedTable {
  name: string
  columns: string[]
  /** Ordered by primary key. */
  rows: Iterable<SnapshotValue[]>
}

/** Reads one page of one table at a time. */
export function* dumpedTables(db: Db): Generator<DumpedTable> {
  for (const { name, columns } of tables) yield { name, columns, rows: rowsOf(db, name, columns) }
}

function* rowsOf(db: Db, table: string, columns: readonly string[]): Generator<SnapshotValue[]> {
  const keys = keyColumns(db, table).map(({ name }) => name)
  const list = (names: readonly string[]) => names.map(quoted).join(', ')
  const rest = `order by ${list(keys)} limit ${pageRows}`
  const first = db.query(`select ${list(columns)} from ${quoted(table)} ${rest}`)
  const behind = `where (${list(keys)}) > (${keys.map(() => '?').join(', ')})`
  const next = db.query(`select ${list(columns)} from ${quoted(table)} ${behind} ${rest}`)
  let last: Record<string, SnapshotValue> | undefined
  for (;;) {
    const end = last
    // Columns contain only such values.
    const page = (end === undefined ? first([]) : next(keys.map((key) => end[key]))) as Record<string, SnapshotValue>[]
    for (const row of page)
      if (table !== 'meta' || !processKeys.includes(String(row.key))) yield columns.map((column) => row[column] ?? null)
    last = page.at(-1)
    if (page.length < pageRows) return
  }
}

const keyColumns = reader<{ name: string }>('select name from pragma_table_info(?) where pk > 0 order by pk')

/** Fills an empty database row by row. Throws `UnusableDatabase`, and the driver's error for a row that does not fit. */
export class TableFiller {
  #table = ''
  #width = 0
  #insert: (row: SnapshotValue[]) => void = () => undefined

  constructor(private readonly db: Db) {
    createTables(db)
    db.exec('delete from meta')
  }

  /** Starts a table: the following rows belong to it. */
  table(name: string, columns: readonly string[]): void {
    if (!tableNames.includes(name)) throw new UnusableDatabase(`the table ${name} is unknown`)
    if (columns.length === 0 || !columns.every((column) => /^[a-z0-9_]+$/.test(column)))
      throw new UnusableDatabase(`a column of ${name} is not valid`)
    const places = columns.map(() => '?').join(', ')
    this.#table = name
    this.#width = columns.length
    this.#insert = this.db.statement(
      `insert into ${quoted(name)} (${columns.map(quoted).join(', ')}) values (${places})`,
    )
  }

  row(values: SnapshotValue[]): void {
    if (values.length !== this.#width)
      throw new UnusableDatabase(`a row of ${this.#table} does not have one value for each column`)
    this.#insert(values)
  }
}

const quoted = (name: string) => `"${name}"`
