/** Walks business time from job to job, without ever leaping over one. */
import type { Clock } from '../../base/clock.js'
import { isoUtc } from '../../base/iso.js'
import { whenDelivered } from '../webhooks/dispatch-state.js'
import { saveClock } from '../workspace/clock-rows.js'
import type { Unit } from '../workspace/unit.js'
import type { Workspace } from '../workspace/workspace.js'
import { nextDueAfterMs, nextDueMs } from './jobs.js'
import { batch, runDue, runMoment } from './scheduler.js'
import type { RanJob } from './scheduler-state.js'

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
  const { memory } = ws
  const isOver = () => ws.closed || ws.memory.dispatch.ending || ws.memory !== memory
  ws.clock.hold(ws.clock.now())
  try {
    for (;;) {
      await runEverythingDue(ws)
      if ('until' in target && target.until()) break
      const dueMs = nextDueAfterMs(ws.db, ws.clock.now())
      if (dueMs === null || dueMs > toMs || isOver()) break
      const fromMs = ws.clock.now()
      try {
        await ws.unit((unit) => isOver() || goOn(ws, unit, fromMs, 'until' in target ? dueMs : toMs))
      } catch (error) {
        if (!isOver()) ws.clock.hold(fromMs)
        throw error
      }
    }
    if (Number.isFinite(toMs) && toMs > ws.clock.now() && !isOver()) ws.clock.hold(toMs)
  } finally {
    ws.scheduler.ran = null
    ws.clock.release()
  }
  await clockChanged(ws)
  return { ran }
}

/** Waits until everything due now has run and every delivery in hand has been answered. */
async function runEverythingDue(ws: Workspace): Promise<void> {
  for (;;) {
    await runDue(ws)
    await whenDelivered(ws.memory.dispatch)
    const dueMs = nextDueMs(ws.db)
    if (dueMs === null || dueMs > ws.clock.now() || ws.closed || ws.memory.dispatch.ending) return
  }
}

/**
 * Moment after moment in one transaction, a batch of jobs in all: a thousand charges expire as fast as one.
 * It ends where a delivery is to be answered, since what comes after may depend on the answer.
 */
function goOn(ws: Workspace, unit: Unit, fromMs: number, toMs: number): void {
  // The store may make this run twice.
  moveTo(unit, ws.clock, fromMs)
  for (let left = batch; left > 0; ) {
    const dueMs = nextDueMs(unit.db)
    if (dueMs === null || dueMs > toMs) break
    moveTo(unit, ws.clock, Math.max(dueMs, unit.atMs))
    const { ran, sends } = runMoment(ws, unit, left)
    if (sends) break
    left -= ran
  }
  saveClock(unit.db, ws.clock)
}

/** The held clock and the unit that runs under it go on together. */
function moveTo(unit: Unit, clock: Clock, atMs: number): void {
  const moving: { atMs: number } = unit
  clock.hold(atMs)
  moving.atMs = atMs
}

/** Keeps the clock's new state, tells of it, and arms the alarm anew. */
export async function clockChanged(ws: Workspace): Promise<void> {
  await ws.unit((unit) => {
    saveClock(unit.db, ws.clock)
    unit.change({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
  })
  ws.scheduler.arm(nextDueMs(ws.db))
}
