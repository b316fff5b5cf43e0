/** Decides when a workspace that nobody uses must be opened: when something in it is due. */

import type { Config } from '../../protocol/settings/platform.js'
import { schemaOf } from '../../store/db.js'
import { nextDueIncludingClaimedMs } from '../jobs/jobs.js'
import { clockOf } from '../unit/clock-rows.js'
import type { Ports } from './ports.js'

/**
 * Returns for how long it can stay closed, in real milliseconds; null: until somebody uses it. Throws if the database
 * is foreign or newer.
 */
export function sleepableMs({ db, wall }: Pick<Ports, 'db' | 'wall'>, config: Config): number | null {
  if (schemaOf(db) === 0) return 0
  const dueAtMs = nextDueIncludingClaimedMs(db)
  return dueAtMs === null ? null : clockOf(db, wall, config.clock).untilMs(dueAtMs)
}
