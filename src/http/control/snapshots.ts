/** Snapshots: the whole workspace by name, to come back to. */
import * as z from 'zod'
import { isoUtc } from '../../base/iso.js'
import type { ImageInfo } from '../../core/workspace/images.js'
import { listSnapshots, removeSnapshot, restoreSnapshot, saveSnapshot } from '../../core/workspace/snapshots.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import { knownQuery, readBody } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

const shown = ({ name, sizeBytes, savedWallMs }: ImageInfo) => ({
  name,
  size_bytes: sizeBytes,
  created_at: isoUtc(savedWallMs),
})

const clockOf = (ws: Workspace) => ({ now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })

const saveBody = z.strictObject({ name: z.string('must be a string').optional() })

async function save({ ws, body }: AdminCall) {
  const saved = await saveSnapshot(ws, readBody(saveBody, body).name)
  return { ...shown(saved), clock: clockOf(ws) }
}

function list({ ws, query }: AdminCall) {
  knownQuery(query, [])
  return { data: listSnapshots(ws).map(shown), next: null }
}

async function restore({ ws, params }: AdminCall) {
  const restored = await restoreSnapshot(ws, params.name ?? '')
  return { ...shown(restored), clock: clockOf(ws) }
}

function remove({ ws, params }: AdminCall) {
  removeSnapshot(ws, params.name ?? '')
  return null
}

export const snapshotRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/_sandbox/snapshots', title: 'Snapshots, newest first', handle: list },
  {
    method: 'POST',
    path: '/_sandbox/snapshots',
    title: 'Keep the whole workspace under a name, in the place of an earlier snapshot of that name',
    describeBody: () => saveBody,
    handle: save,
  },
  {
    method: 'POST',
    path: '/_sandbox/snapshots/:name/restore',
    title: 'Bring the whole workspace back, clock and queue included',
    handle: restore,
  },
  { method: 'DELETE', path: '/_sandbox/snapshots/:name', title: 'Forget a snapshot', handle: remove },
]
