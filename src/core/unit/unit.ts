/**
 * A unit of work as its code sees it: it reads, decides and writes, and is committed completely or not at all. It can
 * run more than once before it is committed (`store/unit-of-work.ts`), so effects outside the database use `after` or
 * are reverted with `undo`. The unit's own methods do so.
 */
import type { DeliveryFaults } from '../../protocol/scenario/steps.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { WireFormat } from '../../protocol/settings/wire-format.js'
import type { Db } from '../../store/db.js'
import type { Scope } from '../../store/unit-of-work.js'
import type { Change, Ids, Memory } from './memory.js'
import type { ScenarioSource } from './scenario-source.js'

export interface Unit extends Scope {
  readonly db: Db
  /** The business time of the whole unit, read once. */
  readonly atMs: number
  /** The real time, read once, for signatures and nonces only (decision 5). */
  readonly wallMs: number
  readonly ids: Ids
  readonly config: Config
  /** Rewrites events as the settings choose; null if all settings have their defaults. */
  readonly wireFormat: WireFormat | null
  /** The state in memory. */
  readonly memory: Memory
  readonly scenarios: ScenarioSource
  /** How the events of this unit are delivered, if a scenario changes it. */
  deliveryFaults: DeliveryFaults | null
  /** Publishes the change once this unit is committed. */
  publishChange(change: Change): void
  /** Wakes the scheduler at that time. The alarm is set once this unit is committed. */
  wakeAt(dueAtMs: number): void
}
