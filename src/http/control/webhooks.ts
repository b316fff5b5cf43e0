/** Events and their delivery: list, one with every attempt, redelivery, and waiting for one. */
import { and, asc, desc, eq, lt, or } from 'drizzle-orm'
import { minuteMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { nearest } from '../../base/nearest.js'
import type { WebhookEvent } from '../../core/webhooks/event-rows.js'
import { redeliver, requireEvent } from '../../core/webhooks/redelivery.js'
import { type Workspace, workspaceGone } from '../../core/workspace/workspace.js'
import { ApiError } from '../../protocol/api/errors.js'
import { eventNames } from '../../protocol/api/events.js'
import { attempts, events } from '../../store/schema.js'
import type { Env } from '../host.js'
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

/** The conditions of the query; 422 for an event or status that does not exist. */
function conditions(query: URLSearchParams, withStatus: boolean) {
  const value = (name: string) => query.get(name)
  oneOf('event', value('event'), eventNames)
  oneOf('status', value('status'), withStatus ? statuses : [...statuses, settled])
  const transaction = value('transaction_id')
  return [
    value('event') === null ? undefined : eq(events.event, value('event') ?? ''),
    transaction === null ? undefined : or(eq(events.transactionId, transaction), eq(events.subjectId, transaction)),
    value('external_id') === null ? undefined : eq(events.externalId, value('external_id') ?? ''),
    !withStatus || value('status') === null ? undefined : eq(events.status, value('status') ?? ''),
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
      .where(and(lt(events.seq, beforeSeq), ...conditions(query, true)))
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
function wait({ ws, query, env }: AdminCall): Promise<unknown> {
  knownQuery(query, waitQuery)
  const status = query.get('status') ?? 'delivered'
  const where = conditions(query, false)
  const timeoutMs = durationOf(query.get('timeout') ?? '5s', 'timeout')
  if (timeoutMs > maxWaitMs) throw invalid('timeout', 'must be at most 10m')
  const seen = () =>
    ws.db.orm
      .select()
      .from(events)
      .where(and(...where))
      .orderBy(desc(events.seq))
      .limit(20)
      .all()
  return until(
    ws,
    timeoutMs,
    env,
    () => {
      const found = seen().find(({ status: now }) =>
        status === settled ? now === 'delivered' || now === 'failed' : now === status,
      )
      return found === undefined ? undefined : eventWithAttempts(ws, found)
    },
    () =>
      new ApiError(
        'WAIT_TIMEOUT',
        { waited_ms: timeoutMs, status, matching: seen().map(eventSummary) },
        { message: `No such event was ${status} within ${timeoutMs} ms.` },
      ),
  )
}

/** Looks again after every change of a webhook, until the caller goes or the workspace does. */
function until<T>(
  ws: Workspace,
  timeoutMs: number,
  env: Env,
  look: () => T | undefined,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let over = false
    // The store may refuse in callbacks that nobody else watches: that too goes to the caller.
    const finish = (end: () => void) => {
      if (over) return
      over = true
      cancel()
      unsubscribe()
      stopWatching()
      try {
        end()
      } catch (error) {
        reject(error)
      }
    }
    const check = () => {
      try {
        const found = look()
        if (found !== undefined) finish(() => resolve(found))
      } catch (error) {
        finish(() => reject(error))
      }
    }
    const timeIsUp = () =>
      finish(() => {
        throw late()
      })
    const cancel = ws.alarm(timeoutMs, timeIsUp)
    const unsubscribe = ws.bus.subscribe((change) => {
      if (change.type === 'webhook') check()
      else if (change.type === 'workspace' && change.status === 'closed') finish(() => reject(workspaceGone(ws.name)))
    })
    // Half gone perhaps: then it still gets to hear how things stand.
    const stopWatching = env.whenGone?.(timeIsUp) ?? (() => {})
    check()
  })
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
