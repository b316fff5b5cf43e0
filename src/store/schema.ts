/** Every table, as drizzle declares it. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keysOf } from '../base/keys.js'
import type { Measure } from '../protocol/control/figures.js'
import type { PostedBucket } from '../protocol/control/objects.js'
import type { LoggedCallDetails } from '../protocol/control/requests.js'
import type { RunStatus, StartedBy } from '../protocol/control/scenarios.js'
import type { DeliveryStatus } from '../protocol/control/webhooks.js'
import { currencies, type Network } from '../protocol/platform/currencies.js'
import { entryTypes } from '../protocol/platform/entry-types.js'
import type { EventName, Source } from '../protocol/platform/events.js'
import type { AttemptOutcome } from '../protocol/platform/failures.js'
import { operations } from '../protocol/platform/limits.js'
import type {
  JobKind,
  ObjectKind,
  StatusOf,
  TransactionType,
  TransitionName,
} from '../protocol/platform/transitions.js'
import type { Scenario, Step } from '../protocol/scenario/file.js'
import type { DeliveryFaults } from '../protocol/scenario/steps.js'
import { flag, json, minor, type RunState, type StepResult, sequence, type TransactionDetail } from './columns.js'

const currency = (name: string) => text(name, { enum: keysOf(currencies) })

// Accounts and money: who there is, what was posted, what is left.

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
    currency: text('currency', { enum: ['', ...keysOf(currencies)] }).notNull(),
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
  currency: currency('currency').notNull(),
  amountMinor: minor('amount_minor').notNull(),
  objectId: text('object_id').notNull(),
  memo: text('memo').notNull(),
  atMs: integer('at_ms').notNull(),
  /** Its name in the statement of the account; null where it does not change `available`. */
  type: text('type', { enum: keysOf(entryTypes) }),
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

// Transactions, wallets and disputes, and their history.

export const transactions = sqliteTable('transactions', {
  seq: sequence(),
  id: text('id').notNull().unique(),
  accountSeq: integer('account_seq').notNull(),
  credentialSeq: integer('credential_seq'),
  type: text('type', { enum: operations }).notNull(),
  status: text('status').notNull().$type<StatusOf<TransactionType>>(),
  source: text('source').$type<Source>(),
  currency: currency('currency').notNull(),
  amountMinor: minor('amount_minor').notNull(),
  feeMinor: minor('fee_minor').notNull(),
  externalId: text('external_id'),
  fingerprint: text('fingerprint'),
  postbackUrl: text('postback_url'),
  network: text('network').$type<Network>(),
  detail: json<TransactionDetail>('detail').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  updatedAtMs: integer('updated_at_ms').notNull(),
  currencyTo: currency('currency_to'),
})

