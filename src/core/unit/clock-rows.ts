/** Stores the clock in the database, for restarts and snapshots. */
import { type Clock, type ClockMode, type ClockState, createClock } from '../../base/clock.js'
import { storedJson } from '../../store/columns.js'
import { type Db, readMeta, writeMeta } from '../../store/db.js'

export function saveClock(db: Db, clock: Clock): void {
  writeMeta(db, 'clock', JSON.stringify(clock.state()))
}

export function savedClock(db: Db): ClockState | undefined {
  const saved = readMeta(db, 'clock')
  return saved === undefined ? undefined : storedJson(saved)
}

/** Returns the clock that the database stores, in the requested mode. */
export function clockOf(db: Db, wall: () => number, mode: ClockMode | null): Clock {
  const saved = savedClock(db)
  const clock = createClock(wall, { mode: 'realtime', offsetMs: 0, frozenAtMs: null })
  if (saved !== undefined) clock.restore(saved)
  if (mode !== null) clock.setMode(mode)
  return clock
}
