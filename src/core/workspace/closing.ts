/** Closing a workspace. */

import { schedulerState } from '../jobs/jobs.js'
import { saveLog } from '../request-log/log.js'
import { snapshotStore } from '../snapshots/byte-snapshot-store.js'
import type { Workspace } from '../unit/workspace.js'

/**
 * Closes the workspace: nothing new runs, waiting callers are released, the database is closed. Deliveries on the wire
 * are repeated at the next start.
 */
export function closeWorkspace(ws: Workspace): void {
  if (ws.closed) return
  ws.closed = true
  ws.state.of(schedulerState).arm(null)
  ws.memory.end()
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'closed' })
  ws.state.of(snapshotStore).abort()
  if (ws.db.isPersistent) saveLogIfPossible(ws)
  ws.db.close()
}

/** If saving fails, only the log is lost. */
function saveLogIfPossible(ws: Workspace): void {
  try {
    saveLog(ws)
  } catch {
    // The database failed, but no caller is left who could get the error.
  }
}
