/** Walks business time from job to job, without ever leaping over one. */
import type { Clock } from '../../base/clock.js'
import { isoUtc } from '../../base/iso.js'
import { whenDelivered } from '../webhooks/dispatch-state.js'
import { saveClock } from '../workspace/clock-rows.js'
import type { Unit } from '../workspace/unit.js'
import type { Workspace } from '../workspace/workspace.js'
import { dueNumbers, nextDueAfterMs, nextDueMs } from './jobs.js'
import { batch, runDue, runMoment } from './scheduler.js'
import type { RanJob, Walk } from './scheduler-state.js'

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
  const mine: Walk = { ran: [], own: new Set() }
  ws.scheduler.walk = mine
  // After a reset or restore there is no way to go on: the time that it walked through is no more.
  const { memory } = ws
  const isOver = () => ws.closed || ws.memory.dispatch.ending || ws.memory !== memory
  ws.clock.hold(ws.clock.now())
  try {
    await takeOver(ws, mine)
    for (;;) {
      await runEverythingDue(ws, mine)
      if ('until' in target && target.until()) break
      const dueMs = nextDueAfterMs(ws.db, ws.clock.now())
      if (dueMs === null || dueMs > toMs || isOver()) break
      await ws.unit((unit) => isOver() || goOn(ws, unit, mine, 'until' in target ? dueMs : toMs))
    }
    if (Number.isFinite(toMs) && toMs > ws.clock.now() && !isOver()) ws.clock.hold(toMs)
  } finally {
    ws.scheduler.walk = null
    ws.clock.release()
  }
  await clockChanged(ws)
  return { ran: mine.ran }
}

/** What is due or in hand as the walk begins belongs to it. */
async function takeOver(ws: Workspace, { own }: Walk): Promise<void> {
  await ws.unit((unit) => {
    for (const seq of dueNumbers(unit.db, unit.atMs)) own.add(seq)
  })
  for (const seq of ws.memory.dispatch.inHand) own.add(seq)
}

/** Runs what is due, until nothing of the walk's own is due now or in hand any longer. */
async function runEverythingDue(ws: Workspace, { own }: Walk): Promise<void> {
  const isOwn = (seq: number) => own.has(seq)
  for (;;) {
    await runDue(ws)
    const { dispatch } = ws.memory
    await whenDelivered(dispatch, isOwn)
    if (ws.closed || dispatch.ending) return
    if (![...dispatch.inHand].some(isOwn) && !dueNumbers(ws.db, ws.clock.now()).some(isOwn)) return
  }
}

/**
 * Moment after moment in one transaction, a batch of jobs in all: a thousand charges expire as fast as one.
 * It ends where a delivery is to be answered, since what comes after may depend on the answer.
 */
function goOn(ws: Workspace, unit: Unit, { own }: Walk, toMs: number): void {
  unit.undo(ws.clock.keep())
  for (let left = batch; left > 0; ) {
    const dueMs = nextDueMs(unit.db)
    if (dueMs === null || dueMs > toMs) break
    moveTo(unit, ws.clock, Math.max(dueMs, unit.atMs))
    for (const seq of dueNumbers(unit.db, unit.atMs)) own.add(seq)
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

/** Does what changes the clock, keeps its new state, tells of it, and arms the alarm anew. */
export async function clockChanged(ws: Workspace, work = () => {}): Promise<void> {
  await ws.unit((unit) => {
    unit.undo(ws.clock.keep())
    work()
    saveClock(unit.db, ws.clock)
    unit.change({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
  })
  ws.scheduler.arm(nextDueMs(ws.db))
}
