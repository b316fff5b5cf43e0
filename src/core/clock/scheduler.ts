/** Runs what is due, in order of `(due, id)`. */

import { isoUtc } from '../../base/iso.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { storeRetryMs } from '../../protocol/platform/limits.js'
import { deliveryState } from '../delivery/dispatch-state.js'
import { enqueueDelivery } from '../delivery/dispatcher.js'
import {
  causedBy,
  claimJobs,
  type DueJob,
  dueJobs,
  nextDueMs,
  releaseClaims,
  removeJob,
  scheduler,
} from '../jobs/jobs.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { jobHandlers } from './job-handlers.js'

/** Jobs in one transaction: so many that it pays, so few that calls get their turn. */
export const batch = 256
/** Bodies are read along with their jobs until so many deliveries are in flight: a long queue keeps none in memory. */
const bodiesInFlight = 2000

/** After a start: takes up what an earlier process had in flight. */
export function startScheduler(ws: Workspace): void {
  releaseClaims(ws.db)
  ws.rooms.of(scheduler).arm(nextDueMs(ws.db))
}

/** The runtime calls it when the alarm goes off. Deliveries go on by themselves; where the store refuses, it is tried again. */
export async function tick(ws: Workspace): Promise<void> {
  const state = ws.rooms.of(scheduler)
  try {
    await runDue(ws)
    state.refused = false
  } catch (error) {
    if (ws.closed) return
    if (!(error instanceof ApiError)) throw error
    if (!state.refused) ws.bus.publish({ type: 'workspace', id: ws.name, status: 'store_unavailable' })
    state.refused = true
    if (state.retrying) return
    state.retrying = true
    ws.alarm(storeRetryMs, () => {
      state.retrying = false
      void tick(ws).catch(() => undefined)
    })
  }
}

/** Runs everything that is due now. */
export async function runDue(ws: Workspace): Promise<void> {
  for (;;) {
    if (ws.closed || ws.memory.of(deliveryState).ending) return
    const { ran } = await ws.unit((unit) => runMoment(ws, unit, batch))
    if (ran < batch) break
  }
  if (!ws.closed) ws.rooms.of(scheduler).arm(nextDueMs(ws.db))
}

/** Runs at most so many of the jobs that are due at the unit's moment; `sends` says that there are deliveries among them. */
export function runMoment(ws: Workspace, unit: Unit, limit: number): { ran: number; sends: boolean } {
  const due = dueJobs(unit.db, unit.atMs, limit, ws.memory.of(deliveryState).inFlight.size < bodiesInFlight)
  const deliveries = due.filter(({ kind }) => kind === 'deliver').map(({ seq }) => seq)
  if (deliveries.length > 0) claimJobs(unit.db, deliveries)
  for (const job of due) runJob(ws, unit, job)
  return { ran: due.length, sends: deliveries.length > 0 }
}

function runJob(ws: Workspace, unit: Unit, job: DueJob): void {
  const { atMs } = unit
  const { advance } = ws.rooms.of(scheduler)
  if (advance?.owns(job.seq))
    unit.after(() => advance.note({ seq: job.seq, at: isoUtc(atMs), job: job.kind, id: job.ref }))
  if (job.kind === 'deliver') {
    // A reset may be committed along with this.
    const dispatch = ws.memory.of(deliveryState)
    unit.after(() => enqueueDelivery(ws, dispatch, job))
    return
  }
  const { kind } = job
  removeJob(unit.db, job.seq)
  // A job that fails must not hold up the queue behind it: its own changes are undone, and it is told.
  try {
    causedBy(ws.rooms.of(scheduler), unit, job.seq, () => unit.attempt(() => jobHandlers[kind](unit, job)))
  } catch (error) {
    if (unit.db.isUnavailable(error)) throw error
    unit.change({
      type: 'workspace',
      id: job.ref,
      status: 'job_failed',
      job: kind,
      message: error instanceof Error ? error.message : String(error),
    })
  }
}
