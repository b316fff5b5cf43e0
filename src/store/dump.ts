/** All rows as plain values, and back: what a database is made of, whichever driver holds it. */
import { sql } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import type { SnapshotTable } from '../protocol/control/shapes/snapshot-file.js'
import { type Db, migrate, UnusableDatabase } from './db.js'
import * as schema from './schema.js'

const tables = Object.values(schema).map((table) => getTableConfig(table))
export const tableNames = tables.map(({ name }) => name)
/** Rows that tell of a process, and of nothing that is worth keeping. */
const passing = ['health']

export function dumpTables(db: Db): Record<string, SnapshotTable> {
  return Object.fromEntries(
    tables.map(({ name, columns }) => {
      const names = columns.map((column) => column.name)
      const rows = db.orm
        .values<(string | number | null)[]>(sql.raw(`select ${names.map(quoted).join(', ')} from ${quoted(name)}`))
        .filter((row) => name !== 'meta' || !passing.includes(String(row[0])))
      return [name, { columns: names, rows }]
    }),
  )
}

/** Fills an empty database as one of that schema, and brings it up to date. Throws `UnusableDatabase`, and the driver's error where a row does not fit. */
export function fillTables(db: Db, version: number, dumped: Record<string, SnapshotTable>): void {
  migrate(db, version)
  const known = new Set(
    db.orm.all<{ name: string }>(sql`select name from sqlite_master where type = 'table'`).map(({ name }) => name),
  )
  db.transaction(() => {
    db.exec('delete from meta')
    for (const [name, { columns, rows }] of Object.entries(dumped)) {
      if (!known.has(name)) throw new UnusableDatabase(`the table ${name} is unknown`)
      if (!columns.every((column) => /^[a-z0-9_]+$/.test(column)))
        throw new UnusableDatabase(`a column of ${name} is none`)
      const places = columns.map(() => '?').join(', ')
      const insert = db.statement(`insert into ${quoted(name)} (${columns.map(quoted).join(', ')}) values (${places})`)
      for (const row of rows) {
        if (row.length !== columns.length)
          throw new UnusableDatabase(`a row of ${name} has another length than its columns`)
        insert(row)
      }
    }
  })
  migrate(db)
}

const quoted = (name: string) => `"${name}"`
