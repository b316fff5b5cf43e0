/**
 * Delivers webhooks: prepare (read, sign), send (network, outside any transaction), record (interface.md §6.1, §6.3,
 * assumptions.md decisions 28 to 30). One transaction records many results, an attempt row each; then the event is
 * delivered, retried or failed.
 */

import { hmacHex } from '../../base/crypto.js'
import { messageOf } from '../../base/unknown.js'
import { ApiError, orNotFound } from '../../protocol/platform/errors.js'
import type { AttemptOutcome } from '../../protocol/platform/failures.js'
import { storeRetryMs, webhookAttempts, webhookRetryDelaysMs, webhookWindow } from '../../protocol/platform/limits.js'
import { reader, runner } from '../../store/db.js'
import { finder, updater } from '../../store/rows.js'
import { events } from '../../store/schema.js'
import { credentialOf } from '../auth/authenticate.js'
import {
  cancelRetries,
  type DueDelivery,
  postpone,
  removeJob,
  runAndTrackNewJobs,
  schedule,
  schedulerState,
  singleAttemptPayload,
} from '../jobs/jobs.js'
import { countAttempt } from '../ledger/ledger.js'
import type { SendProgress, SendRequest, SendResult } from '../unit/ports.js'
import type { Unit, Workspace, WorkspaceSlot } from '../unit/unit.js'
import { owesDuplicate, tamper, tamperOf } from '../webhooks/faults.js'
import { headersOf, type WebhookEvent } from '../webhooks/outbox.js'
import {
  admitSend,
  type DeliveryEnding,
  type DeliveryState,
  deliveryState,
  markInFlight,
  type Recording,
  rejectWaiters,
} from './queue.js'

/**
 * Without rate limits thousands of deliveries end in a second, and many are recorded in one transaction. With rate
 * limits each is recorded at once: an attempt that is not recorded when the process is killed is sent again, and would
 * exceed the documented rate.
 */
const batchDelayMs = 20
/** Recordings in one transaction: more would keep calls waiting. */
const batchSize = 500

/** Records the result with the next transaction; retries while the database cannot be written. */
function recordSoon(ws: Workspace, state: DeliveryState, recording: Recording): void {
  const { recordings } = state
  recordings.waiting.push(recording)
  if (recordings.isFlushScheduled) return
  recordings.isFlushScheduled = true
  const isNothingElseInFlight = state.inFlight.size === recordings.waiting.length
  if (ws.config.rateLimits || isNothingElseInFlight) void flush(ws, state)
  else ws.callAfter(batchDelayMs, () => void flush(ws, state))
}

async function flush(ws: Workspace, state: DeliveryState): Promise<void> {
  const { recordings } = state
  const batch: Recording[] = []
  try {
    if (ws.closed) return
    await ws.unit((unit) => {
      // Read inside the unit, so that deliveries that have ended until now are included. The unit can run twice.
      batch.push(...recordings.waiting.splice(0, batchSize - batch.length))
      recordings.isFlushScheduled = false
      for (const recording of batch) applyRecording(ws, unit, state, recording)
    })
    for (const { done } of batch) done()
  } catch (error) {
    if (isUnavailable(error)) return flushLater(ws, state, batch, error)
    await recordEach(ws, state, batch)
  }
  if (recordings.isFlushScheduled || recordings.waiting.length === 0) return
  recordings.isFlushScheduled = true
  void flush(ws, state)
}

function flushLater(ws: Workspace, state: DeliveryState, batch: Recording[], error: unknown): void {
  const { recordings } = state
  recordings.waiting.unshift(...batch)
  recordings.isFlushScheduled = true
  ws.callAfter(storeRetryMs, () => void flush(ws, state))
  rejectWaiters(state, error)
}

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE'

/** Records one at a time, so that one that fails does not affect the others. */
async function recordEach(ws: Workspace, state: DeliveryState, recordings: Recording[]): Promise<void> {
  for (const recording of recordings) {
    await ws
      .unit((unit) => applyRecording(ws, unit, state, recording))
      .catch((error: unknown) => publishFailure(ws, ws.name, error))
    recording.done()
  }
}

/** Drops attempts of a state that has been reset or restored since they began. */
function applyRecording(ws: Workspace, unit: Unit, state: DeliveryState, recording: Recording): void {
  if (ws.memory.of(deliveryState) === state)
    runAndTrackNewJobs(ws.state.of(schedulerState), unit, recording.seq, () => recording.write(unit))
}

