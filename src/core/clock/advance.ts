/** Advances business time from job to job, without skipping one. */
import { type Clock, callAtLimit } from '../../base/clock.js'
import { isoUtc } from '../../base/iso.js'
import type { EventName } from '../../protocol/platform/events.js'
import { deliveryState, whenDelivered } from '../delivery/queue.js'
import {
  Advance,
  dueNumbers,
  type JobRecord,
  lastJobNumber,
  nextDueAfterMs,
  nextDueMs,
  pendingJobs,
  schedulerState,
} from '../jobs/jobs.js'
import { saveClock } from '../unit/ports.js'
import type { Unit, Workspace } from '../unit/unit.js'
import { jobsPerTransaction, runDue, runDueBatch, tick } from './scheduler.js'

/**
 * Where an advance ends: at a business time; when all jobs that exist at its start, and the jobs that they cause, are
 * done; or when a condition is true (or no job is left).
 */
export type AdvanceTarget = { toMs: number } | { untilIdle: true } | { until: () => boolean }

/**
 * Advances business time job by job, each at its own time. Resolves when all of them have run and been answered, or the
 * advance was canceled. A target in the past does not move the clock, but still runs due jobs.
 */
async function runAdvance(ws: Workspace, advance: Advance, target: AdvanceTarget): Promise<void> {
  ws.state.of(schedulerState).advance = advance
  ws.clock.hold(ws.clock.now())
  try {
    await new AdvanceRun(ws, advance, target).run()
  } catch (error) {
    // Due jobs are retried, as on a clock that runs by itself.
    if (!ws.closed) void tick(ws).catch(() => undefined)
    throw error
  } finally {
    ws.state.of(schedulerState).advance = null
    ws.clock.release()
  }
  await changeClock(ws)
}

class AdvanceRun {
  readonly #toMs: number
  /** The memory at the start. After a reset or restore it is a different one, and the advance cannot continue. */
  readonly #memory

  constructor(
    readonly ws: Workspace,
    readonly advance: Advance,
    readonly target: AdvanceTarget,
  ) {
    this.#toMs = 'toMs' in target ? target.toMs : Number.POSITIVE_INFINITY
    this.#memory = ws.memory
  }

