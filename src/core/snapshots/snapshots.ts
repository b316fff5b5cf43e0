/**
 * Snapshots: saves and restores a workspace as one image, clock and queue included. Calls continue during long work;
 * operations on the whole workspace run one after the other.
 */
import { didYouMean, nearest } from '../../base/text.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { orUnavailable } from '../../store/unit-of-work.js'
import { saveLog } from '../request-log/log.js'
import { requireName } from '../unit/ports.js'
import { type Workspace, type WorkspaceSlot, workspaceDeletedError } from '../unit/unit.js'
import { type ImageInfo, orInvalidValue, replaceDatabase, saveBusinessTime, snapshotStore } from './images.js'

const maxSnapshots = 100

/** Replaces an earlier snapshot of that name. Throws 422 INVALID_VALUE for an invalid name, 409 CONFLICT if there are too many. */
export async function saveSnapshot(ws: Workspace, wantedName: string | undefined): Promise<ImageInfo> {
  if (wantedName !== undefined) requireName(wantedName)
  return runInSequence(ws, async () => {
    const name =
      wantedName ??
      freeName(
        ws.state
          .of(snapshotStore)
          .list()
          .map((image) => image.name),
      )
    requireFreePlace(ws, name)
    await betweenUnits(ws, () => {
      saveLog(ws)
      saveBusinessTime(ws)
      return ws.state.of(snapshotStore).save(name)
    })
    return saved(ws, name)
  })
}

/** Newest first. */
export function listSnapshots(ws: Workspace): ImageInfo[] {
  return ws.state
    .of(snapshotStore)
    .list()
    .reverse()
    .sort((a, b) => b.savedWallMs - a.savedWallMs)
}

/** Throws 404 NOT_FOUND. */
export function removeSnapshot(ws: Workspace, name: string): void {
  if (!ws.state.of(snapshotStore).remove(requireName(name))) throw snapshotNotFound(ws, name)
}

/** Replaces an earlier snapshot of the new name. Throws 404 NOT_FOUND, 422 INVALID_VALUE for an invalid name. */
export async function renameSnapshot(ws: Workspace, name: string, wantedName: string): Promise<ImageInfo> {
  find(ws, requireName(name))
  if (requireName(wantedName) === name) return find(ws, name)
  return runInSequence(ws, async () => {
    find(ws, name)
    ws.state.of(snapshotStore).rename(name, wantedName)
    return saved(ws, wantedName)
  })
}

/**
 * Restores rows, queue and clock; business time continues from then. Jobs in flight at that time run again; work
 * started after the snapshot is dropped. Throws 404 NOT_FOUND, 422 INVALID_VALUE if the snapshot is damaged.
 */
export async function restoreSnapshot(ws: Workspace, name: string): Promise<ImageInfo> {
  find(ws, requireName(name))
  return runInSequence(ws, async () => {
    const info = find(ws, name)
    const ready = await orInvalidValue(name, ws.state.of(snapshotStore).prepare(name))
    try {
      await betweenUnits(ws, () => {
        replaceDatabase(
          ws,
          () => ready.swap(),
          (before, stored) => Math.max(before, stored) + 1,
        )
        ws.bus.publish({ type: 'workspace', id: ws.name, status: 'restored', snapshot: name })
      })
    } finally {
      ready.discard()
    }
    return info
  })
}

/** Throws 404 NOT_FOUND, 422 INVALID_VALUE if the snapshot is damaged. */
export async function exportSnapshot(ws: Workspace, name: string): Promise<AsyncIterable<Uint8Array>> {
  find(ws, requireName(name))
  return runInSequence(ws, () => {
    find(ws, name)
    return orInvalidValue(name, ws.state.of(snapshotStore).exportPieces(name))
  })
}

/**
 * Stores a file as a snapshot, replacing an earlier one of that name. Throws 422 INVALID_VALUE if it is damaged,
 * foreign or newer.
 */
export async function importSnapshot(
  ws: Workspace,
  name: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ImageInfo> {
  requireFreePlace(ws, requireName(name))
  // Received outside the queue, so that a slow upload blocks no other operation.
  const file = await ws.state.of(snapshotStore).receive(pieces)
  try {
    return await runInSequence(ws, async () => {
      requireFreePlace(ws, name)
      await orInvalidValue(name, file.store(name), 'The file')
      return saved(ws, name)
    })
  } finally {
    file.discard()
  }
}

function requireFreePlace(ws: Workspace, name: string): void {
  const snapshot = ws.state
    .of(snapshotStore)
    .list()
    .map((image) => image.name)
  if (snapshot.length < maxSnapshots || snapshot.includes(name)) return
  throw new ApiError(
    'CONFLICT',
    { snapshots: snapshot.length, max: maxSnapshots },
    `The limit of ${maxSnapshots} snapshots is reached. Delete one first.`,
  )
}

function saved(ws: Workspace, name: string): ImageInfo {
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'snapshot_saved', snapshot: name })
  return find(ws, name)
}

const find = (ws: Workspace, name: string): ImageInfo => {
  const found = ws.state
    .of(snapshotStore)
    .list()
    .find((image) => image.name === name)
  if (found === undefined) throw snapshotNotFound(ws, name)
  return found
}

const shownNames = 20

function snapshotNotFound(ws: Workspace, name: string): ApiError {
  const names = listSnapshots(ws).map((image) => image.name)
  const guess = nearest(name, names)
  const shown = names.slice(0, shownNames).join(', ') + (names.length > shownNames ? ', …' : '')
  const saved = names.length === 0 ? ', and none is saved' : `${didYouMean(guess) || '.'} Saved: ${shown}`
  const details = { snapshot: name, snapshots: names, ...(guess === null ? {} : { did_you_mean: guess }) }
  return new ApiError('NOT_FOUND', details, `There is no snapshot ${name}${saved}.`)
}

function freeName(snapshot: readonly string[]): string {
  let number = snapshot.length + 1
  while (snapshot.includes(`snapshot-${number}`)) number++
  return `snapshot-${number}`
}

const lastWork: WorkspaceSlot<Promise<unknown>> = { begin: () => Promise.resolve() }

/** Throws 503 SERVICE_UNAVAILABLE if the database fails. */
export async function runInSequence<T>(ws: Workspace, work: () => Promise<T>): Promise<T> {
  const done = ws.state.of(lastWork).then(work)
  ws.state.set(
    lastWork,
    done.catch(() => undefined),
  )
  try {
    return await done
  } catch (error) {
    if (ws.closed) throw workspaceDeletedError(ws.name)
    throw orUnavailable(ws.db, error)
  }
}

/** `work` runs while no transaction is open and the effects of earlier commits are complete. */
export function betweenUnits<T>(ws: Workspace, work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    ws.db.afterTurn(() => {
      try {
        if (ws.closed) throw workspaceDeletedError(ws.name)
        resolve(work())
      } catch (error) {
        reject(orUnavailable(ws.db, error))
      }
    })
  })
}
