/** Events and their delivery: list, one with every attempt, redelivery, and waiting for an event. */

import { isoUtc } from '../../base/iso.js'
import { fieldsIn } from '../../base/unknown.js'
import {
  awaitEvent,
  awaitEventOrFailure,
  type EventCriteria,
  eventConditions,
  findEvents,
  hasStatus,
  newestEvents,
} from '../../core/delivery/await-event.js'
import { redeliver, requireEvent } from '../../core/delivery/deliveries.js'
import { nextDueMs } from '../../core/jobs/jobs.js'
import { findObject, subjectOf, transactionsWithExternalId } from '../../core/operations/transactions.js'
import { statusOf, subjectId } from '../../core/operations/transition.js'
import type { Unit, Workspace } from '../../core/unit/unit.js'
import { deliveryFaultsOf, isJudgedSql, tamper, tamperOf, verdictOf, verdictSql } from '../../core/webhooks/faults.js'
import type { WebhookEvent } from '../../core/webhooks/outbox.js'
import type { WebhookVerdict, webhookRoutes } from '../../protocol/control/webhooks.js'
import { type Currency, isCurrency } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { summarizeEvent } from '../../protocol/platform/event-summary.js'
import { type Source, sources } from '../../protocol/platform/events.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import { objectKinds } from '../../protocol/platform/transitions.js'
import type { WebhookFault } from '../../protocol/settings/chaos.js'
import { storedJson } from '../../store/columns.js'
import { type Condition, finder, given, selector } from '../../store/rows.js'
import { attempts } from '../../store/schema.js'
import { type ControlCall, type Handlers, pageFrom, rangeOf } from './routes.js'

interface Summary {
  amount: string | null
  currency: Currency | null
  source: Source | null
}

function summaryOf(body: string): Summary {
  const { amount, currency, source } = summarizeEvent(fieldsIn(storedJson(body)).data)
  return {
    amount,
    currency: isCurrency(currency) ? currency : null,
    source: sources.find((name) => name === source) ?? null,
  }
}

const judged = (verdict: WebhookVerdict | undefined) => (verdict === undefined ? {} : { verdict })

export function eventSummary({ db }: Pick<Unit, 'db'>, row: WebhookEvent) {
  const isAltered = tamperOf(row, false) !== undefined
  return {
    id: row.id,
    event: row.event,
    transaction_id: row.transactionId,
    subject_id: row.subjectId,
    external_id: row.externalId,
    ...summaryOf(row.body),
    url: row.url,
    status: row.status,
    attempts: row.attempts,
    ...(row.url === null ? { outcome: 'no_url' as const } : {}),
    ...(isAltered ? judged(verdictOf(row, lastAttemptOf(db, row.seq))) : {}),
    ...faultsIn(row),
    next_attempt_at: row.nextAttemptAtMs === null ? null : isoUtc(row.nextAttemptAtMs),
    created_at: isoUtc(row.createdAtMs),
  }
}

/** `duplicate: 3`, `delay: 5000 ms`, `reorder`. The database of somebody else can contain lists of any depth, which have no short form. */
function faultsIn(row: WebhookEvent) {
  const { scenario, chaos = [], ...faults } = deliveryFaultsOf(row) ?? {}
  const named = Object.entries(faults).flatMap(([name, value]) =>
    typeof value === 'object' ? [] : value === true ? name : `${name}: ${value}${name === 'delay' ? ' ms' : ''}`,
  )
  return {
    ...(typeof scenario === 'string' ? { scenario } : {}),
    ...marked(chaos),
    ...(named.length === 0 ? {} : { faults: named }),
  }
}

const marked = (chaos: readonly WebhookFault[]) => (chaos.length === 0 ? {} : { chaos: [...chaos] })

/** A late or exchanged event shows it in its first attempt, a duplicate in the attempt after the first acknowledgement. */
function chaosOfAttempt(chaos: readonly WebhookFault[], index: number, acknowledgedIndex: number): WebhookFault[] {
  const isSecond = acknowledgedIndex >= 0 && index === acknowledgedIndex + 1
  return chaos.filter((fault) => (fault === 'duplicate' ? isSecond : index === 0))
}

type Rows = typeof webhookRoutes

const attemptsOf = selector(attempts, 'where event_seq = ? order by seq')
const lastAttemptOf = finder(attempts, 'where event_seq = ? order by seq desc')

function listWebhooks({ ws, query }: ControlCall<Rows['listWebhooks']>) {
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  const { event = null, transaction_id: id = null, external_id: externalId = null, status, verdict } = query
  const conditions: Condition[] = [
    ['seq < ?', belowSeq],
    ...eventConditions(event, id, externalId),
    // Few events are undelivered: the second condition matches their partial index.
    ...given(status === 'delivered' ? 'status = ?' : "status = ? and status <> 'delivered'", status),
    ...(verdict === 'none'
      ? [[`not (${isJudgedSql} and ${verdictSql} is not null)`] as const]
      : given(`${isJudgedSql} and ${verdictSql} = ?`, verdict)),
  ]
  return ws.unit((unit) =>
    pageFrom(newestEvents(unit.db, conditions, rowLimit), limit, (row) => eventSummary(unit, row)),
  )
}

