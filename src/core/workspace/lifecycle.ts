/** A workspace as a whole: closing it, and bringing it back to the state right after start. */
import { sql } from 'drizzle-orm'
import { prepared, writeMeta } from '../../store/db.js'
import { forgetEverything } from '../../store/row-cache.js'
import { armAtStart } from '../scenarios/arms.js'
import { reloadExpecting } from '../scenarios/expecting.js'
import { nextDueMs } from '../scheduler/jobs.js'
import { abandon, createDispatchState } from '../webhooks/dispatch-state.js'
import { createIds } from './ids.js'
import { seedAccounts } from './seed.js'
import { keepClock, type Unit, unitNow, type Workspace } from './workspace.js'

/** Back to the state right after start: rows, clock, queue, lockouts, rate windows, journal. A seed starts over, chance does not. */
export async function reset(ws: Workspace): Promise<void> {
  const before = { ids: ws.ids, dispatch: ws.dispatch, generation: ws.generation, clock: ws.clock.state() }
  try {
    await ws.unit((unit) => {
      emptyTables(unit)
      ws.generation = before.generation + 1
      ws.dispatch = createDispatchState()
      forgetDerived(ws)
      ws.ids = createIds(ws.db, ws.config.seed, 0)
      ws.clock.restore({ mode: ws.config.clock ?? 'realtime', offsetMs: 0, frozenAtMs: null })
      writeMeta(unit.db, 'epoch', '0')
      seedAccounts(unitNow(ws))
      armAtStart(unitNow(ws))
      keepClock(unit)
      unit.change({ type: 'workspace', id: ws.name, status: 'reset' })
      unit.after(() => {
        abandon(before.dispatch)
        forgetCalls(ws)
        ws.scheduler.arm(nextDueMs(ws.db))
      })
    })
  } catch (error) {
    // The rows are as they were, and so must be what goes with them.
    if (ws.closed) throw error
    Object.assign(ws, { ids: before.ids, dispatch: before.dispatch, generation: before.generation })
    ws.clock.restore(before.clock)
    forgetDerived(ws)
    throw error
  }
}

/** Drops what is kept in memory about rows that are no longer there. */
export function forget(ws: Workspace): void {
  ws.generation++
  abandon(ws.dispatch)
  ws.dispatch = createDispatchState()
  forgetCalls(ws)
  forgetDerived(ws)
}

function forgetDerived(ws: Workspace): void {
  forgetEverything(ws.db)
  reloadExpecting(ws)
}

/** What calls left behind that is in no row. */
function forgetCalls(ws: Workspace): void {
  ws.access.clear()
  ws.journal.clear()
  ws.inbox.clear()
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
