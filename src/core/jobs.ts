/** The one table of things to come, and the only file that reads or writes it. */
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm'
import { appender, type Db, prepared } from '../store/db.js'
import { jobs } from '../store/schema.js'
import type { Unit } from './workspace.js'

export type Job = typeof jobs.$inferSelect
export type JobKind = 'expire' | 'settle' | 'deadline' | 'deliver' | 'scenario'

const append = appender(jobs)
const waiting = eq(jobs.claimed, sql`0`)
const dueUpTo = prepared((orm) =>
  orm
    .select()
    .from(jobs)
    .where(and(waiting, lte(jobs.dueAtMs, sql.placeholder('atMs'))))
    .orderBy(asc(jobs.dueAtMs), asc(jobs.seq))
    .limit(sql.placeholder('limit'))
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
const claim = prepared((orm) =>
  orm
    .update(jobs)
    .set({ claimed: true })
    .where(eq(jobs.seq, sql.placeholder('seq')))
    .prepare(),
)
const removeOne = prepared((orm) =>
  orm
    .delete(jobs)
    .where(eq(jobs.seq, sql.placeholder('seq')))
    .prepare(),
)
const removeOf = prepared((orm) =>
  orm
    .delete(jobs)
    .where(and(eq(jobs.ref, sql.placeholder('ref')), eq(jobs.kind, sql.placeholder('kind'))))
    .prepare(),
)

/** Puts a job into the queue; the scheduler hears of it once the unit is committed. */
export function schedule(unit: Unit, kind: JobKind, dueAtMs: number, ref: string, payload: string | null = null): void {
  append(unit.db, { claimed: false, kind, dueAtMs, ref, payload })
  unit.after(() => unit.ws.scheduler.nudge(dueAtMs))
}

/** Takes the jobs of an object out again, because what they were for has happened otherwise. */
export function cancelJobs(unit: Unit, kind: JobKind, ref: string): void {
  removeOf(unit.db).run({ kind, ref })
}

export const dueJobs = (db: Db, atMs: number, limit: number): Job[] => dueUpTo(db).all({ atMs, limit })
export const claimJob = (db: Db, seq: number): void => void claim(db).run({ seq })
export const removeJob = (db: Db, seq: number): void => void removeOne(db).run({ seq })

/** The same job again, later. */
export function postpone(unit: Unit, seq: number, dueAtMs: number, payload: string | null): void {
  unit.db.orm.update(jobs).set({ claimed: false, dueAtMs, payload }).where(eq(jobs.seq, seq)).run()
  unit.after(() => unit.ws.scheduler.nudge(dueAtMs))
}

/** What a killed process had taken in hand is to be done again. */
export function releaseClaims(db: Db): void {
  db.exec('update jobs set claimed = 0 where claimed = 1')
}

/** When the next job is due, epoch milliseconds, or null. */
export const nextDueMs = (db: Db): number | null => earliest(db).get()?.dueAtMs ?? null
export const nextDueAfterMs = (db: Db, atMs: number): number | null => after(db).get({ atMs })?.dueAtMs ?? null
export const nextDueOf = (db: Db, kind: JobKind, ref: string): number | null =>
  db.orm
    .select({ dueAtMs: jobs.dueAtMs })
    .from(jobs)
    .where(and(eq(jobs.ref, ref), eq(jobs.kind, kind)))
    .orderBy(asc(jobs.dueAtMs))
    .limit(1)
    .get()?.dueAtMs ?? null
export const countJobs = (db: Db): number =>
  db.orm.get<{ count: number }>(sql`select count(*) as count from ${jobs}`).count
