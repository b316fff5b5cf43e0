/** What became of deliveries, written down: many in one transaction, an attempt row each, then done, tried again or given up (§6.3). */

import { ApiError } from '../../protocol/platform/errors.js'
import { storeRetryMs, webhookAttempts, webhookRetryDelaysMs, webhookWindow } from '../../protocol/platform/limits.js'
import { reader, runner } from '../../store/db.js'
import {
  cancelRetries,
  causedBy,
  type DueDelivery,
  onceOnly,
  postpone,
  removeJob,
  schedule,
  scheduler,
} from '../jobs/jobs.js'
import { countAttempt } from '../ledger/activity.js'
import type { SendRequest, SendResult } from '../unit/send-port.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { owesDuplicate } from '../webhooks/faults.js'
import { type DispatchState, deliveryState, type Recording, stalled } from './dispatch-state.js'

/**
 * Without rate limits thousands of deliveries end in a second, and go into the store many at a time.
 * With them each goes in at once: what a kill leaves unrecorded is sent again, and would go past the documented rate.
 */
const gatherMs = 20
/** How many go in at once: more would keep calls waiting. */
const most = 500

/** Writes it down with the next transaction; keeps at it while the store cannot be written. */
export function recordSoon(ws: Workspace, dispatch: DispatchState, recording: Recording): void {
  const { recordings } = dispatch
  recordings.waiting.push(recording)
  if (recordings.planned) return
  recordings.planned = true
  const isAlone = dispatch.inFlight.size === recordings.waiting.length
  if (ws.config.rateLimits || isAlone) void flush(ws, dispatch)
  else ws.alarm(gatherMs, () => void flush(ws, dispatch))
}

async function flush(ws: Workspace, dispatch: DispatchState): Promise<void> {
  const { recordings } = dispatch
  const taken: Recording[] = []
  try {
    if (ws.closed) return
    await ws.unit((unit) => {
      // Taken only here: whatever ended in this turn goes along. The store may make this run twice.
      taken.push(...recordings.waiting.splice(0, most - taken.length))
      recordings.planned = false
      for (const recording of taken) write(ws, unit, dispatch, recording)
    })
    for (const { done } of taken) done()
  } catch (error) {
    if (isUnavailable(error)) return flushLater(ws, dispatch, taken, error)
    await recordEach(ws, dispatch, taken)
  }
  if (recordings.planned || recordings.waiting.length === 0) return
  recordings.planned = true
  void flush(ws, dispatch)
}

function flushLater(ws: Workspace, dispatch: DispatchState, taken: Recording[], error: unknown): void {
  const { recordings } = dispatch
  recordings.waiting.unshift(...taken)
  recordings.planned = true
  ws.alarm(storeRetryMs, () => void flush(ws, dispatch))
  stalled(dispatch, error)
}

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE'

/** One that fails by itself must not take the others along. */
async function recordEach(ws: Workspace, dispatch: DispatchState, recordings: Recording[]): Promise<void> {
  for (const recording of recordings) {
    await ws
      .unit((unit) => write(ws, unit, dispatch, recording))
      .catch((error: unknown) => tellFault(ws, ws.name, error))
    recording.done()
  }
}

/** What is of a state that is gone is written nowhere. */
function write(ws: Workspace, unit: Unit, dispatch: DispatchState, recording: Recording): void {
  if (ws.memory.of(deliveryState) === dispatch)
    causedBy(ws.rooms.of(scheduler), unit, recording.seq, () => recording.write(unit))
}

/** A fault of the sandbox itself: the job stays claimed, and is done again at the next start. */
export function tellFault(ws: Workspace, id: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  ws.bus.publish({ type: 'workspace', id, status: 'delivery_failed', message })
}

/** It may have another job, which comes sooner. */
const progressDeferred = runner(`update events set status = 'queued',
  next_attempt_at_ms = (select min(due_at_ms) from jobs where ref = events.id and kind = 'deliver') where seq = ?`)
const progressDelivered = runner(`update events set status = 'delivered', attempts = attempts + 1,
  next_attempt_at_ms = (select min(due_at_ms) from jobs where ref = events.id and kind = 'deliver') where seq = ?`)
/** What has been acknowledged once stays delivered. */
const progressFailed = reader<{ status: string }>(`update events set attempts = attempts + 1,
  next_attempt_at_ms = (select min(due_at_ms) from jobs where ref = events.id and kind = 'deliver'),
  status = case when exists (select 1 from attempts where event_seq = events.seq and outcome = 'ok') then 'delivered'
    when exists (select 1 from jobs where ref = events.id and kind = 'deliver') then 'pending' else 'failed' end
  where seq = ? returning status`)
/** Several attempts of one event may be under way at a time: its row, updated before, has the number. */
const insertAttempt =
  runner(`insert into attempts (event_seq, credential_seq, number, at_ms, duration_ms, request_headers, outcome,
  status, response_body, detail) select seq, coalesce(credential_seq, 0), attempts, ?, ?, ?, ?, ?, ?, ? from events where seq = ?`)

/** The disk does not hold yet what it tells of: no attempt is used. */
export const tryLater = (unit: Unit, job: DueDelivery): boolean =>
  postpone(unit, job.seq, unit.atMs + storeRetryMs, job.payload)

/** Over the rate: it waits, and no attempt is used (decision 30). */
export function defer(unit: Unit, job: DueDelivery): void {
  if (!postpone(unit, job.seq, unit.atMs + webhookWindow.deferMs, job.payload)) return
  progressDeferred(unit.db, job.eventSeq)
  unit.change({ status: 'queued', ...changed(job) })
}

const changed = ({ ref, event, subjectId }: DueDelivery) =>
  ({ type: 'webhook', id: ref, event, subject: subjectId }) as const

interface Sent {
  /** Business time at the start. */
  atMs: number
  request: SendRequest
  result: SendResult
}

export function recordAttempt(unit: Unit, job: DueDelivery, sent: Sent): void {
  const { outcome } = sent.result
  const status = outcome === 'ok' ? recordAcknowledged(unit, job) : recordFailure(unit, job)
  insertRow(unit, job, sent)
  countAttempt(unit, outcome === 'ok' ? 'delivered' : 'failed')
  unit.change({ status, outcome, ...changed(job) })
}

function recordAcknowledged(unit: Unit, job: DueDelivery): string {
  removeJob(unit.db, job.seq)
  if (job.payload === onceOnly) cancelRetries(unit, job.ref)
  if (owesDuplicate(unit, job)) schedule(unit, 'deliver', unit.atMs, job.ref)
  progressDelivered(unit.db, job.eventSeq)
  return 'delivered'
}

/** The delay counts from here: the end of the attempt. A job that is gone was overtaken by a delivery by hand. */
function recordFailure(unit: Unit, job: DueDelivery): string {
  const used = job.payload === onceOnly ? webhookAttempts : Number(job.payload ?? 0) + 1
  const delayMs = webhookRetryDelaysMs[used - 1]
  if (delayMs === undefined) removeJob(unit.db, job.seq)
  else postpone(unit, job.seq, unit.atMs + delayMs, String(used))
  return progressFailed(unit.db, job.eventSeq)[0]?.status ?? 'failed'
}

function insertRow(unit: Unit, job: DueDelivery, { atMs, request, result }: Sent): void {
  insertAttempt(
    unit.db,
    atMs,
    Math.round(result.durationMs),
    JSON.stringify(request.headers),
    result.outcome,
    result.status,
    result.responseBody,
    result.detail,
    job.eventSeq,
  )
}
