/** The one table of things to come, and the only file that reads or writes it. */

import { sql } from 'drizzle-orm'
import type { JobKind } from '../../protocol/control/clock.js'
import type { EventName } from '../../protocol/platform/events.js'
import { type Db, reader, runner } from '../../store/db.js'
import { inserter } from '../../store/rows.js'
import { jobs } from '../../store/schema.js'
import type { Unit } from '../unit/unit.js'
import type { RoomSlot } from '../unit/workspace.js'
import type { Advance, PendingJobs } from './advance.js'

export type Job = Pick<typeof jobs.$inferSelect, 'seq' | 'dueAtMs' | 'ref' | 'payload'>

/** A job that is due. */
export type DueJob = (Job & { kind: Exclude<JobKind, 'deliver'> }) | DueDelivery

/** With what a delivery needs to know of its event; none of it changes but the address. */
export interface DueDelivery extends Job {
  kind: 'deliver'
  eventSeq: number
  event: EventName
  url: string | null
  subjectId: string
  credentialSeq: number | null
  treatment: string | null
  /** null where it was not asked for. */
  body: string | null
}

/** A delivery with this payload is one attempt outside the ladder (by hand). */
export const onceOnly = 'once'

const insert = inserter(jobs)
const dueUpTo = reader<DueJob>(`select j.seq, j.kind, j.due_at_ms as dueAtMs, j.ref, j.payload, e.seq as eventSeq,
  e.event, e.url, e.subject_id as subjectId, e.credential_seq as credentialSeq, e.treatment, case when ? then e.body end as body
  from jobs j left join events e on j.kind = 'deliver' and e.id = j.ref
  where j.claimed = 0 and j.due_at_ms <= ? order by j.due_at_ms, j.seq limit ?`)
const dueSeqs = reader<{ seq: number }>('select seq from jobs where claimed = 0 and due_at_ms <= ?')
const earliest = reader<{ dueAtMs: number }>(
  'select due_at_ms as dueAtMs from jobs where claimed = 0 order by due_at_ms, seq limit 1',
)
const earliestAfter = reader<{ dueAtMs: number }>(
  'select due_at_ms as dueAtMs from jobs where claimed = 0 and due_at_ms > ? order by due_at_ms limit 1',
)
const earliestOf = reader<{ dueAtMs: number | null }>(
  'select min(due_at_ms) as dueAtMs from jobs where ref = ? and kind = ?',
)
const postponeOne = reader<{ seq: number }>(
  'update jobs set claimed = 0, due_at_ms = ?, payload = ? where seq = ? returning seq',
)
const oneUpTo = reader<{ seq: number }>('select seq from jobs where seq <= ? and claimed = 0 limit 1')
const one = reader<{ seq: number }>('select seq from jobs where seq = ? and claimed = 0')
const newest = reader<{ seq: number }>('select seq from jobs order by seq desc limit 1')
const claimAll = runner('update jobs set claimed = 1 where seq in (select value from json_each(?))')
const removeOne = runner('delete from jobs where seq = ?')
const removeOf = runner('delete from jobs where ref = ? and kind = ?')
const removeLadder = runner(
  `delete from jobs where ref = ? and kind = 'deliver' and (payload is null or payload <> '${onceOnly}')`,
)

/** Puts a job into the queue; the scheduler hears of it once the unit is committed. */
export function schedule(unit: Unit, kind: JobKind, dueAtMs: number, ref: string, payload: string | null = null): void {
  insert(unit.db, { seq: unit.ids.sequence('jobs'), claimed: false, kind, dueAtMs, ref, payload })
  unit.wakeAt(dueAtMs)
}

/** Takes the jobs of an object out again, because what they were for has happened otherwise. */
export function cancelJobs(unit: Unit, kind: JobKind, ref: string): void {
  removeOf(unit.db, ref, kind)
}

/** Takes out the retries of an event that has been acknowledged; a delivery asked for by hand stays. */
export function cancelRetries(unit: Unit, eventId: string): void {
  removeLadder(unit.db, eventId)
}

