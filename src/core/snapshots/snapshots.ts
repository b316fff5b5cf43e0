/** Snapshots: the whole workspace as one image, clock and queue included, and back. What takes long runs beside the calls. */

import { ApiError } from '../../protocol/platform/errors.js'
import { saveLog } from '../request-log/log.js'
import { betweenUnits } from '../unit/between-units.js'
import { requireName } from '../unit/names.js'
import type { Workspace } from '../unit/workspace.js'
import { orRefuse } from './image-check.js'
import { markMoment, replaceBy } from './image-swap.js'
import type { ImageInfo } from './images.js'
import { snapshotStore } from './in-bytes.js'
import { inTurn } from './in-turn.js'

export const maxSnapshots = 100

/** An earlier snapshot of that name is replaced. 422 INVALID_VALUE for an odd name, 409 CONFLICT where there are too many. */
export async function saveSnapshot(ws: Workspace, wantedName: string | undefined): Promise<ImageInfo> {
  if (wantedName !== undefined) requireName(wantedName)
  return inTurn(ws, async () => {
    const name =
      wantedName ??
      freeName(
        ws.rooms
          .of(snapshotStore)
          .list()
          .map((image) => image.name),
      )
    requireRoom(ws, name)
    await betweenUnits(ws, () => {
      saveLog(ws)
      markMoment(ws)
      return ws.rooms.of(snapshotStore).save(name)
    })
    return saved(ws, name)
  })
}

/** Newest first. */
export function listSnapshots(ws: Workspace): ImageInfo[] {
  return ws.rooms
    .of(snapshotStore)
    .list()
    .sort((a, b) => b.savedWallMs - a.savedWallMs || (a.name < b.name ? 1 : -1))
}

/** 404 NOT_FOUND. */
export function removeSnapshot(ws: Workspace, name: string): void {
  if (!ws.rooms.of(snapshotStore).remove(requireName(name))) throw unknown(name)
}

/** An earlier snapshot of the new name is replaced. 404 NOT_FOUND, 422 INVALID_VALUE for an odd name. */
export async function renameSnapshot(ws: Workspace, name: string, wantedName: string): Promise<ImageInfo> {
  find(ws, requireName(name))
  if (requireName(wantedName) === name) return find(ws, name)
  return inTurn(ws, async () => {
    find(ws, name)
    ws.rooms.of(snapshotStore).rename(name, wantedName)
    return saved(ws, wantedName)
  })
}

/**
 * Rows, queue, clock as they were; business time goes on from that moment. What was in hand is taken up again, and
 * what was begun after the snapshot is finished by nobody. 404 NOT_FOUND, 422 INVALID_VALUE where it is not whole.
 */
export async function restoreSnapshot(ws: Workspace, name: string): Promise<ImageInfo> {
  find(ws, requireName(name))
  return inTurn(ws, async () => {
    const info = find(ws, name)
    const ready = await orRefuse(name, ws.rooms.of(snapshotStore).prepare(name))
    try {
      await betweenUnits(ws, () => {
        replaceBy(
          ws,
          () => ready.swap(),
          (before, kept) => Math.max(before, kept) + 1,
        )
        ws.bus.publish({ type: 'workspace', id: ws.name, status: 'restored', snapshot: name })
      })
    } finally {
      ready.discard()
    }
    return info
  })
}

/** 404 NOT_FOUND, 422 INVALID_VALUE where it is not whole. */
export async function exportSnapshot(ws: Workspace, name: string): Promise<AsyncIterable<Uint8Array>> {
  find(ws, requireName(name))
  return inTurn(ws, () => {
    find(ws, name)
    return orRefuse(name, ws.rooms.of(snapshotStore).exported(name))
  })
}

/** Stores what a file holds, in the place of an earlier snapshot of that name. 422 INVALID_VALUE where it is damaged, foreign or newer. */
export async function importSnapshot(
  ws: Workspace,
  name: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ImageInfo> {
  requireRoom(ws, requireName(name))
  // Whoever sends slowly holds up no other.
  const file = await ws.rooms.of(snapshotStore).receive(pieces)
  try {
    return await inTurn(ws, async () => {
      requireRoom(ws, name)
      await orRefuse(name, file.store(name), 'The file')
      return saved(ws, name)
    })
  } finally {
    file.discard()
  }
}

function requireRoom(ws: Workspace, name: string): void {
  const taken = ws.rooms
    .of(snapshotStore)
    .list()
    .map((image) => image.name)
  if (taken.length < maxSnapshots || taken.includes(name)) return
  throw new ApiError(
    'CONFLICT',
    { snapshots: taken.length, max: maxSnapshots },
    { message: `There are ${taken.length} snapshots already: delete one first.` },
  )
}

function saved(ws: Workspace, name: string): ImageInfo {
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'snapshot_saved', snapshot: name })
  return find(ws, name)
}

const find = (ws: Workspace, name: string): ImageInfo => {
  const found = ws.rooms
    .of(snapshotStore)
    .list()
    .find((image) => image.name === name)
  if (found === undefined) throw unknown(name)
  return found
}

const unknown = (name: string) =>
  new ApiError('NOT_FOUND', { snapshot: name }, { message: `There is no snapshot ${name}.` })

function freeName(taken: readonly string[]): string {
  let number = taken.length + 1
  while (taken.includes(`snapshot-${number}`)) number++
  return `snapshot-${number}`
}
