/** Tables of accounts and of money: who there is, what was posted, what is left. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Measure } from '../protocol/control/activity.js'
import type { PostedBucket } from '../protocol/control/objects.js'
import type { Currency } from '../protocol/platform/currencies.js'
import type { EntryType } from '../protocol/platform/entry-types.js'
import { flag, minor, sequence } from './columns.js'

export const meta = sqliteTable('meta', { key: text('key').primaryKey(), value: text('value').notNull() })

export const accounts = sqliteTable('accounts', {
  seq: sequence(),
  username: text('username').notNull().unique(),
  name: text('name').notNull(),
  document: text('document').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

export const credentials = sqliteTable('credentials', {
  seq: sequence(),
  accountSeq: integer('account_seq').notNull(),
  clientId: text('client_id').notNull().unique(),
  clientSecret: text('client_secret').notNull(),
  signingKey: text('signing_key').notNull(),
  webhookSecret: text('webhook_secret').notNull(),
  postbackUrl: text('postback_url'),
  active: flag('active').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** Limits of an account that differ from the defaults; a null amount means the default. */
export const accountLimits = sqliteTable(
  'account_limits',
  {
    accountSeq: integer('account_seq').notNull(),
    currency: text('currency').notNull(),
    operation: text('operation').notNull(),
    minMinor: minor('min_minor'),
    maxMinor: minor('max_minor'),
    dailyMinor: minor('daily_minor'),
  },
  (table) => [primaryKey({ columns: [table.accountSeq, table.currency, table.operation] })],
)

export const accountFees = sqliteTable(
  'account_fees',
  {
    accountSeq: integer('account_seq').notNull(),
    currency: text('currency').notNull(),
    operation: text('operation').notNull(),
    fixedMinor: minor('fixed_minor').notNull(),
    percentPpm: minor('percent_ppm').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountSeq, table.currency, table.operation] })],
)

/** Daily sums of each account, one row for each day. */
export const usage = sqliteTable(
  'usage',
  {
    accountSeq: integer('account_seq').notNull(),
    currency: text('currency').notNull(),
    operation: text('operation').notNull(),
    dayMs: integer('day_ms').notNull(),
    usedMinor: minor('used_minor').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountSeq, table.currency, table.operation, table.dayMs] })],
)

/** Running sums of the postings, so that reading a balance takes one row. */
export const balances = sqliteTable(
  'balances',
  {
    accountSeq: integer('account_seq').notNull(),
    currency: text('currency').notNull(),
    available: minor('available').notNull(),
    blocked: minor('blocked').notNull(),
    pending: minor('pending').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountSeq, table.currency] })],
)

/** Hourly sums of money and deliveries, so that a month is few rows however busy it was. */
export const activity = sqliteTable(
  'activity',
  {
    hourMs: integer('hour_ms').notNull(),
    measure: text('measure').notNull().$type<Measure>(),
    /** Empty for rows that count no money. */
    currency: text('currency').notNull(),
    sumMinor: minor('sum_minor').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.hourMs, table.measure, table.currency] })],
)

/** Double entry: the rows of one `entry` sum to zero per currency. `accountSeq` 0 is the platform (`rail`, `fees`). */
export const postings = sqliteTable('postings', {
  seq: sequence(),
  entry: integer('entry').notNull(),
  accountSeq: integer('account_seq').notNull(),
  bucket: text('bucket').notNull().$type<PostedBucket>(),
  currency: text('currency').notNull().$type<Currency>(),
  amountMinor: minor('amount_minor').notNull(),
  objectId: text('object_id').notNull(),
  memo: text('memo').notNull(),
  atMs: integer('at_ms').notNull(),
  /** Its name in the statement of the account; null where it does not change `available`. */
  type: text('type').$type<EntryType>(),
})

export const tokens = sqliteTable('tokens', {
  seq: sequence(),
  hash: text('hash').notNull().unique(),
  credentialSeq: integer('credential_seq').notNull(),
  expiresAtMs: integer('expires_at_ms').notNull(),
})

/** Appended to, and read only at start: a running sandbox looks nonces up in memory. */
export const nonces = sqliteTable('nonces', {
  seq: sequence(),
  credentialSeq: integer('credential_seq').notNull(),
  nonce: text('nonce').notNull(),
  expiresWallMs: integer('expires_wall_ms').notNull(),
})
