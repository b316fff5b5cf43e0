/** Keeps the clock across restarts and in snapshots. */
import type { Clock, ClockState } from '../../base/clock.js'
import { type Db, readMeta, writeMeta } from '../../store/db.js'

export function saveClock(db: Db, clock: Clock): void {
  writeMeta(db, 'clock', JSON.stringify(clock.state()))
}

export function savedClock(db: Db): ClockState | undefined {
  const saved = readMeta(db, 'clock')
  return saved === undefined ? undefined : (JSON.parse(saved) as ClockState)
}
