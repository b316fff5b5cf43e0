/**
 * Faults that a scenario adds to a call (replaced, late or dropped response) or to the delivery of events (late,
 * duplicated, reordered, tampered).
 */

import { and, asc, eq, sql } from 'drizzle-orm'
import { errorCatalogue } from '../../protocol/platform/errors.js'
import { webhookHeaders } from '../../protocol/platform/headers.js'
import { reorderHoldMs } from '../../protocol/platform/limits.js'
import type { DeliveryFaults } from '../../protocol/scenario/steps.js'
import type { WebhookFault } from '../../protocol/settings/chaos-faults.js'
import { reader } from '../../store/db.js'
import { finder } from '../../store/rows.js'
import { deliveryFaultRows, events } from '../../store/schema.js'
import { storedJson } from '../../store/stored-json.js'
import { clearRowCache, getOrCacheRow } from '../../store/unit-of-work.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import type { Unit } from '../unit/unit.js'

/** The faults that a scenario injects into a call. */
export interface CallFaults {
  respond: InjectedResponse | null
  latencyMs: number
  disconnect: 'before' | 'after' | null
  deliveryFaults: DeliveryFaults | null
}

export interface InjectedResponse {
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

/** Completes a scenario's response: the status of a known code, or a code for a status. */
export function respondOf(step: RespondStep, scenario: string): InjectedResponse {
  const rows = Object.entries(errorCatalogue)
  const known = step.code === undefined ? undefined : rows.find(([code]) => code === step.code)?.[1]
  const status = step.status ?? known?.status ?? 500
  const code = step.code ?? rows.find(([, row]) => row.status === status)?.[0] ?? 'INTERNAL_ERROR'
  const message =
    step.message ?? (step.code === undefined ? undefined : known?.message) ?? `Answered by the scenario ${scenario}.`
  return { status, code, message, details: step.details ?? {} }
}

/** Applies the delivery faults to every event that `work` emits. */
export function withDeliveryFaults<T>(unit: Unit, deliveryFaults: DeliveryFaults | null, work: () => T): T {
  const before = unit.deliveryFaults
  unit.deliveryFaults = deliveryFaults ?? before
  try {
    return work()
  } finally {
    unit.deliveryFaults = before
  }
}

const faultsBySubject = finder(deliveryFaultRows, 'where subject_id = ?')
const anyDeliveryFaults = reader<{ one: number }>('select 1 as one from delivery_faults limit 1')

/** Sets how later events of an object are delivered. With null, they are delivered as documented. */
export function setDeliveryFaults(unit: Unit, subjectId: string, deliveryFaults: DeliveryFaults | null): void {
  if (deliveryFaults === null)
    unit.db.orm.delete(deliveryFaultRows).where(eq(deliveryFaultRows.subjectId, subjectId)).run()
  else
    unit.db.orm
      .insert(deliveryFaultRows)
      .values({ subjectId, deliveryFaults })
      .onConflictDoUpdate({ target: deliveryFaultRows.subjectId, set: { deliveryFaults } })
      .run()
  clearRowCache(unit.db)
}

export function deliveryFaultsFor(unit: Unit, subjectId: string): DeliveryFaults | null {
  if (unit.deliveryFaults !== null) return unit.deliveryFaults
  // Hardly any sandbox has one, so most events skip the query.
  const some = getOrCacheRow(unit.db, 'delivery faults', () => anyDeliveryFaults(unit.db).length > 0)
  return some ? (faultsBySubject(unit.db, subjectId)?.deliveryFaults ?? null) : null
}

/** Schedules the first attempt of an event, at the time and in the order of the deliveryFaults. */
export function scheduleFirst(unit: Unit, event: HeldEvent, deliveryFaults: DeliveryFaults): void {
  const dueAtMs = unit.atMs + (deliveryFaults.delay ?? 0)
  const older = deliveryFaults.reorder === true ? findHeldEvent(unit, event.subjectId, event.id) : undefined
  const isHeld = deliveryFaults.reorder === true && older === undefined
  deliverAt(unit, event, isHeld ? dueAtMs + reorderHoldMs : dueAtMs)
  if (older === undefined) return
  // Scheduled after the newer one: jobs due at the same time run in the order of their creation.
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

/** Returns the oldest event of the object that is held until a newer event overtakes it. `newId` is the newer event. */
export function findHeldEvent(unit: Unit, subjectId: string, newId = ''): { id: string; seq: number } | undefined {
  return unit.db.orm
    .select({ id: events.id, seq: events.seq })
    .from(events)
    .where(
      and(
        eq(events.subjectId, subjectId),
        eq(events.status, 'pending'),
        eq(events.attempts, 0),
        sql`${events.nextAttemptAtMs} > ${unit.atMs}`,
        sql`${events.id} <> ${newId}`,
        sql`json_extract(${events.deliveryFaults}, '$.reorder') = 1`,
      ),
    )
    .orderBy(asc(events.seq))
    .limit(1)
    .get()
}

/** The deliveryFaults of an event, with the faults that chaos chose for it. */
interface StoredDeliveryFaults extends DeliveryFaults {
  chaos?: readonly WebhookFault[]
}
/** Returns the delivery faults that applied when the event was emitted. */
/** Returns the deliveryFaults that was set when the event was emitted. */
export function deliveryFaultsOf(event: { deliveryFaults: string | null }): StoredDeliveryFaults | null {
  return event.deliveryFaults === null ? null : storedJson<StoredDeliveryFaults>(event.deliveryFaults)
}

const acknowledgements = reader<{ count: number }>(
  "select count(*) as count from attempts where event_seq = ? and outcome = 'ok'",
)

/**
 * Returns whether a scenario wants another delivery of an event that was just acknowledged. Called before that attempt
 * is recorded.
 */
export function owesDuplicate(unit: Unit, event: { eventSeq: number; deliveryFaults: string | null }): boolean {
  const copies = deliveryFaultsOf(event)?.duplicate ?? 1
  return copies > 1 && (acknowledgements(unit.db, event.eventSeq)[0]?.count ?? 0) + 1 < copies
}

interface Outgoing {
  headers: Record<string, string>
  body: string
}

/** Changes a webhook as an attacker or a broken proxy would. */
export function tamper(request: Outgoing, deliveryFaults: DeliveryFaults | null): Outgoing {
  const { headers, body } = request
  if (deliveryFaults?.tamper === 'body') return { headers, body: body.replace(/\}\s*$/, ',"tampered":true}') }
  if (deliveryFaults?.tamper === 'signature') {
    const signature = headers[webhookHeaders.signature] ?? ''
    const last = signature.at(-1) === '0' ? '1' : '0'
    return { headers: { ...headers, [webhookHeaders.signature]: signature.slice(0, -1) + last }, body }
  }
  if (deliveryFaults?.tamper === 'timestamp') {
    const stale = Number(headers[webhookHeaders.timestamp] ?? 0) - 3600
    return { headers: { ...headers, [webhookHeaders.timestamp]: String(stale) }, body }
  }
  return request
}
