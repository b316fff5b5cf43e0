/** The table of scheduled jobs. No other file reads or writes it. */
import type { EventName } from '../../protocol/platform/events.js'
import type { JobKind } from '../../protocol/platform/transitions.js'
import { type Db, lastSeqReader, reader, runner, valueReader } from '../../store/db.js'
import { inserter } from '../../store/rows.js'
import { jobs } from '../../store/schema.js'
import type { Unit, Workspace, WorkspaceSlot } from '../unit/unit.js'

// One advance of the clock: the jobs that belong to it, what it has run, and whether it is over.

/** A job in the report of an advance. `at` is business time (ISO), `job` the kind, `id` the object of the job. */
export interface JobRecord {
  at: string
  job: JobKind
  id: string
}

interface StartedJob extends JobRecord {
  seq: number
}

/** Looks up which jobs are still pending, by job number. */
interface PendingJobs {
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
  readonly #started: StartedJob[] = []
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

export type Job = Pick<typeof jobs.$inferSelect, 'seq' | 'dueAtMs' | 'ref' | 'payload'>

export type DueJob = (Job & { kind: Exclude<JobKind, 'deliver'> }) | DueDelivery

/** A due delivery, with the fields that it needs from its event. Of these, only the address can change later. */
export interface DueDelivery extends Job {
  kind: 'deliver'
  eventSeq: number
  event: EventName
  url: string | null
  subjectId: string
  credentialSeq: number | null
  deliveryFaults: string | null
  /** Null if it was not read. */
  body: string | null
}

/** A job for display; `event` is null unless it delivers one. */
interface ScheduledJob extends Pick<Job, 'dueAtMs' | 'ref'> {
  kind: JobKind
  event: EventName | null
}

/** Payload of a manual redelivery: one attempt, outside the retry schedule. */
export const singleAttemptPayload = 'once'

const insert = inserter(jobs)
const dueUpTo = reader<DueJob>(`select j.seq, j.kind, j.due_at_ms as dueAtMs, j.ref, j.payload, e.seq as eventSeq,
  e.event, e.url, e.subject_id as subjectId, e.credential_seq as credentialSeq, e.delivery_faults as deliveryFaults, case when ? then e.body end as body
  from jobs j left join events e on j.kind = 'deliver' and e.id = j.ref
  where j.claimed = 0 and j.due_at_ms <= ? order by j.due_at_ms, j.seq limit ?`)
/** Scheduled jobs in order: up to a time, at most a number of them, from the row with a number. */
export const scheduledJobs = reader<ScheduledJob>(`select j.kind, j.due_at_ms as dueAtMs, j.ref, e.event from jobs j
  left join events e on j.kind = 'deliver' and e.id = j.ref
  where j.due_at_ms <= ? order by j.due_at_ms, j.seq limit ? offset ?`)
const countsUpTo = reader<{ kind: JobKind; count: number }>(
  'select kind, count(*) as count from jobs where due_at_ms <= ? group by kind',
)
const dueSeqs = reader<{ seq: number }>('select seq from jobs where claimed = 0 and due_at_ms <= ?')
/** When the next job is due, in epoch milliseconds. */
export const nextDueMs = valueReader<number | null>(
  'select due_at_ms as value from jobs where claimed = 0 order by due_at_ms, seq limit 1',
  null,
)
export const nextDueAfterMs = valueReader<number | null>(
  'select due_at_ms as value from jobs where claimed = 0 and due_at_ms > ? order by due_at_ms limit 1',
  null,
)
/** Includes jobs that a killed process had in flight. */
export const nextDueIncludingClaimedMs = valueReader<number | null>('select min(due_at_ms) as value from jobs', null)
export const nextDueOf = valueReader<number | null>(
  'select min(due_at_ms) as value from jobs where kind = ? and ref = ?',
  null,
)
export const countJobs = valueReader('select count(*) as value from jobs', 0)
export const lastJobNumber = lastSeqReader('jobs')
/** The jobs of an object, in the order in which they are due. */
export const jobsOf = reader<{ kind: JobKind; dueAtMs: number }>(
  'select kind, due_at_ms as dueAtMs from jobs where ref = ? order by due_at_ms, seq',
)
const deliveriesWaiting = reader<{ waiting: number; oldestDueAtMs: number | null }>(
  `select count(*) as waiting, min(case when due_at_ms <= ? then due_at_ms end) as oldestDueAtMs
  from jobs where kind = 'deliver'`,
)
const postponeOne = reader<{ seq: number }>(
  'update jobs set claimed = 0, due_at_ms = ?, payload = ? where seq = ? returning seq',
)
const oneUpTo = reader<{ seq: number }>('select seq from jobs where seq <= ? and claimed = 0 limit 1')
const one = reader<{ seq: number }>('select seq from jobs where seq = ? and claimed = 0')
const claimAll = runner('update jobs set claimed = 1 where seq in (select value from json_each(?))')
export const removeJob = runner('delete from jobs where seq = ?')
const removeOf = runner('delete from jobs where ref = ? and kind = ?')
const removeRetries = runner(
  `delete from jobs where ref = ? and kind = 'deliver' and (payload is null or payload <> '${singleAttemptPayload}')`,
)

/** Adds a job. The scheduler learns of it once the unit is committed. */
export function schedule(unit: Unit, kind: JobKind, dueAtMs: number, ref: string, payload: string | null = null): void {
  insert(unit.db, { seq: unit.ids.sequence('jobs'), claimed: false, kind, dueAtMs, ref, payload })
  unit.wakeAt(dueAtMs)
}

export function cancelJobs(unit: Unit, kind: JobKind, ref: string): void {
  removeOf(unit.db, ref, kind)
}

/** Deletes the retries of an acknowledged event; a manual redelivery stays. */
export function cancelRetries(unit: Unit, eventId: string): void {
  removeRetries(unit.db, eventId)
}

export const dueNumbers = (db: Db, atMs: number): number[] => dueSeqs(db, atMs).map(({ seq }) => seq)
/** Returns the first due jobs, in order; `withBodies` also reads the bodies of their events. */
export const dueJobs = (db: Db, atMs: number, limit: number, withBodies: boolean): DueJob[] =>
  dueUpTo(db, Number(withBodies), atMs, limit)
export const countJobsByKind = (db: Db, toMs: number): Partial<Record<JobKind, number>> =>
  Object.fromEntries(countsUpTo(db, toMs).map(({ kind, count }) => [kind, count]))
export const claimJobs = (db: Db, seqs: readonly number[]): void => claimAll(db, JSON.stringify(seqs))

/** Postpones a job; returns false if it was deleted meanwhile. */
export function postpone(unit: Unit, seq: number, dueAtMs: number, payload: string | null): boolean {
  const found = postponeOne(unit.db, dueAtMs, payload, seq)
  if (found.length === 0) return false
  unit.wakeAt(dueAtMs)
  return true
}

/** Makes jobs that a killed process had in flight pending again. */
export const releaseClaims = runner('update jobs set claimed = 0 where claimed = 1')

/** Looks up which jobs are still pending; jobs in flight do not count. */
export const pendingJobs = (db: Db): PendingJobs => ({
  has: (seq) => one(db, seq).length > 0,
  hasAnyUpTo: (seq) => oneUpTo(db, seq).length > 0,
})
/** Counts deliveries that are pending or in flight; `oldestDueAtMs` is null if none of them is due. */
export function waitingDeliveries(db: Db, atMs: number): { waiting: number; oldestDueAtMs: number | null } {
  return deliveriesWaiting(db, atMs)[0] ?? { waiting: 0, oldestDueAtMs: null }
}

interface SchedulerState {
  /** Sets the alarm earlier if the new job is due before it. */
  armEarlier(dueAtMs: number): void
  /** Replaces the alarm. With null no alarm is set. */
  arm(dueAtMs: number | null): void
  /** The advance that runs now. */
  advance: Advance | null
  /** Advances that are not over, in the order of the requests; they run one at a time. */
  readonly advances: Set<Advance>
  /** Settles, never rejects, when the last of them is over. */
  lastAdvance: Promise<unknown>
  /** The database failed, and that has been reported. */
  hasFailed: boolean
  /** A retry of the queue is scheduled. */
  retrying: boolean
}

export const schedulerState: WorkspaceSlot<SchedulerState> = { begin: ({ wake }) => createSchedulerState(wake) }

function createSchedulerState(wake: (atMs: number | null) => void): SchedulerState {
  let armedMs = Number.POSITIVE_INFINITY
  return {
    advance: null,
    advances: new Set(),
    lastAdvance: Promise.resolve(),
    hasFailed: false,
    retrying: false,
    armEarlier(dueAtMs) {
      if (dueAtMs >= armedMs) return
      armedMs = dueAtMs
      wake(dueAtMs)
    },
    arm(dueAtMs) {
      armedMs = dueAtMs ?? Number.POSITIVE_INFINITY
      wake(dueAtMs)
    },
  }
}

export const wakeEarlier = (ws: Workspace, dueAtMs: number): void => ws.state.of(schedulerState).armEarlier(dueAtMs)

/** Runs `work` for a job. If an advance owns the job, the jobs that it schedules belong to the advance too. */
export function runAndTrackNewJobs<T>({ advance }: SchedulerState, unit: Unit, jobSeq: number, work: () => T): T {
  if (advance === null || !advance.owns(jobSeq)) return work()
  const before = unit.ids.sequence('jobs')
  const value = work()
  for (let seq = unit.ids.sequence('jobs') - 1; seq > before; seq--) {
    advance.addJob(seq)
    // A rollback frees the job numbers, and the next jobs with these numbers may belong to another advance.
    unit.undo(() => advance.removeJob(seq))
  }
  return value
}
