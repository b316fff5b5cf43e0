/** Events and their delivery: list, one with every attempt, redelivery, and waiting for one. */
import { and, asc, desc, eq, lt, or } from 'drizzle-orm'
import { minuteMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { nearest } from '../../base/nearest.js'
import { awaitEvent, eventsLike } from '../../core/webhooks/await-event.js'
import type { WebhookEvent } from '../../core/webhooks/event-rows.js'
import { redeliver, requireEvent } from '../../core/webhooks/redelivery.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import { ApiError } from '../../protocol/api/errors.js'
import { eventNames } from '../../protocol/api/events.js'
import { attempts, events } from '../../store/schema.js'
import { durationOf, invalid, knownQuery, paged, pageOf } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

export function eventSummary(row: WebhookEvent) {
  return {
    id: row.id,
    event: row.event,
    transaction_id: row.transactionId,
    subject_id: row.subjectId,
    external_id: row.externalId,
    url: row.url,
    status: row.status,
    attempts: row.attempts,
    ...(row.url === null ? { outcome: 'no_url' } : {}),
    next_attempt_at: row.nextAttemptAtMs === null ? null : isoUtc(row.nextAttemptAtMs),
    created_at: isoUtc(row.createdAtMs),
  }
}

const statuses = ['pending', 'queued', 'delivered', 'failed']
/** To wait for: delivered, or failed for good. */
const settled = 'settled'
const filters = ['event', 'transaction_id', 'external_id', 'status'] as const
const listQuery = [...filters, 'limit', 'after']
const waitQuery = [...filters, 'timeout']

/** 422 for an event or status that does not exist. */
function checkNames(query: URLSearchParams, known: readonly string[]): void {
  oneOf('event', query.get('event'), eventNames)
  oneOf('status', query.get('status'), known)
}

function conditions(query: URLSearchParams) {
  checkNames(query, statuses)
  const value = (name: string) => query.get(name)
  const transaction = value('transaction_id')
  return [
    value('event') === null ? undefined : eq(events.event, value('event') ?? ''),
    transaction === null ? undefined : or(eq(events.transactionId, transaction), eq(events.subjectId, transaction)),
    value('external_id') === null ? undefined : eq(events.externalId, value('external_id') ?? ''),
    value('status') === null ? undefined : eq(events.status, value('status') ?? ''),
  ]
}

function oneOf(field: string, value: string | null, known: readonly string[]): void {
  if (value === null || known.includes(value)) return
  const guess = nearest(value, known)
  throw invalid(field, `must be one of ${known.join(', ')}${guess === null ? '' : `; did you mean ${guess}?`}`)
}

function list({ ws, query }: AdminCall) {
  knownQuery(query, listQuery)
  const { limit, beforeSeq } = pageOf(query)
  return ws.unit((unit) => {
    const rows = unit.db.orm
      .select()
      .from(events)
      .where(and(lt(events.seq, beforeSeq), ...conditions(query)))
      .orderBy(desc(events.seq))
      .limit(limit + 1)
      .all()
    return paged(rows, limit, eventSummary)
  })
}

const one = ({ ws, params }: AdminCall) => ws.unit((unit) => eventWithAttempts(ws, requireEvent(unit, params.id ?? '')))

function eventWithAttempts(ws: Workspace, event: WebhookEvent) {
  const rows = ws.db.orm
    .select()
    .from(attempts)
    .where(eq(attempts.eventSeq, event.seq))
    .orderBy(asc(attempts.seq))
    .all()
  return {
    ...eventSummary(event),
    body: event.body,
    attempts: rows.map((row) => ({
      number: row.number,
      at: isoUtc(row.atMs),
      duration_ms: row.durationMs,
      request_headers: row.requestHeaders,
      outcome: row.outcome,
      status: row.status,
      response_body: row.responseBody,
      detail: row.detail,
    })),
  }
}

const sendAgain = ({ ws, params }: AdminCall) => ws.unit((unit) => eventSummary(redeliver(unit, params.id ?? '')))

const maxWaitMs = 10 * minuteMs

/** Answers as soon as an event of that description has the status (`delivered` unless said); 408 with what did happen when not. */
async function wait({ ws, query, env }: AdminCall): Promise<unknown> {
  knownQuery(query, waitQuery)
  checkNames(query, [...statuses, settled])
  const value = (name: string) => query.get(name)
  const timeoutMs = durationOf(value('timeout') ?? '5s', 'timeout')
  if (timeoutMs > maxWaitMs) throw invalid('timeout', 'must be at most 10m')
  const status = value('status') ?? 'delivered'
  const wanted = {
    event: value('event'),
    transactionId: value('transaction_id'),
    externalId: value('external_id'),
    status,
  }
  const found = await awaitEvent(ws, wanted, timeoutMs, env.whenGone)
  if (found !== undefined) return eventWithAttempts(ws, found)
  throw new ApiError(
    'WAIT_TIMEOUT',
    { waited_ms: timeoutMs, status, matching: eventsLike(ws, wanted).map(eventSummary) },
    { message: `No such event was ${status} within ${timeoutMs} ms.` },
  )
}

export const webhookRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/_sandbox/webhooks',
    title: 'Events and their delivery, newest first',
    queryNames: listQuery,
    handle: list,
  },
  {
    method: 'GET',
    path: '/_sandbox/webhooks/wait',
    title: 'Wait until an event has been acknowledged',
    queryNames: waitQuery,
    handle: wait,
  },
  { method: 'GET', path: '/_sandbox/webhooks/:id', title: 'One event: the exact body, every attempt', handle: one },
  {
    method: 'POST',
    path: '/_sandbox/webhooks/:id/redeliver',
    title: 'Send an event again, at once',
    handle: sendAgain,
  },
]
