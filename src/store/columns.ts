/** How values stand in columns. */
import { customType, integer } from 'drizzle-orm/sqlite-core'
import { bytesOf } from '../base/bytes.js'
import { ApiError } from '../protocol/platform/errors.js'

/**
 * A lost disk sector can lie in the middle of a text, where SQLite does not notice. The read then fails with 503
 * SERVICE_UNAVAILABLE; other rows stay usable.
 */
export function storedJson<T>(text: string): T {
  return orDamaged(() => JSON.parse(text))
}

/** Decodes bytes that are stored as Base64. Throws 503 SERVICE_UNAVAILABLE if the text is damaged. */
export const storedBytes = (base64: string): Uint8Array => orDamaged(() => bytesOf(base64))

function orDamaged<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw damaged()
  }
}

/** Returns 503 SERVICE_UNAVAILABLE if SQLite failed to parse stored JSON: it parses JSON when a list is filtered by its fields. */
export const damagedDatabaseError = (error: unknown): ApiError | undefined =>
  error instanceof Error && error.message.includes('malformed JSON') ? damaged() : undefined

const damaged = () =>
  new ApiError('SERVICE_UNAVAILABLE', { reason: 'the database is damaged: a stored value cannot be read' })

/** Minor units: a bigint in the program, an integer in the file. */
export const minor = customType<{ data: bigint; driverData: bigint | number }>({
  dataType: () => 'integer',
  toDriver: (value) => value,
  fromDriver: (value) => BigInt(value),
})

export const json = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => storedJson<T>(value),
  })(name)

export const flag = (name: string) => integer(name, { mode: 'boolean' })
export const sequence = () => integer('seq').primaryKey()
