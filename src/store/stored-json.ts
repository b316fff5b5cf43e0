/** What the sandbox has kept as JSON, read back. */
import { bytesOf } from '../base/base64.js'
import { ApiError } from '../protocol/platform/errors.js'

/**
 * A sector that the disk has lost may lie in the middle of a text, where SQLite does not notice: whoever asks for it is told
 * 503 SERVICE_UNAVAILABLE, and the rest goes on.
 */
export function storedJson<T>(text: string): T {
  return orDamaged(() => JSON.parse(text))
}

/** The same for bytes that are stored as Base64. */
export const storedBytes = (base64: string): Uint8Array => orDamaged(() => bytesOf(base64))

function orDamaged<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw damaged()
  }
}

/** SQLite reads stored JSON as well, where a list is filtered by a part of it. */
export const damageOf = (error: unknown): ApiError | undefined =>
  error instanceof Error && error.message.includes('malformed JSON') ? damaged() : undefined

const damaged = () =>
  new ApiError('SERVICE_UNAVAILABLE', { reason: 'the database is damaged: a stored value cannot be read' })
