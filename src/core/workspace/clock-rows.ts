/** Keeps the clock across restarts and in snapshots. */
import { type Clock, type ClockState, createClock } from '../../base/clock.js'
import type { Config } from '../../protocol/settings/platform.js'
import { type Db, readMeta, writeMeta } from '../../store/db.js'

export function saveClock(db: Db, clock: Clock): void {
  writeMeta(db, 'clock', JSON.stringify(clock.state()))
}

export function savedClock(db: Db): ClockState | undefined {
  const saved = readMeta(db, 'clock')
  return saved === undefined ? undefined : JSON.parse(saved)
}

/** As the database left it, in the mode that the configuration asks for. */
export function clockOf(db: Db, wall: () => number, config: Config): Clock {
  const saved = savedClock(db)
  const clock = createClock(wall, { mode: 'realtime', offsetMs: 0, frozenAtMs: null })
  if (saved !== undefined) clock.restore(saved)
  if (config.clock !== null) clock.setMode(config.clock)
  return clock
}
