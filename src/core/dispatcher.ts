/** Delivers webhooks: prepare (read, sign), send (network, outside any transaction), settle (one transaction) — §6.1, §6.3, decisions 28 to 30. */
import { and, eq, gt, sql } from 'drizzle-orm'
import { hmacHex } from '../base/crypto.js'
import { webhookAttempts, webhookRetryDelaysMs, webhookWindow } from '../spec/limits.js'
import { appender, prepared } from '../store/db.js'
import { attempts, events } from '../store/schema.js'
import { credentialOf } from './account.js'
import { owesDuplicate, tampered, treatmentOf } from './faults.js'
import { cancelJobs, type Job, nextDueOf, postpone, removeJob, schedule } from './jobs.js'
import { createLanes, type Lanes } from './lanes.js'
import type { SendRequest, SendResult } from './send-port.js'
import type { Unit, Workspace } from './workspace.js'

export type WebhookEvent = typeof events.$inferSelect

export interface DispatchState {
  lanes: Lanes
  /** Business moments of the sends of the last minute, per credential (the interface's "integration"). */
  sends: Map<number, number[]>
  /** Deliveries in hand: waiting in a lane, on the wire, or being settled. */
  active: number
  idle: (() => void)[]
}

export const createDispatchState = (): DispatchState => ({
  lanes: createLanes(),
  sends: new Map(),
  active: 0,
  idle: [],
})

/** A job with this payload is one attempt outside the ladder (a redelivery by hand). */
export const onceOnly = 'once'

const appendAttempt = appender(attempts)
const eventById = prepared((orm) =>
  orm
    .select()
    .from(events)
    .where(eq(events.id, sql.placeholder('id')))
    .prepare(),
)
const attemptCount = prepared((orm) =>
  orm
    .select({ count: sql<number>`count(*)` })
    .from(attempts)
    .where(eq(attempts.eventSeq, sql.placeholder('eventSeq')))
    .prepare(),
)
const sendsSince = prepared((orm) =>
  orm
    .select({ atMs: attempts.atMs })
    .from(attempts)
    .where(
      and(gt(attempts.atMs, sql.placeholder('sinceMs')), eq(attempts.credentialSeq, sql.placeholder('credentialSeq'))),
    )
    .prepare(),
)
const settleEvent = prepared((orm) =>
  orm
    .update(events)
    .set({
      status: sql`${sql.placeholder('status')}`,
      attempts: sql`${sql.placeholder('attempts')}`,
      nextAttemptAtMs: sql`${sql.placeholder('nextAttemptAtMs')}`,
      url: sql`${sql.placeholder('url')}`,
    })
    .where(eq(events.seq, sql.placeholder('seq')))
    .prepare(),
)

/** Hands a claimed job to its receiver's lane. */
export function enqueueDelivery(ws: Workspace, job: Job): void {
  const event = eventById(ws.db).get({ id: job.ref })
  if (event === undefined) return
  const { dispatch, generation } = ws
  dispatch.active++
  const isCurrent = () => ws.generation === generation && !ws.closed
  const finish = () => finished(dispatch)
  dispatch.lanes.add(event.url ?? '', (slow) => deliver(ws, job, { isCurrent, finish, slow }).catch(finish))
}

/** What is in hand belongs to a state that is gone: nobody waits for it any more, and it settles nothing. */
export function abandonDeliveries(ws: Workspace): void {
  const { idle } = ws.dispatch
  ws.dispatch = createDispatchState()
  for (const resolve of idle.splice(0)) resolve()
}

/** Resolves when no delivery is in hand. */
export function whenDelivered(ws: Workspace): Promise<void> {
  return ws.dispatch.active === 0 ? Promise.resolve() : new Promise((resolve) => ws.dispatch.idle.push(resolve))
}

function finished(dispatch: DispatchState): void {
  if (--dispatch.active > 0) return
  for (const resolve of dispatch.idle.splice(0)) resolve()
}

interface Delivery {
  /** False after a reset or restore, or once the workspace is closed. */
  isCurrent(): boolean
  finish(): void
  slow(): void
}

/** Resolves once the receiver has answered, so that its lane goes on; the settling follows by itself. */
async function deliver(ws: Workspace, job: Job, { isCurrent, finish, slow }: Delivery): Promise<void> {
  const event = isCurrent() ? eventById(ws.db).get({ id: job.ref }) : undefined
  if (event === undefined) return finish()
  const atMs = ws.clock.now()
  if (!takeSend(ws, event.credentialSeq ?? 0, atMs)) {
    await ws.unit((unit) => isCurrent() && defer(unit, job, event))
    return finish()
  }
  const request = prepare(ws, job, event)
  const result = await ws.send(request, slow)
  void settleAndFinish(ws, finish, (unit) => isCurrent() && settle(unit, job, event, request, result, atMs))
}