/** Reports an error of the sandbox itself. The job stays claimed and is repeated at the next start. */
function publishFailure(ws: Workspace, id: string, error: unknown): void {
  const message = messageOf(error)
  ws.bus.publish({ type: 'workspace', id, status: 'delivery_failed', message })
}

/** The event can have another job that is due sooner. */
const updateDeferred = runner(`update events set status = 'queued',
  next_attempt_at_ms = (select min(due_at_ms) from jobs where ref = events.id and kind = 'deliver') where seq = ?`)
const updateDelivered = runner(`update events set status = 'delivered', attempts = attempts + 1,
  next_attempt_at_ms = (select min(due_at_ms) from jobs where ref = events.id and kind = 'deliver') where seq = ?`)
/** An event that was acknowledged once stays delivered. */
const updateFailed = reader<{ status: string }>(`update events set attempts = attempts + 1,
  next_attempt_at_ms = (select min(due_at_ms) from jobs where ref = events.id and kind = 'deliver'),
  status = case when exists (select 1 from attempts where event_seq = events.seq and outcome = 'ok') then 'delivered'
    when exists (select 1 from jobs where ref = events.id and kind = 'deliver') then 'pending' else 'failed' end
  where seq = ? returning status`)
/** Several attempts of one event can be in flight: the number comes from the event's row, which is updated first. */
const insertAttempt =
  runner(`insert into attempts (event_seq, credential_seq, number, at_ms, duration_ms, request_headers, outcome,
  status, response_body, detail, manual) select seq, coalesce(credential_seq, 0), attempts, ?, ?, ?, ?, ?, ?, ?, ?
  from events where seq = ?`)

/** Postpones a delivery over the rate; no attempt is used (assumptions.md decision 30). */
function deferOverRate(unit: Unit, job: DueDelivery): void {
  if (!postpone(unit, job.seq, unit.atMs + webhookWindow.deferMs, job.payload)) return
  updateDeferred(unit.db, job.eventSeq)
  unit.publishChange({ status: 'queued', ...changeOf(job) })
}

const changeOf = ({ ref, event, subjectId }: DueDelivery) =>
  ({ type: 'webhook', id: ref, event, subject: subjectId }) as const

const isManual = ({ payload }: DueDelivery): boolean => payload === singleAttemptPayload

interface SentAttempt {
  /** Business time at the start. */
  atMs: number
  request: SendRequest
  result: SendResult
}

/** Attempts by outcome since the workspace was opened, for metrics. */
export const attemptCounts: WorkspaceSlot<Map<AttemptOutcome, number>> = { begin: () => new Map() }

