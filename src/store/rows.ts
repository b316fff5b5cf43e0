/**
 * Reads and writes whole rows with our own statements: the SQL text is built once per process, a statement is prepared
 * once per database, and only columns that need it are converted. This saves a third of the CPU of an in-memory
 * workspace.
 */
import { Column, getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Db, type Param, preparedStatement, reader } from './db.js'

type RowOf<Table extends SQLiteTable> = Table['$inferSelect']
type ColumnOf<Table extends SQLiteTable> = keyof RowOf<Table> & string

export function inserter<Table extends SQLiteTable>(table: Table): (db: Db, row: RowOf<Table>) => void {
  const { text, values } = insertOf(table)
  const run = preparedStatement(text)
  return (db, row) => run(db)(values(row))
}

/** Inserts a row into a table whose `seq` the database assigns. */
export function appender<Table extends SQLiteTable>(table: Table): (db: Db, row: Omit<RowOf<Table>, 'seq'>) => void {
  const insert = inserter(table)
  return (db, row) => insert(db, { seq: null, ...row })
}

/** Inserts the row, or updates the one with the same primary key. */
export function upserter<Table extends SQLiteTable>(table: Table): (db: Db, row: RowOf<Table>) => void {
  const { text, values } = insertOf(table)
  const columns = Object.values(getTableColumns(table))
  const key = getTableConfig(table).primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  const assignments = columns
    .filter((column) => !key.includes(column))
    .map(({ name }) => `"${name}" = excluded."${name}"`)
  const run = preparedStatement(
    `${text} on conflict (${key.map(({ name }) => `"${name}"`)}) do update set ${assignments.join(', ')}`,
  )
  return (db, row) => run(db)(values(row))
}

/** Sets the given columns of the row with this `seq`. */
export function updater<Table extends SQLiteTable, Name extends ColumnOf<Table>>(
  table: Table,
  names: readonly Name[],
): (db: Db, seq: number, row: Pick<RowOf<Table>, Name>) => void {
  const columns = Object.entries(getTableColumns(table)).filter(([key]) => names.some((name) => name === key))
  const sets = columns.map(([, column]) => `"${column.name}" = ?`).join(', ')
  const run = preparedStatement(`update "${getTableName(table)}" set ${sets} where seq = ?`)
  const values = valuesOf(columns)
  return (db, seq, row) => run(db)([...values(row), seq])
}

/** Reads whole rows; `rest` (such as `where …`) follows the table name in the SQL text. */
export function selector<Table extends SQLiteTable>(
  table: Table,
  rest: string,
): (db: Db, ...params: Param[]) => RowOf<Table>[] {
  const columns = Object.entries(getTableColumns(table))
  const names = columns.map(([key, column]) => `"${column.name}" as "${key}"`).join(', ')
  const read = reader<Record<string, unknown>>(`select ${names} from "${getTableName(table)}" ${rest}`)
  const converted = columns.filter(([, column]) => column.mapFromDriverValue !== baseColumn.mapFromDriverValue)
  return (db, ...params) => {
    const rows = read(db, ...params)
    for (const row of rows)
      for (const [key, column] of converted) if (row[key] !== null) row[key] = column.mapFromDriverValue(row[key])
    return rows
  }
}

/** Reads the first matching row. */
export function finder<Table extends SQLiteTable>(
  table: Table,
  rest: string,
): (db: Db, ...params: Param[]) => RowOf<Table> | undefined {
  const select = selector(table, `${rest} limit 1`)
  return (db, ...params) => select(db, ...params)[0]
}

/** A condition of a list in SQL, with its parameters. */
export type Condition = readonly [text: string, ...params: Param[]]

/** The condition of a filter, which a caller may leave out. */
export const given = (text: string, value: Param | undefined): Condition[] =>
  value === undefined || value === null ? [] : [[text, value]]

/** Makes a statement for each combination of conditions, at its first use. */
export function byConditions<T>(make: (where: string) => T): (conditions: readonly Condition[]) => T {
  const made = new Map<string, T>()
  return (conditions) => {
    const where = conditions.length === 0 ? '' : `where ${conditions.map(([text]) => text).join(' and ')}`
    const one = made.get(where) ?? make(where)
    made.set(where, one)
    return one
  }
}

export const paramsOf = (conditions: readonly Condition[]): Param[] => conditions.flatMap(([, ...params]) => params)

/** Reads the rows that fulfil all conditions; `rest` (such as `order by …`) follows them in the SQL text. */
export function lister<Table extends SQLiteTable>(
  table: Table,
  rest: string,
): (db: Db, conditions: readonly Condition[], ...params: Param[]) => RowOf<Table>[] {
  const select = byConditions((where) => selector(table, `${where} ${rest}`))
  return (db, conditions, ...params) => select(conditions)(db, ...paramsOf(conditions), ...params)
}

function insertOf(table: SQLiteTable) {
  const columns = Object.entries(getTableColumns(table))
  const names = columns.map(([, column]) => `"${column.name}"`).join(', ')
  const placeholders = columns.map(() => '?').join(', ')
  return { text: `insert into "${getTableName(table)}" (${names}) values (${placeholders})`, values: valuesOf(columns) }
}

/** Most columns need no conversion: calling a converter for every column cost 1 % of the CPU time of a charge. */
function valuesOf(columns: [string, Column][]): (row: Record<string, unknown>) => Param[] {
  const converters = columns.map(([key, column]) => ({ key, convert: converterOf(column) }))
  return (row) =>
    converters.map(({ key, convert }) => {
      const value = row[key]
      // The driver accepts every value that a column converts to.
      return (value === null || convert === null ? value : convert(value)) as Param
    })
}

/**
 * Returns null if the driver accepts the value unchanged, as it does for amounts (bigint). A custom column of SQL type
 * text contains JSON.
 */
function converterOf(column: Column): ((value: unknown) => unknown) | null {
  if (column.columnType === 'SQLiteCustomColumn') return column.getSQLType() === 'text' ? JSON.stringify : null
  return column.mapToDriverValue === baseColumn.mapToDriverValue ? null : (value) => column.mapToDriverValue(value)
}

const baseColumn = Column.prototype