export const wallets = sqliteTable('wallets', {
  seq: sequence(),
  accountSeq: integer('account_seq').notNull(),
  credentialSeq: integer('credential_seq'),
  currency: currency('currency').notNull(),
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
  currency: currency('currency').notNull(),
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

/** Uploaded scenarios; others come with the package or from a folder. */
export const scenarios = sqliteTable('scenarios', {
  name: text('name').primaryKey(),
  definition: json<Scenario>('definition').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** Armed scenarios. `accountSeq` is null if all accounts are meant; `remaining` is null if there is no limit. */
export const arms = sqliteTable('arms', {
  seq: sequence(),
  scenario: text('scenario').notNull(),
  accountSeq: integer('account_seq'),
  remaining: integer('remaining'),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** A run stores a copy of its steps, because the scenario may change or be deleted while it runs. */
export const runs = sqliteTable('runs', {
  seq: sequence(),
  id: text('id').notNull().unique(),
  scenario: text('scenario').notNull(),
  status: text('status').notNull().$type<RunStatus>(),
  startedBy: text('started_by').notNull().$type<StartedBy>(),
  accountSeq: integer('account_seq').notNull(),
  subjectId: text('subject_id'),
  steps: json<Step[]>('steps').notNull(),
  results: json<StepResult[]>('results').notNull(),
  state: json<RunState>('state').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  finishedAtMs: integer('finished_at_ms'),
})

/** The entry that `GET /_sandbox/requests/{id}` shows, masked and truncated. */
export type RequestEntry = Omit<LoggedCallDetails, 'signature'>

/** The signature headers of a call. The keys are stored with the credential. */
export interface StoredSignature {
  clientId: string
  /** The error code of the rejection; null if the signature was valid, and then the body may be truncated. */
  refusal: string | null
  method: string
  path: string
  signature: string | null
  timestamp: string | null
  nonce: string | null
  bodyBase64: string
  bodyRefused: boolean
  wallMs: number
}

/** `transactionId` is the one in the envelope; `subjectId` is the object that the event is about (a refund has its own id). */
export const events = sqliteTable('events', {
  seq: sequence(),
  id: text('id').notNull().unique(),
  event: text('event').notNull().$type<EventName>(),
  transactionId: text('transaction_id').notNull(),
  subjectId: text('subject_id').notNull(),
  externalId: text('external_id'),
  accountSeq: integer('account_seq').notNull(),
  credentialSeq: integer('credential_seq'),
  url: text('url'),
  body: text('body').notNull(),
  status: text('status').notNull().$type<DeliveryStatus>(),
  attempts: integer('attempts').notNull(),
  nextAttemptAtMs: integer('next_attempt_at_ms'),
  /** The delivery faults of a scenario; null if the event is delivered as documented. */
  deliveryFaults: text('delivery_faults'),
  createdAtMs: integer('created_at_ms').notNull(),
})

export const attempts = sqliteTable('attempts', {
  seq: sequence(),
  eventSeq: integer('event_seq').notNull(),
  credentialSeq: integer('credential_seq'),
  number: integer('number').notNull(),
  atMs: integer('at_ms').notNull(),
  durationMs: integer('duration_ms').notNull(),
  requestHeaders: json<Record<string, string>>('request_headers').notNull(),
  outcome: text('outcome').notNull().$type<AttemptOutcome>(),
  status: integer('status'),
  responseBody: text('response_body'),
  detail: text('detail'),
  /** Whether it is a manual redelivery. */
  manual: flag('manual').notNull(),
})

/** Everything that happens later, ordered by `(dueAtMs, seq)`. A finished job is deleted; a `claimed` one is in progress. */
export const jobs = sqliteTable('jobs', {
  seq: sequence(),
  claimed: flag('claimed').notNull(),
  kind: text('kind').notNull().$type<JobKind>(),
  dueAtMs: integer('due_at_ms').notNull(),
  /** The object that the job is about; a change that makes the job obsolete deletes it by this reference. */
  ref: text('ref').notNull(),
  payload: text('payload'),
})

/** Delivery faults for the events of an object, set by a scenario. */
export const deliveryFaultRows = sqliteTable('delivery_faults', {
  subjectId: text('subject_id').primaryKey(),
  deliveryFaults: json<DeliveryFaults>('faults').notNull(),
})

/** The request log: the newest calls only, written with a delay. `signed` has the input of the signature, if one was checked. */
export const requests = sqliteTable('requests', {
  seq: sequence(),
  id: text('id').notNull(),
  bytes: integer('bytes').notNull(),
  entry: json<RequestEntry>('entry').notNull(),
  signed: json<StoredSignature>('signed'),
})

/** `used` is the number of the newest message at the last use; `given` counts the configured responses already sent. */
export const inboxes = sqliteTable('inboxes', {
  name: text('name').primaryKey(),
  used: integer('used').notNull(),
  responses: json<readonly { status: number; delayMs: number }[]>('responses').notNull(),
  given: integer('given').notNull(),
})

export const inboxMessages = sqliteTable('inbox_messages', {
  seq: sequence(),
  inbox: text('inbox').notNull(),
  headers: json<Record<string, string>>('headers').notNull(),
  /** The text exactly as received. */
  raw: text('raw').notNull(),
  /** Checked with the secret of the event's credential; null if the message has no signature. */
  signatureValid: flag('signature_valid'),
  receivedAtMs: integer('received_at_ms').notNull(),
  chars: integer('chars').notNull(),
  /** Whether neither the owner nor the sandbox sent the message. Such messages have their own limit. */
  fromStranger: flag('from_stranger').notNull(),
})
