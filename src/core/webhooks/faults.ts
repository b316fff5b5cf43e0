/** What a scenario does to a call and to the delivery of events: answers of its own, late, lost, doubled, reordered and tampered ones. */

import { and, asc, eq, sql } from 'drizzle-orm'
import { errorCatalogue } from '../../protocol/platform/errors.js'
import { webhookHeaders } from '../../protocol/platform/headers.js'
import { reorderHoldMs } from '../../protocol/platform/limits.js'
import type { Treatment } from '../../protocol/scenario/steps.js'
import { reader } from '../../store/db.js'
import { finder } from '../../store/rows.js'
import { events, treatments } from '../../store/schema.js'
import { storedJson } from '../../store/stored-json.js'
import { cachedRow, forgetRows } from '../../store/unit-of-work.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import type { Unit } from '../unit/unit.js'

/** What happens to a call that was caught. */
export interface CallFaults {
  respond: Respond | null
  latencyMs: number
  disconnect: 'before' | 'after' | null
  treatment: Treatment | null
}

export interface Respond {
  status: number
  code: string
  message: string
  details: Record<string, unknown>
}

interface RespondStep {
  status?: number | undefined
  code?: string | undefined
  message?: string | undefined
  details?: Record<string, unknown> | undefined
}

/** Fills in what a scenario left out: the status of a known code, a code for a status. */
export function respondOf(asked: RespondStep, scenario: string): Respond {
  const rows = Object.entries(errorCatalogue)
  const known = asked.code === undefined ? undefined : rows.find(([code]) => code === asked.code)?.[1]
  const status = asked.status ?? known?.status ?? 500
  const code = asked.code ?? rows.find(([, row]) => row.status === status)?.[0] ?? 'INTERNAL_ERROR'
  const message =
    asked.message ?? (asked.code === undefined ? undefined : known?.message) ?? `Answered by the scenario ${scenario}.`
  return { status, code, message, details: asked.details ?? {} }
}

/** Every event that `work` emits is delivered so. */
export function withTreatment<T>(unit: Unit, treatment: Treatment | null, work: () => T): T {
  const before = unit.treatment
  unit.treatment = treatment ?? before
  try {
    return work()
  } finally {
    unit.treatment = before
  }
}

const treatmentBySubject = finder(treatments, 'where subject_id = ?')
const anyTreatment = reader<{ one: number }>('select 1 as one from treatments limit 1')

/** How the events of an object are delivered from here on; null: as documented. */
export function setTreatment(unit: Unit, subjectId: string, treatment: Treatment | null): void {
  if (treatment === null) unit.db.orm.delete(treatments).where(eq(treatments.subjectId, subjectId)).run()
  else
    unit.db.orm
      .insert(treatments)
      .values({ subjectId, treatment })
      .onConflictDoUpdate({ target: treatments.subjectId, set: { treatment } })
      .run()
  forgetRows(unit.db)
}

export function treatmentFor(unit: Unit, subjectId: string): Treatment | null {
  if (unit.treatment !== null) return unit.treatment
  // Hardly any sandbox has one: most events need not ask for theirs.
  const some = cachedRow(unit.db, 'treatments', () => anyTreatment(unit.db).length > 0)
  return some ? (treatmentBySubject(unit.db, subjectId)?.treatment ?? null) : null
}

/** How long an event waits to be overtaken by the next one of its object. */

/** Puts the first attempt of an event into the queue, when and in the order that the treatment wants. */
export function scheduleFirst(unit: Unit, event: HeldEvent, treatment: Treatment): void {
  const dueAtMs = unit.atMs + (treatment.delay ?? 0)
  const older = treatment.reorder === true ? heldBack(unit, event) : undefined
  const isHeld = treatment.reorder === true && older === undefined
  deliverAt(unit, event, isHeld ? dueAtMs + reorderHoldMs : dueAtMs)
  if (older === undefined) return
  // Queued behind the newer one: jobs of one moment run in the order in which they were made.
  cancelJobs(unit, 'deliver', older.id)
  schedule(unit, 'deliver', dueAtMs, older.id)
  setNextAttempt(unit, older.seq, dueAtMs)
}

interface HeldEvent {
  seq: number
  id: string
  subjectId: string
}

function deliverAt(unit: Unit, event: HeldEvent, dueAtMs: number): void {
  schedule(unit, 'deliver', dueAtMs, event.id)
  if (dueAtMs !== unit.atMs) setNextAttempt(unit, event.seq, dueAtMs)
}

function setNextAttempt(unit: Unit, seq: number, nextAttemptAtMs: number): void {
  unit.db.orm.update(events).set({ nextAttemptAtMs }).where(eq(events.seq, seq)).run()
}

function heldBack(unit: Unit, event: HeldEvent): { id: string; seq: number } | undefined {
  return unit.db.orm
    .select({ id: events.id, seq: events.seq })
    .from(events)
    .where(
      and(
        eq(events.subjectId, event.subjectId),
        eq(events.status, 'pending'),
        eq(events.attempts, 0),
        sql`${events.nextAttemptAtMs} > ${unit.atMs}`,
        sql`${events.id} <> ${event.id}`,
        sql`json_extract(${events.treatment}, '$.reorder') = 1`,
      ),
    )
    .orderBy(asc(events.seq))
    .limit(1)
    .get()
}

/** What the event itself was told when it happened. */
export function treatmentOf(event: { treatment: string | null }): Treatment | null {
  return event.treatment === null ? null : storedJson<Treatment>(event.treatment)
}

const acknowledgements = reader<{ count: number }>(
  "select count(*) as count from attempts where event_seq = ? and outcome = 'ok'",
)

/** Whether a scenario wants an event that has just been acknowledged to arrive again; asked before that attempt is recorded. */
export function owesDuplicate(unit: Unit, event: { eventSeq: number; treatment: string | null }): boolean {
  const wanted = treatmentOf(event)?.duplicate ?? 1
  return wanted > 1 && (acknowledgements(unit.db, event.eventSeq)[0]?.count ?? 0) + 1 < wanted
}

interface Outgoing {
  headers: Record<string, string>
  body: string
}

/** A webhook as an attacker, or a broken proxy, would hand it on. */
export function tampered(request: Outgoing, treatment: Treatment | null): Outgoing {
  const { headers, body } = request
  if (treatment?.tamper === 'body') return { headers, body: body.replace(/\}\s*$/, ',"tampered":true}') }
  if (treatment?.tamper === 'signature') {
    const signature = headers[webhookHeaders.signature] ?? ''
    const last = signature.at(-1) === '0' ? '1' : '0'
    return { headers: { ...headers, [webhookHeaders.signature]: signature.slice(0, -1) + last }, body }
  }
  if (treatment?.tamper === 'timestamp') {
    const stale = Number(headers[webhookHeaders.timestamp] ?? 0) - 3600
    return { headers: { ...headers, [webhookHeaders.timestamp]: String(stale) }, body }
  }
  return request
}