  async run(): Promise<void> {
    const { ws } = this
    await this.#claimInitialJobs()
    for (;;) {
      await this.#runEverythingDue()
      if (this.#isEnded()) return
      const dueMs = nextDueAfterMs(ws.db, ws.clock.now())
      if (dueMs === null || dueMs > this.#toMs || this.#isReached()) break
      const pause = ws.pauseAdvance()
      if (pause !== null) await Promise.race([pause, this.advance.whenCanceled])
      const untilMs = 'until' in this.target ? dueMs : this.#toMs
      await ws.unit((unit) => this.#isEnded() || this.#runBatch(unit, untilMs))
    }
    if (Number.isFinite(this.#toMs) && this.#toMs > ws.clock.now()) ws.clock.hold(this.#toMs)
    this.advance.isComplete = true
  }

  #isEnded(): boolean {
    const { ws, advance } = this
    return ws.closed || ws.memory.of(deliveryState).isEnding || ws.memory !== this.#memory || advance.isCanceled
  }

  /** Returns whether the target is reached, even if other jobs are left. */
  #isReached(): boolean {
    if ('until' in this.target) return this.target.until()
    return 'untilIdle' in this.target && !this.advance.hasPendingOwnJob(pendingJobs(this.ws.db))
  }

  /** Jobs that are due or in flight at the start belong to the advance; with `untilIdle`, so do all pending jobs. */
  async #claimInitialJobs(): Promise<void> {
    const { ws, advance } = this
    await ws.unit((unit) => {
      if ('untilIdle' in this.target) advance.addJobsUpTo(lastJobNumber(unit.db))
      else this.#claimDueJobs(unit)
    })
    // Read only now: jobs claimed in the same transaction count as in flight once it is committed.
    for (const seq of ws.memory.of(deliveryState).inFlight.keys()) advance.addJob(seq)
  }

  #claimDueJobs({ db, atMs }: Unit): void {
    for (const seq of dueNumbers(db, atMs)) this.advance.addJob(seq)
  }

  /** Runs due jobs until none of the advance's own jobs is due or in flight. */
  async #runEverythingDue(): Promise<void> {
    const { ws, advance } = this
    for (;;) {
      await runDue(ws)
      const deliveries = ws.memory.of(deliveryState)
      await Promise.race([whenDelivered(deliveries, advance.owns), advance.whenCanceled])
      if (this.#isEnded()) return
      if (![...deliveries.inFlight.keys()].some(advance.owns) && !dueNumbers(ws.db, ws.clock.now()).some(advance.owns))
        return
    }
  }

  /**
   * Runs the jobs of several moments in one transaction, up to one batch: a thousand charges expire as fast as one.
   * Stops when a delivery awaits its answer, since later jobs may depend on it.
   */
  #runBatch(unit: Unit, untilMs: number): void {
    const { ws } = this
    unit.undo(ws.clock.checkpoint())
    for (let jobsLeft = jobsPerTransaction; jobsLeft > 0; ) {
      const dueMs = nextDueMs(unit.db)
      if (dueMs === null || dueMs > untilMs || ('untilIdle' in this.target && this.#isReached())) break
      moveTo(unit, ws.clock, Math.max(dueMs, unit.atMs))
      if (!('untilIdle' in this.target)) this.#claimDueJobs(unit)
      const { ran, hasDeliveries: sends } = runDueBatch(ws, unit, jobsLeft)
      if (sends) break
      jobsLeft -= ran
    }
    saveClock(unit.db, ws.clock)
  }
}

/** Moves the held clock and the unit that runs under it to the same time. */
function moveTo(unit: Unit, clock: Clock, atMs: number): void {
  const moving: { atMs: number } = unit
  clock.hold(atMs)
  moving.atMs = atMs
}

/** Runs `work`, which changes the clock; then saves the new state, publishes it, and sets the alarm again. */
export async function changeClock(ws: Workspace, work = () => {}): Promise<void> {
  await ws.unit((unit) => {
    unit.undo(ws.clock.checkpoint())
    work()
    saveClock(unit.db, ws.clock)
    unit.publishChange({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
  })
  ws.state.of(schedulerState).arm(nextDueMs(ws.db))
}

// Queues the advances of the clock: one at a time, each caller with its own maximum wait. A caller who disconnects
// cancels its advance.

/** A webhook whose response the clock waits for; `at` is business time (ISO). */
interface InFlight extends JobRecord {
  job: 'deliver'
  event: EventName
  url: string | null
}

interface AdvanceReport {
  ran: JobRecord[]
  inFlight: InFlight[]
  /** Whether all jobs up to the target have run, and all their webhooks have completed. */
  isComplete: boolean
  /** Whether the advance ended before the target and does not continue. */
  isCanceled: boolean
}

export interface Caller {
  /** How long the caller waits, in milliseconds of real time; null if until the advance is over. */
  waitMs: number | null
  /** Calls back once when the caller disconnects; returns a function that cancels the callback. */
  onDisconnect?: ((listener: () => void) => () => void) | undefined
}

/** Returns the target of an advance; `nowMs` is the business time when its turn comes. */
type Target = (nowMs: number) => AdvanceTarget

interface StartedAdvance {
  advance: Advance
  /** Rejects if the database failed or the target is not possible. */
  done: Promise<void>
}

/**
 * Advances the clock when its turn comes. Resolves when the advance is over, or after `waitMs`; the advance then
 * continues. A caller who disconnects before that cancels it.
 */
export function advanceClock(
  ws: Workspace,
  target: Target,
  { waitMs, onDisconnect: whenGone }: Caller,
): Promise<AdvanceReport> {
  const { advance, done } = startAdvance(ws, target)
  return new Promise((resolve, reject) => {
    let isOver = false
    const finish = (settle: () => void) => {
      stopWaiting()
      stopWatching()
      settle()
    }
    const answer = () => finish(() => resolve(reportAdvance(ws, advance, isOver)))
    const stopWaiting = waitMs === null ? () => {} : callAtLimit(ws.callAfter, waitMs, answer)
    const stopWatching = whenGone?.(() => advance.cancel()) ?? (() => {})
    done.then(
      () => {
        isOver = true
        answer()
      },
      (error: unknown) => finish(() => reject(error)),
    )
  })
}

/** Cancels every advance of the workspace, queued ones included; returns their number. */
export async function cancelAdvances(ws: Workspace): Promise<number> {
  const { advances, lastAdvance } = ws.state.of(schedulerState)
  const all = [...advances]
  for (const advance of all) advance.cancel()
  await lastAdvance
  return all.length
}

function startAdvance(ws: Workspace, target: Target): StartedAdvance {
  const state = ws.state.of(schedulerState)
  const advance = new Advance()
  const before = state.lastAdvance
  state.advances.add(advance)
  const done = Promise.race([before, advance.whenCanceled])
    .then(() => (advance.isCanceled ? undefined : runAdvance(ws, advance, target(ws.clock.now()))))
    .finally(() => state.advances.delete(advance))
  state.lastAdvance = Promise.allSettled([before, done])
  return { advance, done }
}

function reportAdvance(ws: Workspace, advance: Advance, isOver: boolean): AdvanceReport {
  const inFlight = inFlightOf(ws)
  const ran = advance.report(new Set(inFlight.map(({ seq }) => seq)))
  const { isComplete } = advance
  return { ran, inFlight: inFlight.map(({ seq, ...job }) => job), isComplete, isCanceled: isOver && !isComplete }
}

export function inFlightOf(ws: Workspace): (InFlight & { seq: number })[] {
  const { advance } = ws.state.of(schedulerState)
  if (advance === null) return []
  return [...ws.memory.of(deliveryState).inFlight.values()]
    .filter(({ seq }) => advance.owns(seq))
    .map(({ seq, dueAtMs, ref, event, url }) => ({ seq, at: isoUtc(dueAtMs), job: 'deliver', id: ref, event, url }))
}
