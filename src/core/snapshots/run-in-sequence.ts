/** Runs operations on a whole workspace one after the other: save, restore, import, reset. */
import { ApiError } from '../../protocol/platform/errors.js'
import { type Workspace, workspaceDeletedError } from '../unit/workspace.js'

const last = new WeakMap<Workspace, Promise<unknown>>()

/** Throws 503 SERVICE_UNAVAILABLE if the database fails. */
export async function runInSequence<T>(ws: Workspace, work: () => Promise<T>): Promise<T> {
  const before = last.get(ws) ?? Promise.resolve()
  const done = before.then(work)
  last.set(
    ws,
    done.catch(() => undefined),
  )
  try {
    return await done
  } catch (error) {
    if (ws.closed) throw workspaceDeletedError(ws.name)
    if (!ws.db.isUnavailable(error)) throw error
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: error instanceof Error ? error.message : 'unknown' })
  }
}
