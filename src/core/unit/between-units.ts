/** Work on a workspace as a whole, alone in its turn. */
import { ApiError } from '../../protocol/platform/errors.js'
import { type Workspace, workspaceGone } from './workspace.js'

/** No transaction is open, and what follows from earlier commits has been done. */
export function betweenUnits<T>(ws: Workspace, work: () => T): Promise<T> {
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
