/** What goes out of a workspace (answers, webhooks, the stream of changes) tells of nothing that a crash could still take back. */
import { ApiError } from '../../protocol/platform/errors.js'
import type { Db } from '../../store/db.js'

/** null where all that is committed is durable; else settles when it is. Rejects with 503 SERVICE_UNAVAILABLE where it cannot be made so. */
export function whenKept(db: Db): Promise<void> | null {
  const kept = db.kept()
  if (kept === null) return null
  return kept.catch((error: unknown) => {
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: error instanceof Error ? error.message : 'unknown' })
  })
}
