/**
 * Faults that a scenario or chaos adds to a call (replaced, late or dropped response) or to the delivery of events
 * (late, duplicated, reordered, tampered).
 */
import { sha256Hex } from '../../base/crypto.js'
import { parseDuration } from '../../base/duration.js'
import { keysOf } from '../../base/keys.js'
import type { WebhookVerdict } from '../../protocol/control/webhooks.js'
import { errorCatalogue } from '../../protocol/platform/errors.js'
import type { EventName } from '../../protocol/platform/events.js'
import { webhookHeaders } from '../../protocol/platform/headers.js'
import { reorderHoldMs } from '../../protocol/platform/limits.js'
import type { DeliveryFaults } from '../../protocol/scenario/steps.js'
import {
  type Chaos,
  type ChaosFault,
  chaosFaultNames,
  chaosSchema,
  parsePercentage,
  type TimedFault,
  type WebhookFault,
  webhookFaults,
} from '../../protocol/settings/chaos.js'
import { storedJson } from '../../store/columns.js'
import { type Db, reader, readMeta, runner, valueReader, writeMeta } from '../../store/db.js'
import { finder, upserter } from '../../store/rows.js'
import { deliveryFaultRows } from '../../store/schema.js'
import { clearRowCache, getOrCacheRow } from '../../store/unit-of-work.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import type { MemorySlot, Unit } from '../unit/unit.js'

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

/** Completes an injected response: the status of a known code, or a code for a status. `scenario` is for a message of an unknown code. */
export function respondOf(step: RespondStep, scenario = ''): InjectedResponse {
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
const putFaults = upserter(deliveryFaultRows)
const removeFaults = runner('delete from delivery_faults where subject_id = ?')
const anyDeliveryFaults = reader<{ one: number }>('select 1 as one from delivery_faults limit 1')

/** Sets how later events of an object are delivered. With null, they are delivered as documented. */
export function setDeliveryFaults(unit: Unit, subjectId: string, deliveryFaults: DeliveryFaults | null): void {
  if (deliveryFaults === null) removeFaults(unit.db, subjectId)
  else putFaults(unit.db, { subjectId, deliveryFaults })
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
  setNextAttempt(unit.db, dueAtMs, older.seq)
}

interface HeldEvent {
  seq: number
  id: string
  subjectId: string
}

function deliverAt(unit: Unit, event: HeldEvent, dueAtMs: number): void {
  schedule(unit, 'deliver', dueAtMs, event.id)
  if (dueAtMs !== unit.atMs) setNextAttempt(unit.db, dueAtMs, event.seq)
}

const setNextAttempt = runner('update events set next_attempt_at_ms = ? where seq = ?')
const heldEvents = reader<{
  id: string
  seq: number
}>(`select id, seq from events where subject_id = ? and status = 'pending'
  and attempts = 0 and next_attempt_at_ms > ? and id <> ? and json_extract(delivery_faults, '$.reorder') = 1 order by seq limit 1`)

/** Returns the oldest event of the object that is held until a newer event overtakes it. `newId` is the newer event. */
const findHeldEvent = (unit: Unit, subjectId: string, newId = ''): { id: string; seq: number } | undefined =>
  heldEvents(unit.db, subjectId, unit.atMs, newId)[0]

/** The deliveryFaults of an event, with the faults that chaos chose for it. */
interface StoredDeliveryFaults extends DeliveryFaults {
  chaos?: readonly WebhookFault[]
}

/** Returns the delivery faults that applied when the event was emitted. */
export function deliveryFaultsOf(event: { deliveryFaults: string | null }): StoredDeliveryFaults | null {
  return event.deliveryFaults === null ? null : storedJson<StoredDeliveryFaults>(event.deliveryFaults)
}

const acknowledgements = valueReader("select count(*) as value from attempts where event_seq = ? and outcome = 'ok'", 0)

/**
 * Returns whether a scenario wants another delivery of an event that was just acknowledged. Called before that attempt
 * is recorded.
 */
export function owesDuplicate(unit: Unit, event: { eventSeq: number; deliveryFaults: string | null }): boolean {
  const copies = deliveryFaultsOf(event)?.duplicate ?? 1
  return copies > 1 && acknowledgements(unit.db, event.eventSeq) + 1 < copies
}

interface Outgoing {
  headers: Record<string, string>
  body: string
}

/** What a scenario alters in an attempt. A manual redelivery is meant to arrive, so it is never altered. */
export const tamperOf = (event: { deliveryFaults: string | null }, isManual: boolean): DeliveryFaults['tamper'] =>
  isManual ? undefined : deliveryFaultsOf(event)?.tamper

/** What the status says of a receiver that got an altered event. No response and an error of the receiver say nothing. */
const verdictStatuses = {
  wrongly_accepted: [200, 299],
  rightly_refused: [400, 499],
} as const satisfies Record<WebhookVerdict, readonly [least: number, most: number]>

/** What a receiver did with an attempt, if a scenario altered it. */
export function verdictOf(
  event: { deliveryFaults: string | null },
  attempt: { status: number | null; manual: boolean } | undefined,
): WebhookVerdict | undefined {
  if (attempt === undefined || tamperOf(event, attempt.manual) === undefined) return undefined
  const status = attempt.status ?? 0
  return keysOf(verdictStatuses).find((verdict) => {
    const [least, most] = verdictStatuses[verdict]
    return status >= least && status <= most
  })
}

const verdictCases = Object.entries(verdictStatuses).map(
  ([verdict, [least, most]]) => `when a.status between ${least} and ${most} then '${verdict}'`,
)
/** The same, of the last attempt of a row of `events`. */
export const verdictSql = `case when instr(events.delivery_faults, '"tamper":') then (
  select case when a.manual then null ${verdictCases.join(' ')} end
  from attempts a where a.event_seq = events.seq order by a.seq desc limit 1) end`

/** Altered events have no index, so only this many of the newest events are looked at. */
export const judgedEvents = 2000
export const isJudgedSql = `events.seq > (select max(seq) from events) - ${judgedEvents}`

/** Changes a webhook as an attacker or a broken proxy would. */
export function tamper(request: Outgoing, part: DeliveryFaults['tamper']): Outgoing {
  const { headers, body } = request
  if (part === 'body') return { headers, body: body.replace(/\}\s*$/, ',"tampered":true}') }
  if (part === 'signature') {
    const signature = headers[webhookHeaders.signature] ?? ''
    const last = signature.at(-1) === '0' ? '1' : '0'
    return { headers: { ...headers, [webhookHeaders.signature]: signature.slice(0, -1) + last }, body }
  }
  if (part === 'timestamp') {
    const stale = Number(headers[webhookHeaders.timestamp] ?? 0) - 3600
    return { headers: { ...headers, [webhookHeaders.timestamp]: String(stale) }, body }
  }
  return request
}

