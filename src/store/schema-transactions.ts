/** Tables of transactions, wallets and disputes, and of their history. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Currency, Network } from '../protocol/platform/currencies.js'
import type { Source } from '../protocol/platform/events.js'
import type { ObjectKind, StatusOf, TransactionType, TransitionName } from '../protocol/platform/transitions.js'
import { json, minor, sequence } from './columns.js'
import type { TransactionDetail } from './details.js'

export const transactions = sqliteTable('transactions', {
  seq: sequence(),
  id: text('id').notNull().unique(),
  accountSeq: integer('account_seq').notNull(),
  credentialSeq: integer('credential_seq'),
  type: text('type').notNull().$type<TransactionType>(),
  status: text('status').notNull().$type<StatusOf<TransactionType>>(),
  source: text('source').$type<Source>(),
  currency: text('currency').notNull().$type<Currency>(),
  amountMinor: minor('amount_minor').notNull(),
  feeMinor: minor('fee_minor').notNull(),
  externalId: text('external_id'),
  fingerprint: text('fingerprint'),
  postbackUrl: text('postback_url'),
  network: text('network').$type<Network>(),
  detail: json<TransactionDetail>('detail').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  updatedAtMs: integer('updated_at_ms').notNull(),
  /** The target currency of a conversion. */
  currencyTo: text('currency_to').$type<Currency>(),
})

export const wallets = sqliteTable('wallets', {
  seq: sequence(),
  accountSeq: integer('account_seq').notNull(),
  credentialSeq: integer('credential_seq'),
  currency: text('currency').notNull().$type<Currency>(),
  chain: text('chain').$type<Network>(),
  address: text('address').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

export const disputes = sqliteTable('disputes', {
  seq: sequence(),
  id: text('id').notNull().unique(),
  accountSeq: integer('account_seq').notNull(),
  transactionId: text('transaction_id').notNull(),
  type: text('type').notNull(),
  status: text('status').notNull().$type<StatusOf<'dispute'>>(),
  amountMinor: minor('amount_minor').notNull(),
  currency: text('currency').notNull().$type<Currency>(),
  e2eId: text('e2e_id').notNull(),
  reason: text('reason').notNull(),
  deadlineAtMs: integer('deadline_at_ms').notNull(),
  resolvedAtMs: integer('resolved_at_ms'),
  createdAtMs: integer('created_at_ms').notNull(),
})

export const replies = sqliteTable('replies', {
  seq: sequence(),
  disputeId: text('dispute_id').notNull(),
  message: text('message').notNull(),
  files: json<{ name: string; size: number; type: string; sha256: string }[]>('files').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** One row for each transition after the creation. `objectId` is the id of the transaction or dispute. */
export const history = sqliteTable('history', {
  seq: sequence(),
  object: text('object').notNull().$type<ObjectKind>(),
  objectId: text('object_id').notNull(),
  action: text('action').notNull().$type<TransitionName>(),
  fromStatus: text('from_status').$type<StatusOf<ObjectKind>>(),
  toStatus: text('to_status').notNull().$type<StatusOf<ObjectKind>>(),
  atMs: integer('at_ms').notNull(),
})
