/** One advance of the clock: the jobs that belong to it, what it has run, and whether it is over. */
import type { JobKind } from '../../protocol/control/job-kinds.js'

/** A job in the report of an advance. `at` is business time (ISO), `job` the kind, `id` the object of the job. */
export interface JobRecord {
  at: string
  job: JobKind
  id: string
}

/** A job that has started. */
interface StartedJob extends JobRecord {
  seq: number
}

/** Looks up which jobs are still pending, by job number. */
export interface PendingJobs {
  has(seq: number): boolean
  hasAnyUpTo(seq: number): boolean
}

export class Advance {
  /** True when the target is reached and all own jobs are done. */
  isComplete = false
  isCanceled = false
  /** Settles when the advance is canceled. */
  readonly whenCanceled: Promise<void>
  readonly #own = new Set<number>()
  #ownUpTo = 0
  #started: StartedJob[] = []
  #isReported = false
  #settleCanceled = () => {}

  constructor() {
    this.whenCanceled = new Promise((resolve) => {
      this.#settleCanceled = resolve
    })
  }

  /** Cancels the advance. Jobs that ran stay done; deliveries in flight are completed and recorded. */
  cancel(): void {
    this.isCanceled = true
    this.#settleCanceled()
  }

  /**
   * Returns whether the job belongs to this advance. An advance does not wait for jobs that other calls create meanwhile.
   */
  owns = (seq: number): boolean => seq <= this.#ownUpTo || this.#own.has(seq)

  addJob(seq: number): void {
    this.#own.add(seq)
  }

  removeJob(seq: number): void {
    this.#own.delete(seq)
  }

  /** Adds all jobs up to this job number. */
  addJobsUpTo(seq: number): void {
    this.#ownUpTo = seq
  }

  /** Returns whether a job of this advance is still pending. Removes its finished jobs from the set. */
  hasPendingOwnJob({ has, hasAnyUpTo }: PendingJobs): boolean {
    if (hasAnyUpTo(this.#ownUpTo)) return true
    for (const seq of this.#own) {
      if (has(seq)) return true
      this.#own.delete(seq)
    }
    return false
  }

  addStarted(job: StartedJob): void {
    if (!this.#isReported) this.#started.push(job)
  }

  /** Returns the jobs that ran, in order, without deliveries still in flight. Later jobs are not added. */
  report(inFlight: ReadonlySet<number>): JobRecord[] {
    this.#isReported = true
    // A retried delivery has started several times with one job number; only its last start is in flight.
    const notYetSkipped = new Set(inFlight)
    const ran = this.#started.toReversed().filter(({ seq }) => !notYetSkipped.delete(seq))
    return ran.reverse().map(({ at, job, id }) => ({ at, job, id }))
  }
}
