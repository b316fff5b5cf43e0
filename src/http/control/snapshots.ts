/** Snapshots: the complete workspace, saved under a name. */
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
import type { snapshotRoutes } from '../../protocol/control/snapshots.js'
import { readChunks } from '../bodies.js'
import { streamOf } from '../streaming.js'
import { clockOf } from './clock.js'
import { pagedByName } from './pagination.js'
import type { Handlers } from './routes.js'

const snapshotSummary = ({ name, sizeBytes, savedWallMs }: ImageInfo) => ({
  name,
  size_bytes: sizeBytes,
  created_at: isoUtc(savedWallMs),
})

export const snapshotHandlers: Handlers<typeof snapshotRoutes> = {
  listSnapshots: ({ ws, query }) => pagedByName(listSnapshots(ws).map(snapshotSummary), query, ({ name }) => name),
  async saveSnapshot({ ws, body }) {
    return { ...snapshotSummary(await saveSnapshot(ws, body.name)), clock: clockOf(ws) }
  },
  renameSnapshot: async ({ ws, params, body }) => snapshotSummary(await renameSnapshot(ws, params.name, body.name)),
  async restoreSnapshot({ ws, params }) {
    return { ...snapshotSummary(await restoreSnapshot(ws, params.name)), clock: clockOf(ws) }
  },
  async exportSnapshot({ ws, params, request }) {
    const headers = { 'Content-Type': 'application/json; charset=utf-8' }
    // A HEAD request has no body, so nothing is exported.
    if (request.method === 'HEAD') return new Response(null, { headers })
    return new Response(streamOf(await exportSnapshot(ws, params.name)), { headers })
  },
  async importSnapshot({ host, ws, params, request, env }) {
    const restoreTimeLimit = env.allowMoreTime?.()
    try {
      const { maxSnapshotBytes = Number.POSITIVE_INFINITY } = host
      return snapshotSummary(await importSnapshot(ws, params.name, readChunks(request, maxSnapshotBytes)))
    } finally {
      restoreTimeLimit?.()
    }
  },
  deleteSnapshot({ ws, params }) {
    removeSnapshot(ws, params.name)
    return null
  },
}
