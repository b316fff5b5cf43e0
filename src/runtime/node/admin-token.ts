/** What the control API of this process asks for: given, made, or rotated. A rotated one lies beside the database as a hash. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { sameSecret, sha256Hex } from '../../base/crypto.js'
import type { Host } from '../../http/host.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { makeToken } from '../shared/admin-token.js'
import { codeOf, moveIntoPlace, writeBeside } from './durable-file.js'
import { memory } from './sqlite/driver.js'

export interface AdminToken extends Pick<Host, 'isAdmin' | 'rotateAdminToken'> {
  /** null: none is asked for, or it has been rotated and only its hash is known. */
  readonly known: string | null
  /** Whether the given one has been rotated: it opens nothing any more. */
  readonly isRotated: boolean
}

const record = z.strictObject({
  token_sha256: z.string(),
  /** The one that was given at the start and ended by the rotation; given again, it stays ended. */
  replaces_sha256: z.string().nullable(),
})
type Rotated = z.output<typeof record>

/** `given` null: none on loopback, else one is made. Throws where the file beside the database cannot be read. */
export function openAdminToken(given: string | null, onLoopback: boolean, db: string): AdminToken {
  const file = db === memory ? null : `${db}.admin-token`
  const replaces = given === null ? null : sha256Hex(given)
  const rotated = (given === null && onLoopback) || file === null ? null : readRotated(file)
  const isRotated = rotated !== null && (given === null || rotated.replaces_sha256 === replaces)
  const known = isRotated || (given === null && onLoopback) ? null : (given ?? makeToken())
  let hash = isRotated ? rotated.token_sha256 : known === null ? null : sha256Hex(known)
  return {
    known,
    isRotated,
    isAdmin: (token) => hash === null || (token !== null && sameSecret(sha256Hex(token), hash)),
    rotateAdminToken() {
      if (hash === null)
        throw new ApiError(
          'CONFLICT',
          { reason: 'no_admin_token' },
          { message: 'This sandbox asks for no admin token: start it with --admin-token to make it ask for one.' },
        )
      const token = makeToken()
      const next: Rotated = { token_sha256: sha256Hex(token), replaces_sha256: replaces }
      if (file !== null) writeRotated(file, next)
      hash = next.token_sha256
      return token
    },
  }
}

function readRotated(file: string): Rotated | null {
  try {
    return record.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new Error(`${file} holds the rotated admin token and cannot be read: delete it to use --admin-token again`)
  }
}

/** 503 SERVICE_UNAVAILABLE: the old one stays. */
function writeRotated(file: string, rotated: Rotated): void {
  try {
    moveIntoPlace(writeBeside(file, new TextEncoder().encode(JSON.stringify(rotated))), file)
  } catch (error) {
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: codeOf(error) })
  }
}