/** The numbers of all that are due at that moment. */
export const dueNumbers = (db: Db, atMs: number): number[] => dueSeqs(db, atMs).map(({ seq }) => seq)
/** The first of those, in order; `withBodies` reads the bodies of their events along with them. */
export const dueJobs = (db: Db, atMs: number, limit: number, withBodies: boolean): DueJob[] =>
  dueUpTo(db, Number(withBodies), atMs, limit)
export const claimJobs = (db: Db, seqs: readonly number[]): void => claimAll(db, JSON.stringify(seqs))
export const removeJob = (db: Db, seq: number): void => removeOne(db, seq)

/** The same job again, later; false where it has been taken out meanwhile. */
export function postpone(unit: Unit, seq: number, dueAtMs: number, payload: string | null): boolean {
  const found = postponeOne(unit.db, dueAtMs, payload, seq)
  if (found.length === 0) return false
  unit.wakeAt(dueAtMs)
  return true
}

/** What a killed process had taken in flight is to be done again. */
export const releaseClaims = runner('update jobs set claimed = 0 where claimed = 1')

/** When the next job is due, epoch milliseconds, or null. */
export const nextDueMs = (db: Db): number | null => earliest(db)[0]?.dueAtMs ?? null
/** Those included that a killed process had taken in flight. */
export const soonestJobMs = (db: Db): number | null =>
  db.orm.get<{ dueAtMs: number | null }>(sql`select min(${jobs.dueAtMs}) as dueAtMs from ${jobs}`).dueAtMs
export const nextDueAfterMs = (db: Db, atMs: number): number | null => earliestAfter(db, atMs)[0]?.dueAtMs ?? null
export const nextDueOf = (db: Db, kind: JobKind, ref: string): number | null =>
  earliestOf(db, ref, kind)[0]?.dueAtMs ?? null
/** Which jobs are still to come; those in flight do not count. */
export const pendingJobs = (db: Db): PendingJobs => ({
  has: (seq) => one(db, seq).length > 0,
  hasUpTo: (seq) => oneUpTo(db, seq).length > 0,
})
export const lastJobNumber = (db: Db): number => newest(db)[0]?.seq ?? 0
export const countJobs = (db: Db): number =>
  db.orm.get<{ count: number }>(sql`select count(*) as count from ${jobs}`).count

export interface SchedulerState {
  /** A job is due at that moment: wakes earlier if need be. */
  nudge(dueAtMs: number): void
  /** Forgets what was armed, and arms this (null: nothing). */
  arm(dueAtMs: number | null): void
  /** The advance that moves the clock now. */
  advance: Advance | null
  /** Those that are not over, in the order in which they were asked for: they run one after the other. */
  readonly advances: Set<Advance>
  /** Settles, without an error, when the last of them is over. */
  lastAdvance: Promise<unknown>
  /** The store refused, and that has been told. */
  refused: boolean
  /** The queue is to be tried again in a moment. */
  retrying: boolean
}

export const scheduler: RoomSlot<SchedulerState> = { begin: ({ wake }) => createSchedulerState(wake) }

function createSchedulerState(wake: (atMs: number | null) => void): SchedulerState {
  let armedMs = Number.POSITIVE_INFINITY
  return {
    advance: null,
    advances: new Set(),
    lastAdvance: Promise.resolve(),
    refused: false,
    retrying: false,
    nudge(dueAtMs) {
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

/** Does what that job is for: what it puts into the queue belongs to the advance if the job does. */
export function causedBy<T>({ advance }: SchedulerState, unit: Unit, jobSeq: number, work: () => T): T {
  if (advance === null || !advance.owns(jobSeq)) return work()
  const before = unit.ids.sequence('jobs')
  const value = work()
  for (let seq = unit.ids.sequence('jobs') - 1; seq > before; seq--) {
    advance.take(seq)
    // A unit that is undone gives its numbers back, and the next job to bear one may be another's.
    unit.undo(() => advance.drop(seq))
  }
  return value
}
