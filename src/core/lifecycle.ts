/** A workspace as a whole: closing it, and bringing it back to the state right after start. */
import { sql } from 'drizzle-orm'
import { prepared, writeMeta } from '../store/db.js'
import { forgetEverything } from '../store/row-cache.js'
import { abandonDeliveries } from './dispatch-state.js'
import { createIds } from './ids.js'
import { nextDueMs } from './jobs.js'
import { armAtStart } from './scenarios/arms.js'
import { reloadExpecting } from './scenarios/expecting.js'
import { seedAccounts } from './seed.js'
import { keepClock, type Unit, unitNow, type Workspace } from './workspace.js'

/** Back to the state right after start: rows, clock, queue, lockouts, rate windows, journal. A seed starts over, chance does not. */
export async function reset(ws: Workspace): Promise<void> {
  await ws.unit((unit) => {
    emptyTables(unit)
    forget(ws)
    ws.ids = createIds(ws.db, ws.config.seed, 0)
    ws.clock.restore({ mode: ws.config.clock ?? 'realtime', offsetMs: 0, frozenAtMs: null })
    writeMeta(unit.db, 'epoch', '0')
    seedAccounts(unitNow(ws))
    armAtStart(unitNow(ws))
    keepClock(unit)
    unit.change({ type: 'workspace', id: ws.name, status: 'reset' })
    unit.after(() => ws.scheduler.arm(nextDueMs(ws.db)))
  })
}

/** Drops what is kept in memory about rows that are no longer there. */
export function forget(ws: Workspace): void {
  ws.generation++
  ws.access.clear()
  ws.journal.clear()
  abandonDeliveries(ws)
  ws.inbox.clear()
  forgetEverything(ws.db)
  reloadExpecting(ws)
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
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'closed' })
  ws.db.close()
}
