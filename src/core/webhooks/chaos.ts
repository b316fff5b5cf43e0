/**
 * Chaos: random faults that are the same for the same seed. A fault depends on the call or webhook itself, never on a
 * shared sequence.
 */

import { sha256Hex } from '../../base/crypto.js'
import { parseDuration } from '../../base/duration.js'
import type { EventName } from '../../protocol/platform/events.js'
import type { DeliveryFaults } from '../../protocol/scenario/steps.js'
import { type Chaos, chaosSchema } from '../../protocol/settings/chaos.js'
import {
  type ChaosFault,
  chaosFaultNames,
  parsePercentage,
  type TimedFault,
  type WebhookFault,
  webhookFaults,
} from '../../protocol/settings/chaos-faults.js'
import { type Db, reader, readMeta, writeMeta } from '../../store/db.js'
import { storedJson } from '../../store/stored-json.js'
import type { MemorySlot } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import { findHeldEvent } from './faults.js'

/** The parsed settings of active chaos. */
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
  memory.begin(chaosState, stateOf(chaos))
  unit.undo(() => memory.begin(chaosState, before))
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

const earlierEvents = reader<{ count: number }>(
  'select count(*) as count from events where subject_id = ? and event = ?',
)
const runOf = reader("select 1 as one from runs where subject_id = ? and status = 'running' limit 1")

/** Returns null if the event is delivered as documented. A running scenario on the object takes precedence. */
export function chaosDeliveryFaults(unit: Unit, event: EventName, subject: EventIdentity): ChaosDeliveryFaults | null {
  const { active } = unit.memory.of(chaosState)
  if (active === null || webhookFaults.every((fault) => active.shares[fault] === 0)) return null
  const { accountSeq, subjectId, externalId } = subject
  if (runOf(unit.db, subjectId).length > 0) return null
  const before = earlierEvents(unit.db, subjectId, event)[0]?.count ?? 0
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
