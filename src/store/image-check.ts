/** Checks that an imported database is complete: every row matches the schema, and every reference exists. */
import { type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Db, UnusableDatabase } from './db.js'
import * as schema from './schema.js'

/** Throws `UnusableDatabase`. */
export function requireValidRows(db: Db): void {
  const odd = db.orm.all(sql`select 1 from sqlite_master where type in ('trigger', 'view') limit 1`)
  if (odd.length > 0) throw new UnusableDatabase('the file is a database of another program', 'foreign')
  for (const table of Object.values(schema)) requireReadable(db, table)
  for (const reference of references) requireKnown(db, reference)
}

function requireReadable(db: Db, table: SQLiteTable): void {
  const cases = getTableConfig(table).columns.map(
    (column) => sql`when not (${readable(column)}) then ${sql.raw(`'${column.name}'`)}`,
  )
  const found = db.orm.all<{ damaged_column: string }>(
    sql`select case ${sql.join(cases, sql` `)} end as damaged_column from ${table} where damaged_column is not null limit 1`,
  )
  const [first] = found
  if (first !== undefined)
    throw new UnusableDatabase(
      `a row of ${getTableConfig(table).name} cannot be read: its ${first.damaged_column} is damaged`,
    )
}

/** The condition that every value of a column must satisfy. */
function readable(column: SQLiteColumn): SQL {
  const type = column.getSQLType()
  const isType = sql`typeof(${column}) = ${sql.raw(`'${type}'`)}`
  const isJson = type === 'text' && column.columnType === 'SQLiteCustomColumn'
  const isValid = isJson ? sql`${isType} and json_valid(${column})` : isType
  return column.notNull || column.primary ? isValid : sql`${column} is null or (${isValid})`
}

/** Columns that refer to rows of another table; 0 and null refer to none. */
const references: readonly (readonly [SQLiteColumn, SQLiteColumn])[] = [
  [schema.credentials.accountSeq, schema.accounts.seq],
  [schema.accountLimits.accountSeq, schema.accounts.seq],
  [schema.accountFees.accountSeq, schema.accounts.seq],
  [schema.balances.accountSeq, schema.accounts.seq],
  [schema.postings.accountSeq, schema.accounts.seq],
  [schema.tokens.credentialSeq, schema.credentials.seq],
  [schema.transactions.accountSeq, schema.accounts.seq],
  [schema.transactions.credentialSeq, schema.credentials.seq],
  [schema.wallets.accountSeq, schema.accounts.seq],
  [schema.disputes.accountSeq, schema.accounts.seq],
  [schema.disputes.transactionId, schema.transactions.id],
  [schema.replies.disputeId, schema.disputes.id],
  [schema.events.accountSeq, schema.accounts.seq],
  [schema.events.credentialSeq, schema.credentials.seq],
  [schema.attempts.eventSeq, schema.events.seq],
  [schema.runs.accountSeq, schema.accounts.seq],
]

function requireKnown(db: Db, [from, to]: (typeof references)[number]): void {
  const lost = db.orm.all(
    sql`select 1 from ${from.table} where ${from} <> 0 and ${from} not in (select ${to} from ${to.table}) limit 1`,
  )
  if (lost.length === 0) return
  // Every table of the schema is an SQLite table.
  const [holder, heldTable] = [from.table, to.table].map((table) => getTableConfig(table as SQLiteTable).name)
  throw new UnusableDatabase(`a row of ${holder} refers to a row of ${heldTable} that does not exist`)
}
