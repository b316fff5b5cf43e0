/** Snapshots: the whole workspace by name, to come back to. */
import { isoUtc } from '../../base/iso.js'
import type { ImageInfo } from '../../core/snapshots/images.js'
import {
  exportSnapshot,
  importSnapshot,
  listSnapshots,
  removeSnapshot,
  renameSnapshot,
  restoreSnapshot,
  saveSnapshot,
} from '../../core/snapshots/snapshots.js'
import { bodyLimits } from '../../protocol/api/limits.js'
import type { snapshotRoutes } from '../../protocol/control/snapshots.js'
import { receive } from '../receive.js'
import { clockOf } from './clock.js'
import type { Handlers } from './mount/mount.js'
import { pagedByName } from './mount/page.js'

const shown = ({ name, sizeBytes, savedWallMs }: ImageInfo) => ({
  name,
  size_bytes: sizeBytes,
  created_at: isoUtc(savedWallMs),
})

export const snapshotHandlers: Handlers<typeof snapshotRoutes> = {
  listSnapshots: ({ ws, query }) => pagedByName(listSnapshots(ws).map(shown), query, ({ name }) => name),
  async saveSnapshot({ ws, body }) {
    return { ...shown(await saveSnapshot(ws, body.name)), clock: clockOf(ws) }
  },
  renameSnapshot: ({ ws, params, body }) => shown(renameSnapshot(ws, params.name, body.name)),
  async restoreSnapshot({ ws, params }) {
    return { ...shown(await restoreSnapshot(ws, params.name)), clock: clockOf(ws) }
  },
  exportSnapshot: ({ ws, params }) => exportSnapshot(ws, params.name),
  async importSnapshot({ ws, params, request, env }) {
    const received = await receive(request, env.held, bodyLimits.snapshotBytes)
    if (received.fault !== null) throw received.fault
    return shown(await importSnapshot(ws, params.name, new TextDecoder().decode(received.bytes)))
  },
  deleteSnapshot({ ws, params }) {
    removeSnapshot(ws, params.name)
    return null
  },
}
