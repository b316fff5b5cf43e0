/** One advance of the clock: which jobs are its own, what it has run, and whether it is over. */
import type { JobKind } from '../../protocol/control/clock.js'

/** `at` business time ISO; `job` the kind; `id` the object it was about. */
export interface RanJob {
  at: string
  job: JobKind
  id: string
}

/** A job that has begun, by its number. */
interface BegunJob extends RanJob {
  seq: number
}

/** Which jobs are still to come, by number. */
export interface PendingJobs {
  has(seq: number): boolean
  hasUpTo(seq: number): boolean
}

export class Advance {
  /** True once it has done all that it was asked for. */
  isComplete = false
  isCanceled = false
  /** Settles when it has been canceled. */
  readonly whenCanceled: Promise<void>
  readonly #own = new Set<number>()
  #ownUpTo = 0
  #begun: BegunJob[] = []
  #isReported = false
  #settleCanceled = () => {}

  constructor() {
    this.whenCanceled = new Promise((resolve) => {
      this.#settleCanceled = resolve
    })
  }

  /** What has run stays as it is, and what is on the wire is answered and recorded. */
  cancel(): void {
    this.isCanceled = true
    this.#settleCanceled()
  }

  /** An advance waits for its own jobs, and not for what others cause meanwhile. */
  owns = (seq: number): boolean => seq <= this.#ownUpTo || this.#own.has(seq)

  take(seq: number): void {
    this.#own.add(seq)
  }

  drop(seq: number): void {
    this.#own.delete(seq)
  }

  /** Every job up to this number is its own. */
  takeUpTo(seq: number): void {
    this.#ownUpTo = seq
  }

  /** Whether a job of its own is still to be done. Forgets those that are gone. */
  hasOwnJob({ has, hasUpTo }: PendingJobs): boolean {
    if (hasUpTo(this.#ownUpTo)) return true
    for (const seq of this.#own) {
      if (has(seq)) return true
      this.#own.delete(seq)
    }
    return false
  }

  note(job: BegunJob): void {
    if (!this.#isReported) this.#begun.push(job)
  }

  /** What has run, in order, without the attempts that are still in flight; from here on nothing more is noted. */
  report(inFlight: ReadonlySet<number>): RanJob[] {
    this.#isReported = true
    const open = new Set(inFlight)
    const ran = this.#begun.toReversed().filter(({ seq }) => !open.delete(seq))
    return ran.reverse().map(({ at, job, id }) => ({ at, job, id }))
  }
}
