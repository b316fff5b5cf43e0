/**
 * Hosts the certification of receivers on Node: each run uses an unnamed workspace in memory that nobody else can reach
 * and in which no job runs by itself.
 */

import type { Send } from '../../core/unit/send-port.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { closeWorkspace } from '../../core/workspace/closing.js'
import { openWorkspace } from '../../core/workspace/opening.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import { callAfter } from '../../runtime/node/alarm.js'
import type { Sqlite } from '../../runtime/node/sqlite/sqlite.js'
import { wallClock } from '../../runtime/node/workspaces.js'
import type { CertifyHost } from '../http/host.js'

/** Limit of simultaneous runs, because each can send requests while it exists. */
const maxRunning = 64
/** Limit of simultaneous load tests, because each can send hundreds of requests a second. */
const maxLoads = 2

const tooMany = (max: number, what: string) =>
  new ApiError(
    'CONFLICT',
    { max },
    { message: `${what} are already running. Try again when one of them has finished.` },
  )

export function createCertifications(sqlite: Sqlite, send: Send): CertifyHost & { closeAll(): void } {
  const underWay = new Set<Workspace>()
  const openForRun = (config: Config): Workspace => {
    if (underWay.size >= maxRunning) throw tooMany(maxRunning, `${underWay.size} certifications`)
    const ports = { db: sqlite.openInMemory(), wall: wallClock, send, wake: () => {}, alarm: callAfter }
    const ws = openWorkspace('scratch', ports, config)
    underWay.add(ws)
    return ws
  }
  let loads = 0
  return {
    async certifyReceiver(config, options, progress) {
      const addedLoads = options.load === null ? 0 : 1
      if (loads + addedLoads > maxLoads) throw tooMany(maxLoads, `${loads} load tests`)
      const ws = openForRun(config)
      loads += addedLoads
      try {
        // Loaded with the first certification, because most sandboxes run none.
        const { certifyReceiver } = await import('../core/certify-receiver.js')
        return await certifyReceiver(ws, options, progress)
      } finally {
        loads -= addedLoads
        underWay.delete(ws)
      }
    },
    closeAll() {
      for (const ws of underWay) closeWorkspace(ws)
    },
  }
}
