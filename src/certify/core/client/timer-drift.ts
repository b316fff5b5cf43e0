/** How late alarms ring on this machine: pauses that are measured meanwhile are longer than they were meant to be. */
import type { Workspace } from '../../../core/unit/workspace.js'

const everyMs = 25
/** Alarms are never quite on time. */
const toleranceMs = 5
/** The oldest are forgotten: whoever is watched for hours is judged by what came last. */
const maxPeriods = 10_000

export class TimerDrift {
  readonly #ws: Pick<Workspace, 'alarm' | 'clock' | 'closed'>
  readonly #latePeriods: { fromMs: number; toMs: number }[] = []
  #stop: () => void

  constructor(ws: Pick<Workspace, 'alarm' | 'clock' | 'closed'>) {
    this.#ws = ws
    this.#stop = this.#schedule()
  }

  stop(): void {
    this.#stop()
  }

  /** Every alarm was on time. */
  get isQuiet(): boolean {
    return this.#latePeriods.length === 0
  }

  /** So much of the time between the two may have gone by for nothing; milliseconds. */
  between(fromMs: number, toMs: number): number {
    return this.#latePeriods.reduce(
      (sum, late) => (late.fromMs < toMs && late.toMs > fromMs ? sum + late.toMs - late.fromMs : sum),
      0,
    )
  }

  #schedule(): () => void {
    const { alarm, clock } = this.#ws
    const dueMs = clock.wall() + everyMs
    return alarm(everyMs, () => {
      if (this.#ws.closed) return
      const nowMs = clock.wall()
      if (nowMs - dueMs > toleranceMs) this.#latePeriods.push({ fromMs: dueMs, toMs: nowMs })
      if (this.#latePeriods.length > maxPeriods) this.#latePeriods.shift()
      this.#stop = this.#schedule()
    })
  }
}
