/** Advances business time from job to job, without ever leaping over one. */

import type { Clock } from '../../base/clock.js'
import { isoUtc } from '../../base/iso.js'
import { deliveryState, whenDelivered } from '../delivery/dispatch-state.js'
import type { Advance } from '../jobs/advance.js'
import { dueNumbers, lastJobNumber, nextDueAfterMs, nextDueMs, pendingJobs, scheduler } from '../jobs/jobs.js'
import { saveClock } from '../unit/clock-rows.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { batch, runDue, runMoment, tick } from './scheduler.js'

/**
 * Where an advance leads to: a business moment; until nothing is left of the jobs that exist as it begins and of what they
 * cause; or until something has come true (or no job is left).
 */
export type AdvanceTarget = { toMs: number } | { untilIdle: true } | { until: () => boolean }

/**
 * Moves business time forward, job by job, each at its own moment; settles when all of them have run and been answered,
 * or the advance has been canceled. A target in the past moves nothing, but still runs what is due.
 */
export async function advanceAlone(ws: Workspace, advance: Advance, target: AdvanceTarget): Promise<void> {
  ws.rooms.of(scheduler).advance = advance
  ws.clock.hold(ws.clock.now())
  try {
    await new AdvanceRun(ws, advance, target).all()
  } catch (error) {
    // What is due is tried again as it is when nobody advances the clock.
    if (!ws.closed) void tick(ws).catch(() => undefined)
    throw error
  } finally {
    ws.rooms.of(scheduler).advance = null
    ws.clock.release()
  }
  await clockChanged(ws)
}

class AdvanceRun {
  readonly #toMs: number
  /** After a reset or restore there is no way to go on: the time that it moved through is no more. */
  readonly #memory

  constructor(
    readonly ws: Workspace,
    readonly advance: Advance,
    readonly target: AdvanceTarget,
  ) {
    this.#toMs = 'toMs' in target ? target.toMs : Number.POSITIVE_INFINITY
    this.#memory = ws.memory
  }

  async all(): Promise<void> {
    const { ws } = this
    await this.#takeOver()
    for (;;) {
      await this.#runEverythingDue()
      if (this.#isEnded()) return
      const dueMs = nextDueAfterMs(ws.db, ws.clock.now())
      if (dueMs === null || dueMs > this.#toMs || this.#isReached()) break
      const mayGoOn = ws.mayGoOn()
      if (mayGoOn !== null) await Promise.race([mayGoOn, this.advance.whenCanceled])
      const untilMs = 'until' in this.target ? dueMs : this.#toMs
      await ws.unit((unit) => this.#isEnded() || this.#goOn(unit, untilMs))
    }
    if (Number.isFinite(this.#toMs) && this.#toMs > ws.clock.now()) ws.clock.hold(this.#toMs)
    this.advance.isComplete = true
  }

  #isEnded(): boolean {
    const { ws, advance } = this
    return ws.closed || ws.memory.of(deliveryState).ending || ws.memory !== this.#memory || advance.isCanceled
  }

  /** Whether there is nothing more to wait for, however many jobs of others there are. */
  #isReached(): boolean {
    if ('until' in this.target) return this.target.until()
    return 'untilIdle' in this.target && !this.advance.hasOwnJob(pendingJobs(this.ws.db))
  }

  /** What is due or in flight as it begins belongs to it; until idle, all that is to come as well. */
  async #takeOver(): Promise<void> {
    const { ws, advance } = this
    if ('untilIdle' in this.target) return ws.unit(({ db }) => advance.takeUpTo(lastJobNumber(db)))
    await ws.unit((unit) => this.#takeDue(unit))
    // Only now: what was claimed in the same transaction is in flight once that is committed.
    for (const seq of ws.memory.of(deliveryState).inFlight.keys()) advance.take(seq)
  }

  #takeDue({ db, atMs }: Unit): void {
    for (const seq of dueNumbers(db, atMs)) this.advance.take(seq)
  }

  /** Runs what is due, until nothing of the advance's own is due now or in flight any longer. */
  async #runEverythingDue(): Promise<void> {
    const { ws, advance } = this
    for (;;) {
      await runDue(ws)
      const dispatch = ws.memory.of(deliveryState)
      await Promise.race([whenDelivered(dispatch, advance.owns), advance.whenCanceled])
      if (this.#isEnded()) return
      if (![...dispatch.inFlight.keys()].some(advance.owns) && !dueNumbers(ws.db, ws.clock.now()).some(advance.owns))
        return
    }
  }

  /**
   * Moment after moment in one transaction, a batch of jobs in all: a thousand charges expire as fast as one.
   * It ends where a delivery is to be answered, since what comes after may depend on the answer.
   */
  #goOn(unit: Unit, untilMs: number): void {
    const { ws } = this
    unit.undo(ws.clock.keep())
    for (let left = batch; left > 0; ) {
      const dueMs = nextDueMs(unit.db)
      if (dueMs === null || dueMs > untilMs || ('untilIdle' in this.target && this.#isReached())) break
      moveTo(unit, ws.clock, Math.max(dueMs, unit.atMs))
      if (!('untilIdle' in this.target)) this.#takeDue(unit)
      const { ran, sends } = runMoment(ws, unit, left)
      if (sends) break
      left -= ran
    }
    saveClock(unit.db, ws.clock)
  }
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
  ws.rooms.of(scheduler).arm(nextDueMs(ws.db))
}
