/** Closing a workspace. */

import { scheduler } from '../jobs/jobs.js'
import { saveLog } from '../request-log/log.js'
import { snapshotStore } from '../snapshots/in-bytes.js'
import type { Workspace } from '../unit/workspace.js'

/** Ends it: nothing new runs, whoever waits is told, the database is closed. What is on the wire is settled at the next start. */
export function closeWorkspace(ws: Workspace): void {
  if (ws.closed) return
  ws.closed = true
  ws.rooms.of(scheduler).arm(null)
  ws.memory.end()
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'closed' })
  ws.rooms.of(snapshotStore).end()
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
