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
import type { snapshotRoutes } from '../../protocol/control/snapshots.js'
import { piecesOf } from '../bodies.js'
import { clockOf } from './clock.js'
import { pagedByName } from './page.js'
import type { Handlers } from './routes.js'

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
  renameSnapshot: async ({ ws, params, body }) => shown(await renameSnapshot(ws, params.name, body.name)),
  async restoreSnapshot({ ws, params }) {
    return { ...shown(await restoreSnapshot(ws, params.name)), clock: clockOf(ws) }
  },
  async exportSnapshot({ ws, params, request }) {
    const headers = { 'Content-Type': 'application/json; charset=utf-8' }
    // Nobody would read it to its end.
    if (request.method === 'HEAD') return new Response(null, { headers })
    return new Response(streamOf(await exportSnapshot(ws, params.name)), { headers })
  },
  async importSnapshot({ host, ws, params, request, env }) {
    const hurry = env.withoutHurry?.()
    try {
      const { maxSnapshotBytes = Number.POSITIVE_INFINITY } = host
      return shown(await importSnapshot(ws, params.name, piecesOf(request, maxSnapshotBytes)))
    } finally {
      hurry?.()
    }
  },
  deleteSnapshot({ ws, params }) {
    removeSnapshot(ws, params.name)
    return null
  },
}

function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
