/** Snapshots: the whole workspace by name, to come back to. */
import { isoUtc } from '../../base/iso.js'
import type { ImageInfo } from '../../core/workspace/images.js'
import { listSnapshots, removeSnapshot, restoreSnapshot, saveSnapshot } from '../../core/workspace/snapshots.js'
import type { snapshotRoutes } from '../../protocol/control/snapshots.js'
import { clockOf } from './clock.js'
import type { Handlers } from './mount.js'

const shown = ({ name, sizeBytes, savedWallMs }: ImageInfo) => ({
  name,
  size_bytes: sizeBytes,
  created_at: isoUtc(savedWallMs),
})

export const snapshotHandlers: Handlers<typeof snapshotRoutes> = {
  listSnapshots: ({ ws }) => ({ data: listSnapshots(ws).map(shown), next: null }),
  async saveSnapshot({ ws, body }) {
    return { ...shown(await saveSnapshot(ws, body.name)), clock: clockOf(ws) }
  },
  async restoreSnapshot({ ws, params }) {
    return { ...shown(await restoreSnapshot(ws, params.name)), clock: clockOf(ws) }
  },
  deleteSnapshot({ ws, params }) {
    removeSnapshot(ws, params.name)
    return null
  },
}
