/** Snapshots: the whole workspace as one image, clock and queue included, and back. */
import { ApiError } from '../../protocol/api/errors.js'
import { migrate, readMeta, writeMeta } from '../../store/db.js'
import { migrations } from '../../store/migrations.js'
import { startScheduler } from '../scheduler/scheduler.js'
import { abandon } from '../webhooks/dispatch-state.js'
import { saveClock, savedClock } from './clock-rows.js'
import { requireWholeImage, unusable } from './image-check.js'
import type { ImageInfo } from './images.js'
import { renewMemory } from './lifecycle.js'
import { requireName } from './names.js'
import { sealed, unsealed } from './seal.js'
import { type Workspace, workspaceGone } from './workspace.js'
import { saveLog } from './write-behind.js'

export const maxSnapshots = 100

/** The business moment of the image: real time runs on while it lies there, business time does not. */
const momentKey = 'snapshot_now_ms'

/** An earlier snapshot of that name is replaced. 422 INVALID_VALUE for an odd name, 409 CONFLICT where there are too many. */
export function saveSnapshot(ws: Workspace, wish: string | undefined): Promise<ImageInfo> {
  if (wish !== undefined) requireName(wish)
  return betweenUnits(ws, () => {
    const taken = ws.images.list().map((image) => image.name)
    const name = wish ?? freeName(taken)
    if (taken.length >= maxSnapshots && !taken.includes(name))
      throw new ApiError(
        'CONFLICT',
        { snapshots: taken.length, max: maxSnapshots },
        { message: `There are ${taken.length} snapshots already: delete one first.` },
      )
    saveLog(ws)
    ws.db.transaction(() => {
      saveClock(ws.db, ws.clock)
      writeMeta(ws.db, momentKey, String(ws.clock.now()))
    })
    ws.images.put(name, sealed(ws.db.image()))
    ws.bus.publish({ type: 'workspace', id: ws.name, status: 'snapshot_saved', snapshot: name })
    return find(ws, name)
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

/**
 * Rows, queue, clock as they were; business time goes on from that moment. What was in hand is taken up again, and
 * what was begun after the snapshot is finished by nobody. 404 NOT_FOUND, 422 INVALID_VALUE where it is not whole.
 */
export function restoreSnapshot(ws: Workspace, name: string): Promise<ImageInfo> {
  requireName(name)
  return betweenUnits(ws, () => {
    const image = imageOf(ws, name)
    requireWholeImage(ws.db, name, image)
    const before = epochOf(ws)
    ws.db.swap(image)
    if (readMeta(ws.db, 'schema') !== String(migrations.length)) migrate(ws.db)
    takeUp(ws, Math.max(before, epochOf(ws)) + 1)
    ws.bus.publish({ type: 'workspace', id: ws.name, status: 'restored', snapshot: name })
    return find(ws, name)
  })
}

/** The image as it was taken. 404 NOT_FOUND, 422 INVALID_VALUE. */
function imageOf(ws: Workspace, name: string): Uint8Array {
  const kept = ws.images.get(name)
  if (kept === undefined) throw unknown(name)
  const { image, isIntact } = unsealed(kept)
  if (!isIntact) throw unusable(name, 'its bytes are not those that were saved')
  return image
}

const epochOf = (ws: Workspace) => Number(readMeta(ws.db, 'epoch') ?? 0)

/** Everything in memory that follows from the rows. With a seed a new epoch keeps ids from being given out again. */
function takeUp(ws: Workspace, epoch: number): void {
  abandon(ws.memory.dispatch)
  const atMs = Number(readMeta(ws.db, momentKey) ?? ws.clock.now())
  const mode = savedClock(ws.db)?.mode ?? 'realtime'
  ws.clock.restore({ mode, offsetMs: atMs - ws.clock.wall(), frozenAtMs: atMs })
  renewMemory(ws, epoch)
  ws.db.transaction(() => {
    writeMeta(ws.db, 'epoch', String(epoch))
    saveClock(ws.db, ws.clock)
  })
  startScheduler(ws)
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

/** Alone in its turn: no transaction is open, and what follows from earlier commits has been done. */
function betweenUnits<T>(ws: Workspace, work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    ws.db.soon(() => {
      try {
        if (ws.closed) throw workspaceGone(ws.name)
        resolve(work())
      } catch (error) {
        reject(
          ws.db.isUnavailable(error)
            ? new ApiError('SERVICE_UNAVAILABLE', { reason: error instanceof Error ? error.message : 'unknown' })
            : error,
        )
      }
    })
  })
}
