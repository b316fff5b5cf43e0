/** A workspace whose rows have become others, and one that ends. */
import { forgetRows } from '../../store/row-cache.js'
import { saveLog } from '../request-log/write-behind.js'
import { reloadExpecting } from '../scenarios/expecting.js'
import { createMemory } from '../unit/memory.js'
import type { Workspace } from '../unit/workspace.js'

/** The rows are others from here on, and so is all that is kept in memory beside them. */
export function renewMemory(ws: Workspace, epoch: number): void {
  forgetRows(ws.db)
  ws.memory.requestLog.rest()
  ws.memory = createMemory(ws.db, ws.config.seed, epoch)
  reloadExpecting(ws.db, ws.memory.expecting)
}

/** Ends it: nothing new runs, whoever waits is told, the database is closed. What is on the wire is settled at the next start. */
export function closeWorkspace(ws: Workspace): void {
  if (ws.closed) return
  ws.closed = true
  ws.scheduler.arm(null)
  ws.memory.requestLog.rest()
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'closed' })
  ws.snapshots.end()
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
