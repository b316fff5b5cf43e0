/** The tables as a drizzle schema; `tables.ts` creates them from it. */

import { customType, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Measure } from '../protocol/control/activity.js'
import type { JobKind } from '../protocol/control/clock.js'
import type { PostedBucket } from '../protocol/control/objects.js'
import type { LoggedCallInFull } from '../protocol/control/requests.js'
import type { RunStatus, StartedBy } from '../protocol/control/scenarios.js'
import type { DeliveryStatus } from '../protocol/control/webhooks.js'
import type { Currency, Network } from '../protocol/platform/currencies.js'
import type { EventName, Source } from '../protocol/platform/events.js'
import type { AttemptOutcome } from '../protocol/platform/outcomes.js'
import type { ObjectKind, StatusOf, StepName, TransactionType } from '../protocol/platform/transitions.js'
import type { Scenario, Step } from '../protocol/scenario/file.js'
import type { Treatment } from '../protocol/scenario/steps.js'
import type { TransactionDetail } from './details.js'
import type { RunState, StepResult } from './run-state.js'
import { storedJson } from './stored-json.js'

/** Minor units: bigint in the program, an integer in the file. */
const minor = customType<{ data: bigint; driverData: bigint | number }>({
  dataType: () => 'integer',
  toDriver: (value) => value,
  fromDriver: (value) => BigInt(value),
})

const json = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => storedJson<T>(value),
  })(name)

/** As `GET /_sandbox/requests/{id}` shows it: masked and cut. */
export type RequestEntry = Omit<LoggedCallInFull, 'signature'>

/** What came with a signed call, without the keys: those are the credential's. */
export interface KeptSignature {
  clientId: string
  /** The error code that it was refused with; null where it held: then the body may be cut. */
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

const flag = (name: string) => integer(name, { mode: 'boolean' })
const sequence = () => integer('seq').primaryKey()

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

/** What an account changed of the default limits; amounts null where the default stands. */
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

/** What each account did since midnight, a row a day. */
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

/** The running sums of the postings, so that a balance is one row. */
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

/** What came in, went out, was delivered and was not, summed by the hour, so that a month is few rows however much happened in it. */
export const activity = sqliteTable(
  'activity',
  {
    hourMs: integer('hour_ms').notNull(),
    measure: text('measure').notNull().$type<Measure>(),
    /** Empty where no money is counted. */
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
})

export const tokens = sqliteTable('tokens', {
  seq: sequence(),
  hash: text('hash').notNull().unique(),
  credentialSeq: integer('credential_seq').notNull(),
  expiresAtMs: integer('expires_at_ms').notNull(),
})

/** Appended to and read at start only: while it runs, the sandbox looks nonces up in memory. */
export const nonces = sqliteTable('nonces', {
  seq: sequence(),
  credentialSeq: integer('credential_seq').notNull(),
  nonce: text('nonce').notNull(),
  expiresWallMs: integer('expires_wall_ms').notNull(),
})

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
  /** Of a conversion, what it was converted to. */
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

/** One row a transition. `objectId` is the object's own id, a wallet's as text. */
export const history = sqliteTable('history', {
  seq: sequence(),
  object: text('object').notNull().$type<ObjectKind>(),
  objectId: text('object_id').notNull(),
  action: text('action').notNull().$type<StepName>(),
  fromStatus: text('from_status').$type<StatusOf<ObjectKind>>(),
  toStatus: text('to_status').notNull().$type<StatusOf<ObjectKind>>(),
  atMs: integer('at_ms').notNull(),
})

/** `transactionId` mirrors the envelope; `subjectId` is the object that it tells of (a refund has an id of its own). */
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
  /** How a scenario wants it delivered; null: as documented. */
  treatment: text('treatment'),
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
})

/** Everything that is to happen later, in order of `(dueAtMs, seq)`. A finished job is deleted; `claimed` is one being worked on. */
export const jobs = sqliteTable('jobs', {
  seq: sequence(),
  claimed: flag('claimed').notNull(),
  kind: text('kind').notNull().$type<JobKind>(),
  dueAtMs: integer('due_at_ms').notNull(),
  /** The object it is about; a change that makes the job pointless deletes it by this. */
  ref: text('ref').notNull(),
  payload: text('payload'),
})

/** Uploaded ones; the others come with the package or lie in a folder. */
export const scenarios = sqliteTable('scenarios', {
  name: text('name').primaryKey(),
  definition: json<Scenario>('definition').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** Scenarios that catch the integrator's calls; `accountSeq` null: of every account, `remaining` null: without end. */
export const arms = sqliteTable('arms', {
  seq: sequence(),
  scenario: text('scenario').notNull(),
  accountSeq: integer('account_seq'),
  remaining: integer('remaining'),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** A run keeps its own copy of the steps, so that a scenario may change or go while it lasts. */
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

/** How the events of an object are to be delivered, because a scenario says so. */
export const treatments = sqliteTable('treatments', {
  subjectId: text('subject_id').primaryKey(),
  treatment: json<Treatment>('treatment').notNull(),
})

/** The log of API calls, written behind: the newest ones only. `signed` is what a signature was made from, where one was looked at. */
export const requests = sqliteTable('requests', {
  seq: sequence(),
  id: text('id').notNull(),
  bytes: integer('bytes').notNull(),
  entry: json<RequestEntry>('entry').notNull(),
  signed: json<KeptSignature>('signed'),
})

/** `used` is the number of the last message when it was last used, `given` how many of the responses have been given. */
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
  /** The text exactly as it came. */
  raw: text('raw').notNull(),
  /** Against the secret of the credential that the event belongs to; null where the message bears no signature. */
  signatureValid: flag('signature_valid'),
  receivedAtMs: integer('received_at_ms').notNull(),
  chars: integer('chars').notNull(),
  /** Sent by somebody else than the owner and the sandbox: such messages have a bound of their own. */
  fromStranger: flag('from_stranger').notNull(),
})
