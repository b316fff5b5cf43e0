/**
 * Where events go, and what is sent: writes an event and its delivery job, in the same transaction as the change it
 * reports (§6.2, decisions 28, 29, 32).
 */

import { isoOffset } from '../../base/iso.js'
import { isInboxPath } from '../../protocol/control/webhooks.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { EventData, EventName } from '../../protocol/platform/events.js'
import { webhookHeaders, webhookUserAgent } from '../../protocol/platform/headers.js'
import { postbackUrlMaxLength } from '../../protocol/platform/limits.js'
import { isPrivateHost } from '../../protocol/platform/webhook-hosts.js'
import { appender, inserter } from '../../store/rows.js'
import { attempts, events } from '../../store/schema.js'
import { type Credential, credentialForEvents } from '../auth/authenticate.js'
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

/** Returns the address in effect and the credential whose secret signs the event; null if there is none (decisions 29, 32, 33). */
export function destinationOf(
  unit: Unit,
  to: Pick<Addressee, 'accountSeq' | 'credentialSeq' | 'postbackUrl'>,
): { url: string | null; credential: Credential | undefined } {
  const credential = credentialForEvents(unit.db, to.accountSeq, to.credentialSeq)
  return { url: to.postbackUrl ?? credential?.postbackUrl ?? unit.config.webhookUrl, credential }
}

/** Accepts an `https` URL, or `http` to a loopback or private address unless that is forbidden; throws 422 INVALID_POSTBACK_URL. */
export function parsePostbackUrl(
  text: string | null | undefined,
  strict: boolean,
  field = 'postback_url',
): string | null {
  if (text === undefined || text === null) return null
  const refuse = (rule: string) =>
    new ApiError('INVALID_POSTBACK_URL', { field, rule }, { message: `${field} is not an allowed webhook URL.` })
  if (text.length > postbackUrlMaxLength || !URL.canParse(text)) throw refuse('must be a URL')
  // URL parsing would remove or encode them, so the URL that is called would not be the one that was sent.
  if (/[\s\p{Cc}]/u.test(text)) throw refuse('must not contain spaces or control characters')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw refuse('must not contain a user name or password')
  if (url.protocol === 'https:') return text
  if (url.protocol !== 'http:') throw refuse('must be an https:// URL')
  // Whether it is one of our own inboxes is checked when sending.
  if (strict && !isInboxPath(url.pathname)) throw refuse('must be an https:// URL (strict_webhooks is set)')
  if (!isPrivateHost(url.hostname))
    throw refuse('must be an https:// URL: http:// is allowed only for loopback and private addresses')
  return text
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
  })
}

// The headers of one attempt to deliver an event (§6.1).

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
  headers[webhookHeaders.agent] = webhookUserAgent
  if (isSandbox) headers[webhookHeaders.sandbox] = '1'
  return headers
}

export type WebhookEvent = typeof events.$inferSelect