function recordAttempt(ws: Workspace, unit: Unit, job: DueDelivery, sent: SentAttempt): void {
  const { outcome } = sent.result
  const status = outcome === 'ok' ? recordAcknowledged(unit, job) : recordFailure(unit, job)
  insertRow(unit, job, sent)
  countAttempt(unit, outcome === 'ok' ? 'delivered' : 'failed')
  unit.publishChange({ status, outcome, ...changeOf(job) })
  const counts = ws.state.of(attemptCounts)
  unit.after(() => counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
}

function recordAcknowledged(unit: Unit, job: DueDelivery): string {
  removeJob(unit.db, job.seq)
  if (isManual(job)) cancelRetries(unit, job.ref)
  if (owesDuplicate(unit, job)) schedule(unit, 'deliver', unit.atMs, job.ref)
  updateDelivered(unit.db, job.eventSeq)
  return 'delivered'
}

/**
 * The payload of a job is the number of attempts it has used, or that of a manual redelivery, which is not retried. The
 * delay counts from the end of the attempt. If the job no longer exists, a manual redelivery has delivered the event.
 */
function recordFailure(unit: Unit, job: DueDelivery): string {
  const used = isManual(job) ? webhookAttempts : Number(job.payload ?? 0) + 1
  const delayMs = webhookRetryDelaysMs[used - 1]
  if (delayMs === undefined) removeJob(unit.db, job.seq)
  else postpone(unit, job.seq, unit.atMs + delayMs, String(used))
  return updateFailed(unit.db, job.eventSeq)[0]?.status ?? 'failed'
}

function insertRow(unit: Unit, job: DueDelivery, { atMs, request, result }: SentAttempt): void {
  insertAttempt(
    unit.db,
    atMs,
    Math.round(result.durationMs),
    JSON.stringify(request.headers),
    result.outcome,
    result.status,
    result.responseBody,
    result.detail,
    isManual(job) ? 1 : 0,
    job.eventSeq,
  )
}

const bodyOf = reader<{ body: string }>('select body from events where seq = ?')

/**
 * Hands a job to the queue of its receiver. A manual redelivery is sent at once, even if other deliveries about the same
 * object are in flight.
 */
export function enqueueDelivery(ws: Workspace, state: DeliveryState, job: DueDelivery): void {
  const done = markInFlight(state, job)
  state.queue.add({
    receiver: job.url ?? '',
    object: isManual(job) ? null : job.subjectId,
    run: (progress) =>
      deliver(ws, state, job, progress, done).catch((error: unknown) => {
        publishFailure(ws, job.ref, error)
        done()
        return 'unsent' as const
      }),
  })
}

/** Settles once the receiver has answered, so that its queue continues; recording follows separately. */
async function deliver(
  ws: Workspace,
  state: DeliveryState,
  job: DueDelivery,
  progress: SendProgress,
  done: () => void,
): Promise<DeliveryEnding> {
  const endUnsent = (write?: (unit: Unit) => void): DeliveryEnding => {
    if (write === undefined) done()
    else recordSoon(ws, state, { seq: job.seq, write, done })
    return 'unsent'
  }
  const { seq, eventSeq, credentialSeq } = job
  if (ws.memory.of(deliveryState) !== state || ws.closed || state.isEnding) return endUnsent()
  const atMs = ws.clock.now()
  if (!admitSend(ws, credentialSeq ?? 0, atMs)) return endUnsent((unit) => deferOverRate(unit, job))
  const request = prepare(ws, job, job.body ?? bodyOf(ws.db, eventSeq)[0]?.body ?? '')
  const result = await ws.send(request, progress)
  recordSoon(ws, state, { seq, write: (unit) => recordAttempt(ws, unit, job, { atMs, request, result }), done })
  return result.outcome === 'timeout' ? 'silent' : 'answered'
}

/** Body and id never change; the timestamp is new in each attempt (assumptions.md decision 28). */
function prepare(ws: Workspace, job: DueDelivery, text: string): SendRequest {
  const credential = credentialOf(ws.db, job.credentialSeq)
  const headers = headersOf({
    event: job.event,
    id: job.ref,
    signature: hmacHex(credential?.webhookSecret ?? '', text),
    timestamp: String(Math.floor(ws.clock.wall() / 1000)),
    isSandbox: true,
  })
  return { url: job.url ?? '', ...tamper({ headers, body: text }, tamperOf(job, isManual(job))) }
}

// Redelivers an event on request: same id, same body, one immediate attempt (interface.md §6.3).

export const findEvent = finder(events, 'where id = ?')
const updateEvent = updater(events, ['url', 'status', 'nextAttemptAtMs'])

/** Throws 404 NOT_FOUND if no event has the id. */
export const requireEvent = ({ db }: Unit, id: string): WebhookEvent =>
  orNotFound(findEvent(db, id), 'webhook', id, `There is no event ${id}.`)

/**
 * An event without a URL is sent to the current webhook URL of its credential, or else of the configuration. Throws 422
 * INVALID_POSTBACK_URL if neither has one.
 */
export function redeliver(unit: Unit, id: string): WebhookEvent {
  const event = requireEvent(unit, id)
  const url = event.url ?? credentialOf(unit.db, event.credentialSeq)?.postbackUrl ?? unit.config.webhookUrl
  if (url === null)
    throw new ApiError(
      'INVALID_POSTBACK_URL',
      { rule: 'the credential has no postback_url yet' },
      `Event ${id} has no destination. Set postback_url of its credential first.`,
    )
  const status = event.status === 'failed' ? 'pending' : event.status
  const next = { url, status, nextAttemptAtMs: unit.atMs }
  updateEvent(unit.db, event.seq, next)
  schedule(unit, 'deliver', unit.atMs, id, singleAttemptPayload)
  unit.publishChange({ type: 'webhook', id, event: event.event, subject: event.subjectId, status })
  return { ...event, ...next }
}
