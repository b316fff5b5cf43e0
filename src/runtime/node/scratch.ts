/** Private workspaces in memory, each for one task: a certification, a comparison. */

import type { Send } from '../../core/unit/ports.js'
import type { Workspace } from '../../core/unit/unit.js'
import { closeWorkspace, openWorkspace } from '../../core/workspace/workspace.js'
import type { OpenScratch } from '../../http/host.js'
import type { Sqlite } from './sqlite/sqlite.js'
import { callAfter, wallClock } from './workspaces.js'

export function scratchWorkspaces(sqlite: Sqlite, send: Send): { open: OpenScratch; closeAll(): void } {
  const opened = new Set<Workspace>()
  return {
    open(config, ports = {}) {
      for (const ws of opened) if (ws.closed) opened.delete(ws)
      const all = { db: sqlite.openInMemory(), wall: wallClock, send, wake: () => {}, callAfter, ...ports }
      const ws = openWorkspace('scratch', all, config)
      opened.add(ws)
      return ws
    },
    closeAll() {
      for (const ws of opened) if (!ws.closed) closeWorkspace(ws)
    },
  }
}
