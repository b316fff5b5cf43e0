/** Runs due jobs in the order of `(due, id)`. */

import { isoUtc } from '../../base/iso.js'
import { messageOf } from '../../base/unknown.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { storeRetryMs } from '../../protocol/platform/limits.js'
import type { JobKind } from '../../protocol/platform/transitions.js'
import { enqueueDelivery } from '../delivery/deliveries.js'
import { deliveryState } from '../delivery/queue.js'
import {
  claimJobs,
  type DueDelivery,
  type DueJob,
  dueJobs,
  type Job,
  nextDueMs,
  releaseClaims,
  removeJob,
  runAndTrackNewJobs,
  schedulerState,
} from '../jobs/jobs.js'
import { expire } from '../operations/cashin.js'
import { settleAutomatically } from '../operations/cashout.js'
import { decideAtDeadline } from '../operations/dispute.js'
import { requireDispute, requireTransaction } from '../operations/transactions.js'
import { continueRun } from '../scenarios/start.js'
import type { Unit, Workspace } from '../unit/unit.js'

/** What each kind of job does when it is due; deliveries go to the dispatcher instead. */
const jobHandlers: Record<Exclude<JobKind, 'deliver'>, (unit: Unit, job: Job) => void> = {
  expire: (unit, job) => void expire(unit, requireTransaction(unit.db, 'cashin', job.ref)),
  settle: (unit, job) => void settleAutomatically(unit, requireTransaction(unit.db, 'cashout', job.ref)),
  deadline: (unit, job) => void decideAtDeadline(unit, requireDispute(unit.db, job.ref)),
  scenario: (unit, job) => continueRun(unit, job.ref),
}

/** Jobs in one transaction: enough to save commits, few enough to let calls in between. */
export const jobsPerTransaction = 256
/**
 * While fewer deliveries than this are in flight, bodies are loaded together with their jobs. With a longer queue, no
 * bodies are kept in memory.
 */
const maxInFlightWithBodies = 2000

/** Releases jobs that an earlier process had in flight, and sets the alarm. */
export function startScheduler(ws: Workspace): void {
  releaseClaims(ws.db)
  ws.state.of(schedulerState).arm(nextDueMs(ws.db))
}

/**
 * Runs due jobs; the runtime calls it when the alarm goes off. It does not wait for deliveries. If the database
 * fails, the jobs are retried.
 */
export async function tick(ws: Workspace): Promise<void> {
  const state = ws.state.of(schedulerState)
  try {
    await runDue(ws)
    state.hasFailed = false
  } catch (error) {
    if (ws.closed) return
    if (!(error instanceof ApiError)) throw error
    if (!state.hasFailed) ws.bus.publish({ type: 'workspace', id: ws.name, status: 'store_unavailable' })
    state.hasFailed = true
    if (state.retrying) return
    state.retrying = true
    ws.callAfter(storeRetryMs, () => {
      state.retrying = false
      void tick(ws).catch(() => undefined)
    })
  }
}

export async function runDue(ws: Workspace): Promise<void> {
  for (;;) {
    if (ws.closed || ws.memory.of(deliveryState).isEnding) return
    const { ran } = await ws.unit((unit) => runDueBatch(ws, unit, jobsPerTransaction))
    if (ran < jobsPerTransaction) break
  }
  if (!ws.closed) ws.state.of(schedulerState).arm(nextDueMs(ws.db))
}

/** Runs at most `limit` jobs that are due at the unit's time; also returns whether deliveries are among them. */
export function runDueBatch(ws: Workspace, unit: Unit, limit: number): { ran: number; hasDeliveries: boolean } {
  const due = dueJobs(unit.db, unit.atMs, limit, ws.memory.of(deliveryState).inFlight.size < maxInFlightWithBodies)
  const deliveries = due.filter((job) => job.kind === 'deliver')
  if (deliveries.length > 0) claim(ws, unit, deliveries)
  for (const job of due) runJob(ws, unit, job)
  return { ran: due.length, hasDeliveries: deliveries.length > 0 }
}

/** Claims the deliveries in one statement, and enqueues them once the unit is committed. */
function claim(ws: Workspace, unit: Unit, deliveries: readonly DueDelivery[]): void {
  const seqs = deliveries.map(({ seq }) => seq)
  claimJobs(unit.db, seqs)
  // Captured now, because a reset may be committed in the same transaction.
  const state = ws.memory.of(deliveryState)
  unit.after(() => {
    for (const job of deliveries) enqueueDelivery(ws, state, job)
  })
}

function runJob(ws: Workspace, unit: Unit, job: DueJob): void {
  const { atMs } = unit
  const { advance } = ws.state.of(schedulerState)
  if (advance?.owns(job.seq))
    unit.after(() => advance.addStarted({ seq: job.seq, at: isoUtc(atMs), job: job.kind, id: job.ref }))
  if (job.kind === 'deliver') return
  const { kind } = job
  removeJob(unit.db, job.seq)
  // A failing job must not block the jobs behind it: its changes are rolled back, and the failure is logged.
  try {
    runAndTrackNewJobs(ws.state.of(schedulerState), unit, job.seq, () =>
      unit.attempt(() => jobHandlers[kind](unit, job)),
    )
  } catch (error) {
    if (unit.db.isUnavailable(error)) throw error
    unit.publishChange({
      type: 'workspace',
      id: job.ref,
      status: 'job_failed',
      job: kind,
      message: messageOf(error),
    })
  }
}
