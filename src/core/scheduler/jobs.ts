/** The one table of things to come, and the only file that reads or writes it. */
import { and, asc, eq, getTableColumns, gt, lte, sql } from 'drizzle-orm'
import type { JobKind } from '../../protocol/control/clock.js'
import { type Db, inserter, prepared, runner } from '../../store/db.js'
import { events, jobs } from '../../store/schema.js'
import type { Unit } from '../workspace/unit.js'

export type Job = typeof jobs.$inferSelect
/** One that is due; of a delivery also the event and where it goes. */
export type DueJob = Job & { eventSeq: number | null; url: string | null; subjectId: string | null }

/** A delivery with this payload is one attempt outside the ladder (by hand). */
export const onceOnly = 'once'

const insert = inserter(jobs)
const waiting = eq(jobs.claimed, sql`0`)
const dueUpTo = prepared((orm) =>
  orm
    .select({ ...getTableColumns(jobs), eventSeq: events.seq, url: events.url, subjectId: events.subjectId })
    .from(jobs)
    .leftJoin(events, and(eq(jobs.kind, sql`'deliver'`), eq(events.id, jobs.ref)))
    .where(and(waiting, lte(jobs.dueAtMs, sql.placeholder('atMs'))))
    .orderBy(asc(jobs.dueAtMs), asc(jobs.seq))
    .limit(sql.placeholder('limit'))
    .prepare(),
)
const dueSeqs = prepared((orm) =>
  orm
    .select({ seq: jobs.seq })
    .from(jobs)
    .where(and(waiting, lte(jobs.dueAtMs, sql.placeholder('atMs'))))
    .prepare(),
)
const earliest = prepared((orm) =>
  orm
    .select({ dueAtMs: jobs.dueAtMs })
    .from(jobs)
    .where(waiting)
    .orderBy(asc(jobs.dueAtMs), asc(jobs.seq))
    .limit(1)
    .prepare(),
)
const after = prepared((orm) =>
  orm
    .select({ dueAtMs: jobs.dueAtMs })
    .from(jobs)
    .where(and(waiting, gt(jobs.dueAtMs, sql.placeholder('atMs'))))
    .orderBy(asc(jobs.dueAtMs))
    .limit(1)
    .prepare(),
)
const earliestOf = prepared((orm) =>
  orm
    .select({ dueAtMs: sql<number | null>`min(${jobs.dueAtMs})` })
    .from(jobs)
    .where(and(eq(jobs.ref, sql.placeholder('ref')), eq(jobs.kind, sql.placeholder('kind'))))
    .prepare(),
)
const postponeOne = prepared((orm) =>
  orm
    .update(jobs)
    .set({
      claimed: false,
      dueAtMs: sql`${sql.placeholder('dueAtMs')}`,
      payload: sql`${sql.placeholder('payload')}`,
    })
    .where(eq(jobs.seq, sql.placeholder('seq')))
    .returning({ seq: jobs.seq })
    .prepare(),
)
const claim = runner('update jobs set claimed = 1 where seq = ?')
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
export const dueNumbers = (db: Db, atMs: number): number[] =>
  dueSeqs(db)
    .all({ atMs })
    .map(({ seq }) => seq)
export const dueJobs = (db: Db, atMs: number, limit: number): DueJob[] => dueUpTo(db).all({ atMs, limit })
export const claimJob = (db: Db, seq: number): void => claim(db, seq)
export const removeJob = (db: Db, seq: number): void => removeOne(db, seq)

/** The same job again, later; false where it has been taken out meanwhile. */
export function postpone(unit: Unit, seq: number, dueAtMs: number, payload: string | null): boolean {
  const found = postponeOne(unit.db).all({ seq, dueAtMs, payload })
  if (found.length === 0) return false
  unit.wakeAt(dueAtMs)
  return true
}

/** What a killed process had taken in hand is to be done again. */
export function releaseClaims(db: Db): void {
  db.orm.update(jobs).set({ claimed: false }).where(eq(jobs.claimed, true)).run()
}

/** When the next job is due, epoch milliseconds, or null. */
export const nextDueMs = (db: Db): number | null => earliest(db).get()?.dueAtMs ?? null
export const nextDueAfterMs = (db: Db, atMs: number): number | null => after(db).get({ atMs })?.dueAtMs ?? null
export const nextDueOf = (db: Db, kind: JobKind, ref: string): number | null =>
  earliestOf(db).get({ kind, ref })?.dueAtMs ?? null
export const countJobs = (db: Db): number =>
  db.orm.get<{ count: number }>(sql`select count(*) as count from ${jobs}`).count
