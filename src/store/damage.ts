/** Finds values that no program has stored: a disk that loses a byte within a text damages a row, and SQLite does not notice. */
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { fieldAt } from '../base/unknown.js'
import { ApiError } from '../protocol/platform/errors.js'
import type { Db } from './db.js'
import * as schema from './schema.js'

/** Returns 503 SERVICE_UNAVAILABLE if a value is damaged: then that is why a call failed. */
export function damagedDatabaseError(db: Db): ApiError | undefined {
  const what = db.isPersistent && db.opened !== null ? describeDamage(db) : undefined
  if (what === undefined) return undefined
  return new ApiError('SERVICE_UNAVAILABLE', { reason: `the database is damaged: ${what} cannot be read` })
}

function describeDamage(db: Db): string | undefined {
  try {
    const damage = findDamage(db)
    return damage && `${damage.table}.${damage.column}`
  } catch {
    // SQLite itself cannot read it.
    return 'the file'
  }
}

/** Reads all rows, so it is for the moment when something has failed, or when a file comes from outside. */
export function findDamage(db: Db): { table: string; column: string } | undefined {
  for (const table of Object.values(schema)) {
    const column = damagedColumn(db, table)
    if (column !== undefined) return { table: getTableConfig(table).name, column }
  }
  return undefined
}

function damagedColumn(db: Db, table: SQLiteTable): string | undefined {
  const { name, columns } = getTableConfig(table)
  const cases = columns.map((column) => `when not (${readable(column)}) then '${column.name}'`)
  const find = db.query(`select case ${cases.join(' ')} end as damaged from ${name} where damaged is not null limit 1`)
  const column = fieldAt(find([])[0], 'damaged')
  return typeof column === 'string' ? column : undefined
}

/** The condition that every value of a column must satisfy. */
function readable(column: SQLiteColumn): string {
  const type = column.getSQLType()
  const name = `"${column.name}"`
  const isJson = type === 'text' && column.columnType === 'SQLiteCustomColumn'
  const words = column.enumValues === undefined ? '' : ` and ${name} in (${column.enumValues.map(quoted).join(', ')})`
  const shape = shapes.find(([one]) => one === column)?.[1] ?? ''
  const isValid = `typeof(${name}) = '${type}'${isJson ? ` and json_valid(${name})` : ''}${words}${shape}`
  return column.notNull || column.primary ? isValid : `${name} is null or (${isValid})`
}

const quoted = (word: string) => `'${word}'`
/** A further condition. */
const has = (column: string, field: string) => ` and json_type(${column}, '$.${field}') is not null`

/** What stored JSON must have, so that a list can show it. */
const shapes: readonly (readonly [SQLiteColumn, string])[] = [
  [schema.requests.entry, ['path', 'request_headers', 'warnings'].map((field) => has('entry', field)).join('')],
  [schema.runs.results, ` and not exists (select 1 from json_each(results) where json_type(value, '$.atMs') is null)`],
  [schema.runs.state, has('state', 'names')],
]