// Chaos: random faults that are the same for the same seed. A fault depends on the call or webhook itself, never on a
// shared sequence.

export interface ActiveChaos {
  seed: string
  /** Probabilities from 0 to 1, by fault. */
  shares: Readonly<Record<ChaosFault, number>>
  durationsMs: Readonly<Record<TimedFault, number>>
  /** Ids of the faults that may happen; null: all. */
  only: ReadonlySet<string> | null
}

/** What a fault happens to. */
interface FaultTarget {
  /** `POST /v2/transactions/cashin`, or the name of the event. */
  target: string
  external_id: string | null
  /** Which of the equal calls or events, from 1. */
  count: number
}

interface ChaosState {
  chaos: Chaos
  /** null if no fault has a share. */
  active: ActiveChaos | null
  /** Number of equal calls so far, by a hash of what makes them equal. */
  calls: Map<string, number>
}

export const chaosState: MemorySlot<ChaosState> = { begin: ({ db }) => stateOf(storedChaos(db)) }

const metaKey = 'chaos'

function storedChaos(db: Db): Chaos {
  const stored = readMeta(db, metaKey)
  // Most databases contain none; making the schema took 5 % of an isolated test.
  if (stored === undefined) return {}
  // An imported snapshot can contain anything.
  const parsed = chaosSchema().safeParse(storedJson(stored))
  return parsed.success ? parsed.data : {}
}

const stateOf = (chaos: Chaos): ChaosState => ({ chaos, active: activeOf(chaos), calls: new Map() })

function activeOf(chaos: Chaos): ActiveChaos | null {
  const shares = { error: 0, dropped_response: 0, reset: 0, slow: 0, duplicate: 0, reorder: 0, late: 0 }
  for (const name of chaosFaultNames) {
    const fault = chaos[name]
    shares[name] = parsePercentage((typeof fault === 'object' ? fault.share : fault) ?? '0%') ?? 0
  }
  if (Object.values(shares).every((share) => share === 0)) return null
  const durationsMs = { slow: parseDuration(chaos.slow?.by ?? 0) ?? 0, late: parseDuration(chaos.late?.by ?? 0) ?? 0 }
  return { seed: chaos.seed ?? '', shares, durationsMs, only: chaos.only === undefined ? null : new Set(chaos.only) }
}

