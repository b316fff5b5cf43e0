/** A workspace that nobody has asked for yet need not be opened before something is due in it. */

import type { Config } from '../../protocol/settings/platform.js'
import { schemaVersion } from '../../store/db.js'
import { migrations } from '../../store/migrations.js'
import { soonestJobMs } from '../jobs/jobs.js'
import { clockOf } from '../unit/clock-rows.js'
import type { Ports } from './ports.js'

/** How long it can be left alone, in real milliseconds; null: until somebody asks. Throws where the database is not ours, or a newer version's. */
export function restMs({ db, wall }: Pick<Ports, 'db' | 'wall'>, config: Config): number | null {
  // One of an earlier version is to be brought up to date first.
  if (schemaVersion(db) !== migrations.length) return 0
  const dueAtMs = soonestJobMs(db)
  return dueAtMs === null ? null : clockOf(db, wall, config.clock).untilMs(dueAtMs)
}
