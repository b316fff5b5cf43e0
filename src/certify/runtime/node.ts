/** Certification on one machine: each in a workspace in memory, without a name, known to nobody else, and in which nothing happens by itself. */

import type { Send } from '../../core/unit/send-port.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { closeWorkspace } from '../../core/workspace/closing.js'
import { openWorkspace } from '../../core/workspace/opening.js'
import type { Host } from '../../http/host.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import { ringAfter } from '../../runtime/node/alarm.js'
import type { Sqlite } from '../../runtime/node/sqlite/sqlite.js'
import { certifyReceiver } from '../core/certify-receiver.js'

export interface Certifications extends Pick<Host, 'certifyReceiver'> {
  closeAll(): void
}

/** Each may call somebody for as long as it is there. */
const mostAtOnce = 64

export function createCertifications(sqlite: Sqlite, send: Send, wall: () => number): Certifications {
  const underWay = new Set<Workspace>()
  const begin = (config: Config): Workspace => {
    if (underWay.size >= mostAtOnce)
      throw new ApiError(
        'CONFLICT',
        { max: mostAtOnce },
        { message: `${underWay.size} of these are under way already: try again when one of them is done.` },
      )
    const ports = { db: sqlite.openInMemory(), wall, send, wake: () => {}, alarm: ringAfter }
    const ws = openWorkspace('scratch', ports, config)
    underWay.add(ws)
    return ws
  }
  return {
    async certifyReceiver(config, options, progress) {
      const ws = begin(config)
      try {
        return await certifyReceiver(ws, options, progress)
      } finally {
        underWay.delete(ws)
      }
    },
    closeAll() {
      for (const ws of underWay) closeWorkspace(ws)
    },
  }
}
