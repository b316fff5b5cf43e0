/** Workspaces for one purpose: in memory, without a name, known to nobody but whoever asked for one, and in which nothing happens by itself. */
import type { Send } from '../../core/webhooks/send-port.js'
import { closeWorkspace } from '../../core/workspace/lifecycle.js'
import { openWorkspace } from '../../core/workspace/opening.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import { ApiError } from '../../protocol/api/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import { ringAfter } from './alarm.js'
import type { Sqlite } from './sqlite.js'

export interface Scratches {
  /** Whoever asks for it closes it. 409 CONFLICT where there are too many. */
  open(config: Config): Workspace
  closeAll(): void
}

/** Each may call somebody for as long as it is there. */
const maxScratches = 64

export function createScratches(sqlite: Sqlite, send: Send, wall: () => number): Scratches {
  const open = new Set<Workspace>()
  return {
    open(config) {
      for (const ws of open) if (ws.closed) open.delete(ws)
      if (open.size >= maxScratches)
        throw new ApiError(
          'CONFLICT',
          { max: maxScratches },
          { message: `${open.size} of these are under way already: try again when one of them is done.` },
        )
      const ports = { db: sqlite.openInMemory(), wall, send, wake: () => {}, alarm: ringAfter }
      const ws = openWorkspace('scratch', ports, config)
      open.add(ws)
      return ws
    },
    closeAll() {
      for (const ws of open) closeWorkspace(ws)
    },
  }
}
