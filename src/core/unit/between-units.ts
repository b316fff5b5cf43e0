/** Runs work on a whole workspace while no unit of work runs. */
import { ApiError } from '../../protocol/platform/errors.js'
import { type Workspace, workspaceDeletedError } from './workspace.js'

/** `work` runs while no transaction is open and the effects of earlier commits are complete. */
export function betweenUnits<T>(ws: Workspace, work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    ws.db.afterTurn(() => {
      try {
        if (ws.closed) throw workspaceDeletedError(ws.name)
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
