/** Tables of events, delivery attempts, jobs, the request log and inboxes. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { JobKind } from '../protocol/control/job-kinds.js'
import type { LoggedCallDetails } from '../protocol/control/requests.js'
import type { DeliveryStatus } from '../protocol/control/webhooks.js'
import type { EventName } from '../protocol/platform/events.js'
import type { AttemptOutcome } from '../protocol/platform/outcomes.js'
import type { DeliveryFaults } from '../protocol/scenario/steps.js'
import { flag, json, sequence } from './columns.js'

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
