/** Measures how late timers fire on this machine: when timers are late, a client's pauses look longer than the client intended. */
import type { Workspace } from '../../../inside/workspace.js'

const everyMs = 25
/** Drift that is ignored, because timers are never exactly on time. */
const toleranceMs = 5
/** Largest number of late periods; the oldest are dropped. A client that is watched for hours is judged by its latest calls. */
const maxPeriods = 10_000

export class TimerDrift {
  readonly #latePeriods: { fromMs: number; toMs: number }[] = []
  /** Ends the measurement. */
  stop: () => void

  constructor(readonly ws: Pick<Workspace, 'callAfter' | 'clock' | 'closed'>) {
    this.stop = this.#schedule()
  }

  /** Whether no timer was late. */
  get isOnTime(): boolean {
    return this.#latePeriods.length === 0
  }

  /** Returns how much of the time from `fromMs` to `toMs` late timers can explain; a period that overlaps counts in full. */
  driftBetween(fromMs: number, toMs: number): number {
    return this.#latePeriods.reduce(
      (sum, late) => (late.fromMs < toMs && late.toMs > fromMs ? sum + late.toMs - late.fromMs : sum),
      0,
    )
  }

  #schedule(): () => void {
    const { callAfter, clock } = this.ws
    const dueMs = clock.wall() + everyMs
    return callAfter(everyMs, () => {
      if (this.ws.closed) return
      const nowMs = clock.wall()
      if (nowMs - dueMs > toleranceMs) this.#latePeriods.push({ fromMs: dueMs, toMs: nowMs })
      if (this.#latePeriods.length > maxPeriods) this.#latePeriods.shift()
      this.stop = this.#schedule()
    })
  }
}
