/** Decides when an unused workspace must be opened again: when its next job is due. */

import type { Config } from '../../protocol/settings/platform.js'
import { schemaOf } from '../../store/db.js'
import { nextDueIncludingClaimedMs } from '../jobs/jobs.js'
import { clockOf } from '../unit/clock-rows.js'
import type { Ports } from './ports.js'

/**
 * Returns for how long it can stay closed, in real milliseconds; null if until its next use. Throws if the database
 * is foreign or newer.
 */
export function sleepableMs({ db, wall }: Pick<Ports, 'db' | 'wall'>, config: Config): number | null {
  if (schemaOf(db) === 0) return 0
  const dueAtMs = nextDueIncludingClaimedMs(db)
  return dueAtMs === null ? null : clockOf(db, wall, config.clock).untilMs(dueAtMs)
}
