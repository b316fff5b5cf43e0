/** A workspace as a whole: closing it, and bringing it back to the state right after start. */
import { sql } from 'drizzle-orm'
import { isoUtc } from '../../base/iso.js'
import { prepared, writeMeta } from '../../store/db.js'
import { forgetRows } from '../../store/row-cache.js'
import { armAtStart } from '../scenarios/arms.js'
import { reloadExpecting } from '../scenarios/expecting.js'
import { nextDueMs } from '../scheduler/jobs.js'
import { abandon } from '../webhooks/dispatch-state.js'
import { saveClock } from './clock-rows.js'
import { createMemory, keepMemory } from './memory.js'
import { silentUnit } from './opening.js'
import { seedAccounts } from './seed.js'
import type { Unit } from './unit.js'
import type { Workspace } from './workspace.js'
import { saveLog } from './write-behind.js'

/** Back to the state right after start: rows, clock, queue, lockouts, rate windows, request log. A seed starts over, chance does not. */
export async function reset(ws: Workspace): Promise<void> {
  await ws.unit((unit) => {
    const { dispatch } = ws.memory
    unit.undo(keepMemory(ws))
    emptyTables(unit)
    ws.clock.restore({ mode: ws.config.clock ?? 'realtime', offsetMs: 0, frozenAtMs: null })
    renewMemory(ws, 0)
    writeMeta(unit.db, 'epoch', '0')
    seedAccounts(silentUnit(ws))
    armAtStart(silentUnit(ws))
    saveClock(unit.db, ws.clock)
    unit.change({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
    unit.change({ type: 'workspace', id: ws.name, status: 'reset' })
    unit.after(() => {
      abandon(dispatch)
      ws.scheduler.arm(nextDueMs(ws.db))
    })
  })
}

/** The rows are others from here on, and so is all that is kept in memory beside them. */
export function renewMemory(ws: Workspace, epoch: number): void {
  forgetRows(ws.db)
  ws.memory.requestLog.rest()
  ws.memory = createMemory(ws.db, ws.config.seed, epoch)
  reloadExpecting(ws.db, ws.memory.expecting)
}

function emptyTables(unit: Unit): void {
  unit.db.exec(emptying(unit.db))
}

const emptying = prepared((orm) => {
  const tables = orm.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> 'meta'`,
  )
  return [...tables.map(({ name }) => `delete from "${name}"`), `delete from meta where key <> 'schema'`].join(';')
})

/** Ends it: nothing new runs, whoever waits is told, the database is closed. What is on the wire is settled at the next start. */
export function closeWorkspace(ws: Workspace): void {
  if (ws.closed) return
  ws.closed = true
  ws.scheduler.arm(null)
  ws.memory.requestLog.rest()
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'closed' })
  if (ws.db.lasts) keepLog(ws)
  ws.db.close()
}

/** A log that cannot be kept is lost, and nothing else is. */
function keepLog(ws: Workspace): void {
  try {
    saveLog(ws)
  } catch {
    // The store refuses, and nobody is there any more to be told.
  }
}