/** The seed of a sandbox without one. */
const usualSeed = '1'

/** Replaces the faults, and restarts the count of equal calls. */
export function setChaos(unit: Unit, newChaos: Chaos): Chaos {
  const isEmpty = Object.values(newChaos).every((value) => value === undefined)
  const chaos = isEmpty ? {} : { ...newChaos, seed: newChaos.seed ?? unit.config.seed ?? usualSeed }
  const { memory } = unit
  const before = memory.of(chaosState)
  memory.set(chaosState, stateOf(chaos))
  unit.undo(() => memory.set(chaosState, before))
  writeMeta(unit.db, metaKey, JSON.stringify(chaos))
  unit.publishChange({ type: 'workspace', id: 'chaos', status: 'chaos_changed' })
  return chaos
}

/** The settings of `start` override those in the database. */
export function chaosAtStart(unit: Unit): void {
  if (unit.config.chaos !== null) setChaos(unit, unit.config.chaos)
}

/** Six bytes of a hash are precise enough: shares have at most four decimals. */
const drawnHexDigits = 12
const drawnValues = 16 ** drawnHexDigits

/** Returns a number from 0 to 1 that depends only on seed, question and identity. */
export function seededShare({ seed }: ActiveChaos, question: string, identity: string): number {
  const hash = sha256Hex(JSON.stringify([seed, question, identity]))
  return Number.parseInt(hash.slice(0, drawnHexDigits), 16) / drawnValues
}

/** Whether this fault affects the call or webhook with this identity. */
export const affects = (active: ActiveChaos, fault: ChaosFault, identity: string): boolean =>
  active.shares[fault] > 0 &&
  seededShare(active, fault, identity) < active.shares[fault] &&
  (active.only === null || active.only.has(faultIdOf(fault, identity)))

/** Returns an id that is equal for every seed, so that a run can be restricted to some of the faults of another. */
const faultIdOf = (fault: ChaosFault, identity: string): string =>
  `${fault}:${sha256Hex(JSON.stringify([fault, identity])).slice(0, faultIdHexDigits)}`
const faultIdHexDigits = 10

/** Publishes the faults, with the ids that `only` of another run can name. */
export function publishFaults(unit: Unit, faults: readonly ChaosFault[], identity: string, target: FaultTarget): void {
  for (const fault of faults)
    unit.publishChange({ type: 'chaos', id: faultIdOf(fault, identity), status: fault, ...target })
}

/** The delivery faults that chaos chooses for an event. */
interface ChaosDeliveryFaults extends DeliveryFaults {
  chaos: readonly WebhookFault[]
}

interface EventIdentity {
  accountSeq: number
  subjectId: string
  externalId: string | null
}

const earlierEvents = valueReader('select count(*) as value from events where subject_id = ? and event = ?', 0)
const runOf = reader("select 1 as one from runs where subject_id = ? and status = 'running' limit 1")

/** Returns null if the event is delivered as documented. A running scenario on the object takes precedence. */
export function chaosDeliveryFaults(unit: Unit, event: EventName, subject: EventIdentity): ChaosDeliveryFaults | null {
  const { active } = unit.memory.of(chaosState)
  if (active === null || webhookFaults.every((fault) => active.shares[fault] === 0)) return null
  const { accountSeq, subjectId, externalId } = subject
  if (runOf(unit.db, subjectId).length > 0) return null
  const before = earlierEvents(unit.db, subjectId, event)
  // The object's id can differ from run to run; its external_id does not.
  const identity = JSON.stringify([accountSeq, externalId ?? subjectId, event, before + 1])
  const candidates = webhookFaults.filter((fault) => affects(active, fault, identity))
  const injected = webhookFaults.filter((fault) => candidates.includes(fault) || isExchanged(unit, fault, subject))
  if (injected.length === 0) return null
  publishFaults(unit, candidates, identity, { target: event, external_id: externalId, count: before + 1 })
  return {
    ...(injected.includes('duplicate') ? { duplicate: 2 } : {}),
    ...(injected.includes('reorder') ? { reorder: true } : {}),
    ...(injected.includes('late') ? { delay: active.durationsMs.late } : {}),
    chaos: injected,
  }
}

/** Whether an earlier event of the object waits to be overtaken by this one. */
const isExchanged = (unit: Unit, fault: WebhookFault, { subjectId }: EventIdentity): boolean =>
  fault === 'reorder' && findHeldEvent(unit, subjectId) !== undefined
