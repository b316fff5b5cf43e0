/** Events and their delivery: list, one with every attempt, redelivery, and waiting for one. */
import { and, asc, desc, eq, lt, or, sql } from 'drizzle-orm'
import { secondMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { fieldsIn } from '../../base/unknown.js'
import { awaitEvent, eventsLike } from '../../core/delivery/await-event.js'
import { redeliver, requireEvent } from '../../core/delivery/redelivery.js'
import { tellingOf } from '../../core/delivery/telling.js'
import { nextDueMs } from '../../core/jobs/jobs.js'
import type { Workspace } from '../../core/unit/workspace.js'
import type { WebhookEvent } from '../../core/webhooks/event-rows.js'
import type { webhookRoutes } from '../../protocol/control/webhooks.js'
import { type Currency, isCurrency } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { eventAmount } from '../../protocol/platform/event-amount.js'
import { attempts, events } from '../../store/schema.js'
import { storedJson } from '../../store/stored-json.js'
import { paged, pageOf } from './page.js'
import type { ControlCall, Handlers } from './routes.js'

/** What the event says of money. */
function amountIn(body: string): { amount: string | null; currency: Currency | null } {
  const { amount, currency } = eventAmount(fieldsIn(storedJson(body)).data)
  return { amount, currency: isCurrency(currency) ? currency : null }
}

export function eventSummary(row: WebhookEvent) {
  return {
    id: row.id,
    event: row.event,
    transaction_id: row.transactionId,
    subject_id: row.subjectId,
    external_id: row.externalId,
    ...amountIn(row.body),
    url: row.url,
    status: row.status,
    attempts: row.attempts,
    ...(row.url === null ? { outcome: 'no_url' as const } : {}),
    next_attempt_at: row.nextAttemptAtMs === null ? null : isoUtc(row.nextAttemptAtMs),
    created_at: isoUtc(row.createdAtMs),
  }
}

type Rows = typeof webhookRoutes

function listWebhooks({ ws, query }: ControlCall<Rows['listWebhooks']>) {
  const { limit, rows, beforeSeq } = pageOf(query)
  const { event, transaction_id: id, external_id, status } = query
  const where = and(
    lt(events.seq, beforeSeq),
    event === undefined ? undefined : eq(events.event, event),
    id === undefined ? undefined : or(eq(events.transactionId, id), eq(events.subjectId, id)),
    external_id === undefined ? undefined : tellingOf(ws.db, external_id),
    status === undefined ? undefined : eq(events.status, status),
    // What is not delivered is little: these words let the index of it be used.
    status === undefined || status === 'delivered' ? undefined : sql`${events.status} <> 'delivered'`,
  )
  return ws.unit((unit) => {
    const found = unit.db.orm.select().from(events).where(where).orderBy(desc(events.seq)).limit(rows).all()
    return paged(found, limit, eventSummary)
  })
}

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

/** Answers as soon as an event of that description has the status (`delivered` unless said); 408 with what did happen when not. */
async function waitForWebhook({ ws, query, env }: ControlCall<Rows['waitForWebhook']>) {
  const { status = 'delivered', timeout: timeoutMs = 5 * secondMs } = query
  const wanted = {
    event: query.event ?? null,
    transactionId: query.transaction_id ?? null,
    externalId: query.external_id ?? null,
    status,
  }
  const found = await awaitEvent(ws, wanted, timeoutMs, env.whenGone)
  if (found !== undefined) return eventWithAttempts(ws, found)
  const matching = eventsLike(ws, wanted)
  throw new ApiError(
    'WAIT_TIMEOUT',
    { waited_ms: timeoutMs, status, matching: matching.map(eventSummary) },
    { message: `No such event was ${status} within ${timeoutMs} ms${whyNot(ws, matching[0])}.` },
  )
}

/** What a caller who waited for nothing should know: the receiver's last answer, the next attempt, and a clock that stands still. */
function whyNot(ws: Workspace, event: WebhookEvent | undefined): string {
  const nextAtMs = event === undefined ? nextDueMs(ws.db) : event.nextAttemptAtMs
  const isStill = ws.clock.state().mode === 'manual' && nextAtMs !== null && nextAtMs > ws.clock.now()
  const stands = isStill ? `; the clock is manual, so advance it to ${isoUtc(nextAtMs)} or later` : ''
  if (event === undefined) return stands
  const last = ws.db.orm
    .select()
    .from(attempts)
    .where(eq(attempts.eventSeq, event.seq))
    .orderBy(desc(attempts.seq))
    .limit(1)
    .get()
  const next = nextAtMs === null ? 'there is no further attempt' : `the next attempt is at ${isoUtc(nextAtMs)}`
  return `: ${event.event} (${event.id}) ${attemptWords(event, last)}; ${next}${stands}`
}

type Attempt = typeof attempts.$inferSelect

function attemptWords({ url }: WebhookEvent, last: Attempt | undefined): string {
  if (url === null) return 'has no URL to go to'
  if (last === undefined) return `has not been answered by ${url} yet`
  return last.status === null
    ? `got no answer from ${url} (${last.outcome})`
    : `was answered with HTTP ${last.status} by ${url}`
}

export const webhookHandlers: Handlers<Rows> = {
  listWebhooks,
  waitForWebhook,
  readWebhook: ({ ws, params }) => ws.unit((unit) => eventWithAttempts(ws, requireEvent(unit, params.id))),
  redeliverWebhook: ({ ws, params }) => ws.unit((unit) => eventSummary(redeliver(unit, params.id))),
}
