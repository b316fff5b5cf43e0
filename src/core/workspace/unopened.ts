/** A workspace that nobody has asked for yet need not be opened before something is due in it. */

import type { Config } from '../../protocol/settings/platform.js'
import { schemaOf } from '../../store/db.js'
import { soonestJobMs } from '../jobs/jobs.js'
import { clockOf } from '../unit/clock-rows.js'
import type { Ports } from './ports.js'

/** How long it can be left alone, in real milliseconds; null: until somebody asks. Throws where the database is not ours, or a newer version's. */
export function restMs({ db, wall }: Pick<Ports, 'db' | 'wall'>, config: Config): number | null {
  if (schemaOf(db) === 0) return 0
  const dueAtMs = soonestJobMs(db)
  return dueAtMs === null ? null : clockOf(db, wall, config.clock).untilMs(dueAtMs)
}
