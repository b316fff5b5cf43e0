/**
 * One unit of work as those see it who do it: they read, decide and write, and all of it happens or nothing.
 * It may run more than once until it is committed (`store/unit-of-work.ts`): what it does outside the database goes through
 * `after`, or is taken back by `undo`. What the unit itself offers keeps to that.
 */
import type { Treatment } from '../../protocol/scenario/steps.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { Db } from '../../store/db.js'
import type { Scope } from '../../store/unit-of-work.js'
import type { Change } from './bus.js'
import type { Ids, Memory } from './memory.js'
import type { ScenarioSource } from './scenario-source.js'

export interface Unit extends Scope {
  readonly db: Db
  /** The one reading of the business clock for the whole unit. */
  readonly atMs: number
  /** The one reading of real time, for signatures and nonces only (decision 5). */
  readonly wallMs: number
  readonly ids: Ids
  readonly config: Config
  /** What the rooms keep in memory. */
  readonly memory: Memory
  readonly scenarios: ScenarioSource
  /** How every event of this unit is to be delivered, while a scenario says so. */
  treatment: Treatment | null
  /** Published once this unit is committed. */
  change(change: Change): void
  /** A job is due at that moment: the scheduler hears of it once this unit is committed. */
  wakeAt(dueAtMs: number): void
}
