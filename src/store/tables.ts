/** Builds the SQL that creates the database: the tables of the drizzle schema, and their indexes. */
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from './schema.js'

/**
 * SQL that turns the tables of each released schema number into those of the next, from number 1. Every change of the
 * tables after a release adds a row.
 */
export const upgrades: readonly string[] = []
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
