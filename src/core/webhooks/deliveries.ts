/** What became of deliveries, written down: many in one transaction, an attempt row each, then done, tried again or given up (§6.3). */
import { and, eq, sql } from 'drizzle-orm'
import { ApiError } from '../../protocol/api/errors.js'
import { webhookAttempts, webhookRetryDelaysMs, webhookWindow } from '../../protocol/api/limits.js'
import { prepared, runner } from '../../store/db.js'
import { attempts } from '../../store/schema.js'
import { cancelRetries, type DueJob, nextDueOf, onceOnly, postpone, removeJob, schedule } from '../scheduler/jobs.js'
import type { Unit } from '../workspace/unit.js'
import type { Workspace } from '../workspace/workspace.js'
import { type DispatchState, type Settlement, stalled } from './dispatch-state.js'
import type { OutgoingEvent } from './event-rows.js'
import { owesDuplicate } from './faults.js'
import type { SendRequest, SendResult } from './send-port.js'

/**
 * Without rate limits thousands of deliveries end in a second, and go into the store many at a time.
 * With them each goes in at once: what a kill leaves unrecorded is sent again, and would go past the documented rate.
 */
const gatherMs = 20
const retryMs = 1000

/** Writes it down with the next transaction; keeps at it while the store cannot be written. */
export function settleSoon(ws: Workspace, dispatch: DispatchState, settlement: Settlement): void {
  const { settlements } = dispatch
  settlements.waiting.push(settlement)
  if (settlements.planned) return
  settlements.planned = true
  const isAlone = dispatch.active === settlements.waiting.length
  if (ws.config.rateLimits || isAlone) void flush(ws, dispatch)
  else ws.alarm(gatherMs, () => void flush(ws, dispatch))
}

async function flush(ws: Workspace, dispatch: DispatchState): Promise<void> {
  const { settlements } = dispatch
  const taken: Settlement[] = []
  try {
    if (ws.closed) return
    await ws.unit((unit) => {
      // Taken only here: whatever ended in this turn goes along. The store may make this run twice.
      taken.push(...settlements.waiting.splice(0))
      settlements.planned = false
      if (ws.memory.dispatch === dispatch) for (const { write } of taken) write(unit)
    })
    for (const { done } of taken) done()
  } catch (error) {
    if (!isUnavailable(error)) return settleEach(ws, dispatch, taken)
    settlements.waiting.unshift(...taken)
    settlements.planned = true
    ws.alarm(retryMs, () => void flush(ws, dispatch))
    stalled(dispatch, error)
  }
}

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE'

/** One that fails by itself must not take the others along. */
async function settleEach(ws: Workspace, dispatch: DispatchState, settlements: Settlement[]): Promise<void> {
  for (const { write, done } of settlements) {
    await ws
      .unit((unit) => ws.memory.dispatch === dispatch && write(unit))
      .catch((error: unknown) => tellFault(ws, ws.name, error))
    done()
  }
}

/** A fault of the sandbox itself: the job stays claimed, and is done again at the next start. */
export function tellFault(ws: Workspace, id: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  ws.bus.publish({ type: 'workspace', id, status: 'delivery_failed', message })
}

const acknowledged = prepared((orm) =>
  orm
    .select({ seq: attempts.seq })
    .from(attempts)
    .where(and(eq(attempts.eventSeq, sql.placeholder('eventSeq')), eq(attempts.outcome, 'ok')))
    .limit(1)
    .prepare(),
)
const progress = runner('update events set status = ?, next_attempt_at_ms = ? where seq = ?')
const progressDelivered = runner(`update events set status = 'delivered', attempts = attempts + 1,
  next_attempt_at_ms = (select min(due_at_ms) from jobs where ref = events.id and kind = 'deliver') where seq = ?`)
const progressFailed = runner(
  'update events set status = ?, attempts = attempts + 1, next_attempt_at_ms = ? where seq = ?',
)
/** Several attempts of one event may be under way at a time: its row, updated before, has the number. */
const insertAttempt =
  runner(`insert into attempts (event_seq, credential_seq, number, at_ms, duration_ms, request_headers, outcome,
  status, response_body, detail) select seq, coalesce(credential_seq, 0), attempts, ?, ?, ?, ?, ?, ?, ? from events where seq = ?`)

/** Over the rate: it waits, and no attempt is used (decision 30). */
export function defer(unit: Unit, job: DueJob, event: OutgoingEvent): void {
  const nextAttemptAtMs = unit.atMs + webhookWindow.deferMs
  if (!postpone(unit, job.seq, nextAttemptAtMs, job.payload)) return
  progress(unit.db, 'queued', nextAttemptAtMs, event.seq)
  unit.change({ type: 'webhook', id: event.id, event: event.event, subject: event.subjectId, status: 'queued' })
}

interface Sent {
  /** Business time at the start. */
  atMs: number
  request: SendRequest
  result: SendResult
}

export function settle(unit: Unit, job: DueJob, event: OutgoingEvent, sent: Sent): void {
  const { outcome } = sent.result
  const status = outcome === 'ok' ? settleDelivered(unit, job, event) : settleFailed(unit, job, event)
  recordAttempt(unit, event, sent)
  unit.change({ type: 'webhook', id: event.id, event: event.event, subject: event.subjectId, status, outcome })
}

function settleDelivered(unit: Unit, job: DueJob, event: OutgoingEvent): string {
  removeJob(unit.db, job.seq)
  if (job.payload === onceOnly) cancelRetries(unit, event.id)
  if (event.treatment !== null && owesDuplicate(unit, event)) schedule(unit, 'deliver', unit.atMs, event.id)
  progressDelivered(unit.db, event.seq)
  return 'delivered'
}

/** The delay counts from here: the end of the attempt. A job that is gone was overtaken by a delivery by hand. */
function settleFailed(unit: Unit, job: DueJob, event: OutgoingEvent): string {
  const used = job.payload === onceOnly ? webhookAttempts : Number(job.payload ?? 0) + 1
  const delayMs = webhookRetryDelaysMs[used - 1]
  if (delayMs === undefined) removeJob(unit.db, job.seq)
  else postpone(unit, job.seq, unit.atMs + delayMs, String(used))
  const nextAttemptAtMs = nextDueOf(unit.db, 'deliver', event.id)
  const isAcknowledged = acknowledged(unit.db).get({ eventSeq: event.seq }) !== undefined
  const status = isAcknowledged ? 'delivered' : nextAttemptAtMs === null ? 'failed' : 'pending'
  progressFailed(unit.db, status, nextAttemptAtMs, event.seq)
  return status
}

function recordAttempt(unit: Unit, event: OutgoingEvent, { atMs, request, result }: Sent): void {
  insertAttempt(
    unit.db,
    atMs,
    Math.round(result.durationMs),
    JSON.stringify(request.headers),
    result.outcome,
    result.status,
    result.responseBody,
    result.detail,
    event.seq,
  )
}