/** Where the store refuses, the job stays claimed and is taken up again at the next start. */
async function settleAndFinish(ws: Workspace, finish: () => void, work: (unit: Unit) => unknown): Promise<void> {
  try {
    if (!ws.closed) await ws.unit(work)
  } catch (error) {
    ws.bus.publish({
      type: 'workspace',
      id: ws.name,
      status: 'settle_failed',
      message: error instanceof Error ? error.message : String(error),
    })
  } finally {
    finish()
  }
}

/** Counts a send against the sliding window; false where it is full. */
function takeSend(ws: Workspace, credentialSeq: number, atMs: number): boolean {
  if (!ws.config.rateLimits) return true
  const sinceMs = atMs - webhookWindow.spanMs
  let sends = ws.dispatch.sends.get(credentialSeq)
  if (sends === undefined) {
    sends = sendsSince(ws.db)
      .all({ sinceMs, credentialSeq })
      .map((row) => row.atMs)
    ws.dispatch.sends.set(credentialSeq, sends)
  }
  while (sends.length > 0 && (sends[0] ?? 0) <= sinceMs) sends.shift()
  if (sends.length >= webhookWindow.sends) return false
  sends.push(atMs)
  return true
}

function defer(unit: Unit, job: Job, event: WebhookEvent): void {
  const nextAttemptAtMs = unit.atMs + webhookWindow.deferMs
  postpone(unit, job.seq, nextAttemptAtMs, job.payload)
  settleEvent(unit.db).run({
    seq: event.seq,
    status: 'queued',
    attempts: event.attempts,
    nextAttemptAtMs,
    url: event.url,
  })
  unit.change({ type: 'webhook', id: event.id, event: event.event, subject: event.subjectId, status: 'queued' })
}

/** The body and id never change; the timestamp is new in each attempt (decision 28). */
function prepare(ws: Workspace, job: Job, event: WebhookEvent): SendRequest {
  const credential = credentialOf(ws.db, event.credentialSeq)
  const headers = {
    'Content-Type': 'application/json',
    'X-Webhook-Event': event.event,
    'X-Webhook-Signature': hmacHex(credential?.webhookSecret ?? '', event.body),
    'X-Webhook-Id': event.id,
    'X-Webhook-Timestamp': String(Math.floor(ws.clock.wall() / 1000)),
    'User-Agent': 'Service-Webhook/2.0',
    'X-Sandbox': '1',
  }
  // By hand it goes out as it is: whoever sends it again wants it to arrive.
  const { headers: sent, body } =
    job.payload === onceOnly
      ? { headers, body: event.body }
      : tampered({ headers, body: event.body }, treatmentOf(event))
  return { url: event.url ?? '', headers: sent, body }
}

function settle(
  unit: Unit,
  job: Job,
  event: WebhookEvent,
  request: SendRequest,
  result: SendResult,
  atMs: number,
): void {
  const number = (attemptCount(unit.db).get({ eventSeq: event.seq })?.count ?? 0) + 1
  recordAttempt(unit, event, { number, atMs, request, result })
  const ok = result.outcome === 'ok'
  const once = job.payload === onceOnly
  const used = once ? webhookAttempts : Number(job.payload ?? 0) + 1
  const delayMs = ok ? undefined : webhookRetryDelaysMs[used - 1]
  if (delayMs !== undefined) postpone(unit, job.seq, unit.atMs + delayMs, String(used))
  else if (ok) {
    cancelJobs(unit, 'deliver', event.id)
    if (owesDuplicate(unit, event)) schedule(unit, 'deliver', unit.atMs, event.id)
  } else removeJob(unit.db, job.seq)
  const nextAttemptAtMs = delayMs === undefined ? nextDueOf(unit.db, 'deliver', event.id) : unit.atMs + delayMs
  const status = ok
    ? 'delivered'
    : nextAttemptAtMs !== null
      ? 'pending'
      : event.status === 'delivered'
        ? 'delivered'
        : 'failed'
  settleEvent(unit.db).run({ seq: event.seq, status, attempts: number, nextAttemptAtMs, url: event.url })
  unit.change({
    type: 'webhook',
    id: event.id,
    event: event.event,
    subject: event.subjectId,
    status,
    outcome: result.outcome,
  })
}

interface Attempt {
  number: number
  atMs: number
  request: SendRequest
  result: SendResult
}

function recordAttempt(unit: Unit, event: WebhookEvent, { number, atMs, request, result }: Attempt): void {
  appendAttempt(unit.db, {
    eventSeq: event.seq,
    credentialSeq: event.credentialSeq ?? 0,
    number,
    atMs,
    durationMs: Math.round(result.durationMs),
    requestHeaders: request.headers,
    outcome: result.outcome,
    status: result.status,
    responseBody: result.responseBody,
    detail: result.detail,
  })
}