function eventWithAttempts(ws: Workspace, event: WebhookEvent) {
  const rows = attemptsOf(ws.db, event.seq)
  const chaos = deliveryFaultsOf(event)?.chaos ?? []
  const acknowledgedIndex = rows.findIndex(({ outcome }) => outcome === 'ok')
  const attempts = rows.map((row, index) => ({
    number: row.number,
    at: isoUtc(row.atMs),
    duration_ms: row.durationMs,
    request_headers: row.requestHeaders,
    ...sentBody(event, row),
    outcome: row.outcome,
    status: row.status,
    response_body: row.responseBody,
    detail: row.detail,
    ...judged(verdictOf(event, row)),
    ...marked(chaosOfAttempt(chaos, index, acknowledgedIndex)),
  }))
  return { ...eventSummary(ws, event), body: attempts.at(-1)?.request_body ?? event.body, attempts }
}

/** The headers of an attempt are stored as they were sent; its body is altered again as it was when it was sent. */
function sentBody(event: WebhookEvent, { outcome, manual }: Attempt) {
  if (outcome === 'no_url') return { request_body: null }
  const part = tamperOf(event, manual)
  const { body } = tamper({ headers: {}, body: event.body }, part)
  return {
    request_body: body,
    ...(body === event.body ? {} : { signed_body: event.body }),
    ...(typeof part === 'string' ? { faults: [`tamper: ${part}`] } : {}),
  }
}

/** Answers when a matching event reaches the status (default: `delivered`); 408 with the matching events if none does. */
async function waitForWebhook({ ws, query, env }: ControlCall<Rows['waitForWebhook']>) {
  const { status = 'delivered', timeout: timeoutMs = controlDefaults.webhookWaitMs } = query
  const criteria = {
    event: query.event ?? null,
    transactionId: query.transaction_id ?? null,
    externalId: query.external_id ?? null,
    status,
  }
  const startedMs = ws.clock.wall()
  const isOneEvent = criteria.event !== null && (criteria.transactionId !== null || criteria.externalId !== null)
  const wait = status === 'delivered' && isOneEvent ? awaitEventOrFailure : awaitEvent
  const found = await wait(ws, criteria, timeoutMs, env.onDisconnect)
  if (found !== undefined && hasStatus(found, status)) return eventWithAttempts(ws, found)
  const matching = findEvents(ws, criteria)
  const waitedMs = found === undefined ? timeoutMs : ws.clock.wall() - startedMs
  throw new ApiError(
    'WAIT_TIMEOUT',
    { waited_ms: waitedMs, status, matching: matching.map((row) => eventSummary(ws, row)) },
    `No such event was ${status} within ${waitedMs} ms${explainTimeout(ws, criteria, matching[0])}.`,
  )
}

/** Explains a timeout: the receiver's last answer, the next attempt, and a clock that does not move. */
function explainTimeout(ws: Workspace, criteria: EventCriteria, event: WebhookEvent | undefined): string {
  const nextAtMs = event === undefined ? nextDueMs(ws.db) : event.nextAttemptAtMs
  const isWaitingForClock = ws.clock.state().mode === 'manual' && nextAtMs !== null && nextAtMs > ws.clock.now()
  const clockHint = isWaitingForClock ? `; the clock is manual, so advance it to ${isoUtc(nextAtMs)} or later` : ''
  if (event === undefined) return `${describeObject(ws, criteria)}${clockHint}`
  const next = nextAtMs === null ? 'there is no further attempt' : `the next attempt is at ${isoUtc(nextAtMs)}`
  return `: ${describeDelivery(ws, event)}; ${next}${clockHint}`
}

/** Describes the object whose event is missing by its status and its last event. */
function describeObject(ws: Workspace, criteria: EventCriteria): string {
  const { transactionId, externalId } = criteria
  if (transactionId === null && externalId === null) return ''
  const subject =
    transactionId === null
      ? transactionsWithExternalId(ws.db, externalId ?? '', 1).map(subjectOf)[0]
      : findObject(ws.db, objectKinds, transactionId)
  const [last] = findEvents(ws, { ...criteria, event: null })
  const facts = [
    ...(subject === undefined ? [] : [`${subject.kind} ${subjectId(subject)} is ${statusOf(subject)}`]),
    ...(last === undefined ? [] : [`its last event ${describeDelivery(ws, last)}`]),
  ]
  return `: ${facts.length === 0 ? `nothing has the id ${transactionId ?? externalId}` : facts.join('; ')}`
}

const describeDelivery = (ws: Workspace, event: WebhookEvent): string =>
  `${event.event} (${event.id}) ${attemptWords(event, lastAttemptOf(ws.db, event.seq))}`

type Attempt = typeof attempts.$inferSelect

function attemptWords({ url }: WebhookEvent, last: Attempt | undefined): string {
  if (url === null) return 'has no webhook URL'
  if (last === undefined) return `has not been answered by ${url} yet`
  return last.status === null
    ? `got no response from ${url} (${last.outcome})`
    : `was answered with HTTP ${last.status} by ${url}`
}

export const webhookHandlers: Handlers<Rows> = {
  listWebhooks,
  waitForWebhook,
  readWebhook: ({ ws, params }) => ws.unit((unit) => eventWithAttempts(ws, requireEvent(unit, params.id))),
  redeliverWebhook: ({ ws, params }) => ws.unit((unit) => eventSummary(unit, redeliver(unit, params.id))),
}
