/** What the sandbox has kept as JSON, read back. */
import { ApiError } from '../protocol/api/errors.js'

/**
 * A sector that the disk has lost may lie in the middle of a text, where SQLite does not notice: whoever asks for it is told
 * 503 SERVICE_UNAVAILABLE, and the rest goes on.
 */
export function storedJson<T>(text: string): T {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: 'the database is damaged: what was kept cannot be read' })
  }
}
