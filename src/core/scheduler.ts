/** Runs what is due, in order of `(due, id)`, and walks the clock from job to job without ever leaping over one. */
import { isoUtc } from '../base/iso.js'
import { enqueueDelivery, whenDelivered } from './dispatcher.js'
import { jobHandlers } from './job-handlers.js'
import {
  claimJob,
  dueJobs,
  type Job,
  type JobKind,
  nextDueAfterMs,
  nextDueMs,
  releaseClaims,
  removeJob,
} from './jobs.js'
import type { RanJob } from './scheduler-state.js'
import { keepClock, type Unit, type Workspace } from './workspace.js'

const batch = 256

/** After a start: takes up what an earlier process had in hand. */
export function startScheduler(ws: Workspace): void {
  releaseClaims(ws.db)
  ws.scheduler.arm(nextDueMs(ws.db))
}

/** Runs everything that is due now; the runtime calls it when the alarm goes off. Deliveries go on by themselves. */
export async function tick(ws: Workspace): Promise<void> {
  if (ws.closed) return
  for (;;) {
    const found = await ws.unit((unit) => runBatch(unit))
    if (found < batch) break
  }
  if (!ws.closed) ws.scheduler.arm(nextDueMs(ws.db))
}

function runBatch(unit: Unit): number {
  const due = dueJobs(unit.db, unit.atMs, batch)
  for (const job of due) runJob(unit, job)
  return due.length
}

function runJob(unit: Unit, job: Job): void {
  unit.after(() => unit.ws.scheduler.ran?.push({ at: isoUtc(unit.atMs), job: job.kind, id: job.ref }))
  if (job.kind === 'deliver') {
    claimJob(unit.db, job.seq)
    unit.after(() => enqueueDelivery(unit.ws, job))
    return
  }
  removeJob(unit.db, job.seq)
  // A job that fails must not hold up the queue behind it: its own changes are undone, and it is told.
  try {
    unit.attempt(() => jobHandlers[job.kind as Exclude<JobKind, 'deliver'>](unit, job))
  } catch (error) {
    if (unit.db.isUnavailable(error)) throw error
    unit.change({
      type: 'workspace',
      id: job.ref,
      status: 'job_failed',
      job: job.kind,
      message: error instanceof Error ? error.message : String(error),
    })
  }
}

/** Waits until everything due now has run and every delivery in hand has been answered. */
async function runEverythingDue(ws: Workspace): Promise<void> {
  for (;;) {
    await tick(ws)
    await whenDelivered(ws)
    const due = nextDueMs(ws.db)
    if (due === null || due > ws.clock.now()) return
  }
}

export interface WalkResult {
  ran: RanJob[]
}

/** Where a walk goes to: a business moment, until no job is left, or until something has come true (or no job is left). */
export type WalkTarget = { toMs: number } | { untilIdle: true } | { until: () => boolean }

/**
 * Moves business time forward, job by job, each at its own moment; answers when all of them have run and been answered.
 * Walks run one after the other. A target in the past moves nothing, but still runs what is due.
 */
export function walk(ws: Workspace, target: (nowMs: number) => WalkTarget): Promise<WalkResult> {
  const walking = ws.scheduler.walks.then(() => walkAlone(ws, target(ws.clock.now())))
  ws.scheduler.walks = walking.catch(() => undefined)
  return walking
}

async function walkAlone(ws: Workspace, target: WalkTarget): Promise<WalkResult> {
  const toMs = 'toMs' in target ? target.toMs : Number.POSITIVE_INFINITY
  const ran: RanJob[] = []
  ws.scheduler.ran = ran
  // After a reset or restore there is no way to go on: the time that it walked through is no more.
  const { generation } = ws
  const isOver = () => ws.closed || ws.generation !== generation
  ws.clock.hold(ws.clock.now())
  try {
    for (;;) {
      await runEverythingDue(ws)
      if ('until' in target && target.until()) break
      const due = nextDueAfterMs(ws.db, ws.clock.now())
      if (due === null || due > toMs || isOver()) break
      ws.clock.hold(due)
    }
    if (Number.isFinite(toMs) && toMs > ws.clock.now() && !isOver()) ws.clock.hold(toMs)
  } finally {
    ws.scheduler.ran = null
    ws.clock.release()
  }
  await clockChanged(ws)
  return { ran }
}

/** Keeps the clock's new state, tells of it, and arms the alarm anew. */
export async function clockChanged(ws: Workspace): Promise<void> {
  await ws.unit(keepClock)
  ws.scheduler.arm(nextDueMs(ws.db))
}
