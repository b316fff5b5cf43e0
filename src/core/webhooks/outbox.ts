/**
 * What is sent: writes an event and its delivery job, in the same transaction as the change it reports (interface.md
 * §6.2, assumptions.md decisions 28, 29, 32).
 */

import { isoOffset } from '../../base/iso.js'
import type { EventData, EventName } from '../../protocol/platform/events.js'
import { webhookHeaders, webhookUserAgent } from '../../protocol/platform/headers.js'
import { appender, inserter } from '../../store/rows.js'
import { attempts, events } from '../../store/schema.js'
import { destinationOf } from '../auth/authenticate.js'
import { schedule } from '../jobs/jobs.js'
import type { Unit } from '../unit/unit.js'
import { chaosDeliveryFaults, deliveryFaultsFor, scheduleFirst } from './faults.js'

/** Who receives an event, and the object it is about. */
export interface Addressee {
  accountSeq: number
  /** The credential of the call, if any. */
  credentialSeq: number | null
  /** The transaction's own `postback_url`, which takes precedence over the credential's. */
  postbackUrl: string | null
  /** The object of the event. */
  subjectId: string
  externalId: string | null
}

export interface EmittedEvent {
  id: string
  event: EventName
}

const insertEvent = inserter(events)
const appendAttempt = appender(attempts)

/** Emits an event. `transactionId` is the id in the envelope. The body is created here and never changes. */
export function emit<Name extends EventName>(
  unit: Unit,
  event: Name,
  to: Addressee,
  transactionId: string,
  data: EventData[Name],
): EmittedEvent {
  const { atMs } = unit
  const { seq, id } = unit.ids.next('events')
  const { credential, url } = destinationOf(unit, to)
  const deliveryFaults =
    deliveryFaultsFor(unit, to.subjectId) ?? (url === null ? null : chaosDeliveryFaults(unit, event, to))
  const body = { event, timestamp: isoOffset(atMs), transaction_id: transactionId, data }
  insertEvent(unit.db, {
    seq,
    id,
    event,
    transactionId,
    subjectId: to.subjectId,
    externalId: to.externalId,
    accountSeq: to.accountSeq,
    credentialSeq: credential?.seq ?? null,
    url,
    body: JSON.stringify(unit.wireFormat === null ? body : unit.wireFormat.event(body)),
    status: url === null ? 'failed' : 'pending',
    attempts: url === null ? 1 : 0,
    nextAttemptAtMs: url === null ? null : atMs,
    deliveryFaults: deliveryFaults === null ? null : JSON.stringify(deliveryFaults),
    createdAtMs: atMs,
  })
  if (url === null) recordNoUrl(unit, seq)
  else if (deliveryFaults === null) schedule(unit, 'deliver', atMs, id)
  else scheduleFirst(unit, { seq, id, subjectId: to.subjectId }, deliveryFaults)
  unit.publishChange({ type: 'webhook', id, event, subject: to.subjectId, status: url === null ? 'failed' : 'pending' })
  return { id, event }
}

function recordNoUrl(unit: Unit, eventSeq: number): void {
  appendAttempt(unit.db, {
    eventSeq,
    credentialSeq: null,
    number: 1,
    atMs: unit.atMs,
    durationMs: 0,
    requestHeaders: {},
    outcome: 'no_url',
    status: null,
    responseBody: null,
    detail: null,
    manual: false,
  })
}

// The headers of one attempt to deliver an event (interface.md §6.1).

interface WebhookMessage {
  event: string
  id: string
  /** With null, the header is omitted. */
  signature: string | null
  /** Unix time in seconds of real time. With null, the header is omitted. */
  timestamp: string | null
  /** Whether a header states that the webhook comes from a sandbox. */
  isSandbox: boolean
}

/** Returns the headers in the order in which they are sent. */
export function headersOf({ event, id, signature, timestamp, isSandbox }: WebhookMessage): Record<string, string> {
  const headers: Record<string, string> = { [webhookHeaders.type]: 'application/json', [webhookHeaders.event]: event }
  if (signature !== null) headers[webhookHeaders.signature] = signature
  headers[webhookHeaders.id] = id
  if (timestamp !== null) headers[webhookHeaders.timestamp] = timestamp
  headers[webhookHeaders.userAgent] = webhookUserAgent
  if (isSandbox) headers[webhookHeaders.sandbox] = '1'
  return headers
}

export type WebhookEvent = typeof events.$inferSelect
