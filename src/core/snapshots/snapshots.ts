/** Snapshots: the whole workspace as one image, clock and queue included, and back. */
import { ApiError } from '../../protocol/api/errors.js'
import type { SnapshotFile } from '../../protocol/control/shapes/snapshot-file.js'
import { UnusableDatabase } from '../../store/db.js'
import { saveLog } from '../request-log/write-behind.js'
import { betweenUnits } from '../workspace/between-units.js'
import { requireName } from '../workspace/names.js'
import type { Workspace } from '../workspace/workspace.js'
import { fileOf, wholeImageOfFile } from './file.js'
import { orRefuse, requireWholeImage } from './image-check.js'
import { markMoment, replaceBy } from './image-swap.js'
import type { ImageInfo } from './images.js'
import { sealed, unsealed } from './seal.js'

export const maxSnapshots = 100

/** An earlier snapshot of that name is replaced. 422 INVALID_VALUE for an odd name, 409 CONFLICT where there are too many. */
export function saveSnapshot(ws: Workspace, wish: string | undefined): Promise<ImageInfo> {
  if (wish !== undefined) requireName(wish)
  return betweenUnits(ws, () => {
    const name = wish ?? freeName(ws.images.list().map((image) => image.name))
    requireRoom(ws, name)
    saveLog(ws)
    markMoment(ws)
    return keep(ws, name, ws.db.image())
  })
}

/** Newest first. */
export function listSnapshots(ws: Workspace): ImageInfo[] {
  return ws.images.list().sort((a, b) => b.savedWallMs - a.savedWallMs || (a.name < b.name ? 1 : -1))
}

/** 404 NOT_FOUND. */
export function removeSnapshot(ws: Workspace, name: string): void {
  if (!ws.images.remove(requireName(name))) throw unknown(name)
}

/** An earlier snapshot of the new name is replaced. 404 NOT_FOUND, 422 INVALID_VALUE for an odd name. */
export function renameSnapshot(ws: Workspace, name: string, wish: string): ImageInfo {
  const bytes = ws.images.get(requireName(name))
  if (bytes === undefined) throw unknown(name)
  if (requireName(wish) !== name) {
    ws.images.put(wish, bytes)
    ws.images.remove(name)
    ws.bus.publish({ type: 'workspace', id: ws.name, status: 'snapshot_saved', snapshot: wish })
  }
  return find(ws, wish)
}

/**
 * Rows, queue, clock as they were; business time goes on from that moment. What was in hand is taken up again, and
 * what was begun after the snapshot is finished by nobody. 404 NOT_FOUND, 422 INVALID_VALUE where it is not whole.
 */
export function restoreSnapshot(ws: Workspace, name: string): Promise<ImageInfo> {
  requireName(name)
  return betweenUnits(ws, () => {
    const image = orRefuse(name, () => wholeImage(ws, name))
    replaceBy(ws, image, (before, kept) => Math.max(before, kept) + 1)
    ws.bus.publish({ type: 'workspace', id: ws.name, status: 'restored', snapshot: name })
    return find(ws, name)
  })
}

/** 404 NOT_FOUND, 422 INVALID_VALUE where it is not whole. */
export const exportSnapshot = (ws: Workspace, name: string): Promise<SnapshotFile> => {
  requireName(name)
  return betweenUnits(ws, () => orRefuse(name, () => ws.db.inspect(wholeImage(ws, name), fileOf)))
}

/** Keeps what a file holds, in the place of an earlier snapshot of that name. 422 INVALID_VALUE where it is damaged, foreign or newer. */
export function importSnapshot(ws: Workspace, name: string, text: string): Promise<ImageInfo> {
  requireName(name)
  return betweenUnits(ws, () => {
    requireRoom(ws, name)
    const image = orRefuse(name, () => wholeImageOfFile(ws.db, text), 'The file')
    return keep(ws, name, image)
  })
}

/** The image as it was taken. 404 NOT_FOUND; throws `UnusableDatabase`. */
function wholeImage(ws: Workspace, name: string): Uint8Array {
  const kept = ws.images.get(name)
  if (kept === undefined) throw unknown(name)
  const { image, isIntact } = unsealed(kept)
  if (!isIntact) throw new UnusableDatabase('its bytes are not those that were saved')
  requireWholeImage(ws.db, image)
  return image
}

function requireRoom(ws: Workspace, name: string): void {
  const taken = ws.images.list().map((image) => image.name)
  if (taken.length < maxSnapshots || taken.includes(name)) return
  throw new ApiError(
    'CONFLICT',
    { snapshots: taken.length, max: maxSnapshots },
    { message: `There are ${taken.length} snapshots already: delete one first.` },
  )
}

function keep(ws: Workspace, name: string, image: Uint8Array): ImageInfo {
  ws.images.put(name, sealed(image))
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'snapshot_saved', snapshot: name })
  return find(ws, name)
}

const find = (ws: Workspace, name: string): ImageInfo => {
  const found = ws.images.list().find((image) => image.name === name)
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
