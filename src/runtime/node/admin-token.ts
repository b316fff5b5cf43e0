/** The admin token of this process: given at the start, generated, or rotated. The hash of a rotated one is stored beside the database. */

import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { sameSecret, sha256Hex } from '../../base/crypto.js'
import { codeOf } from '../../base/unknown.js'
import type { Host } from '../../http/host.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { generateAdminToken } from '../shared/address-guard.js'
import { moveIntoPlace, writeBeside } from './durable-file.js'
import { memory } from './sqlite/driver.js'

interface AdminToken extends Pick<Host, 'isAdmin' | 'rotateAdminToken'> {
  /** The token; null if none is required, or if it has been rotated and only its hash is known. */
  readonly knownToken: string | null
  /** Whether the given token has been rotated and is no longer valid. */
  readonly isRotated: boolean
}

const rotatedToken = z.strictObject({
  token_sha256: z.string(),
  /** Hash of the token that the rotation replaced. That token stays invalid, even if it is given at the next start. */
  replaces_sha256: z.string().nullable(),
})
type RotatedToken = z.output<typeof rotatedToken>

/**
 * Without a `token`, none is required on loopback; on other addresses one is generated. Throws if the file beside the
 * database cannot be read.
 */
export function openAdminToken(token: string | null, onLoopback: boolean, db: string): AdminToken {
  const file = db === memory ? null : `${db}.admin-token`
  const startTokenHash = token === null ? null : sha256Hex(token)
  const rotated = (token === null && onLoopback) || file === null ? null : readRotated(file)
  const isRotated = rotated !== null && (token === null || rotated.replaces_sha256 === startTokenHash)
  const known = isRotated || (token === null && onLoopback) ? null : (token ?? generateAdminToken())
  let hash = isRotated ? rotated.token_sha256 : known === null ? null : sha256Hex(known)
  return {
    knownToken: known,
    isRotated,
    isAdmin: (token) => hash === null || (token !== null && sameSecret(sha256Hex(token), hash)),
    rotateAdminToken() {
      if (hash === null)
        throw new ApiError(
          'CONFLICT',
          { reason: 'no_admin_token' },
          'This sandbox requires no admin token. To require one, start it with --admin-token.',
        )
      const token = generateAdminToken()
      const next: RotatedToken = { token_sha256: sha256Hex(token), replaces_sha256: startTokenHash }
      if (file !== null) writeRotated(file, next)
      hash = next.token_sha256
      return token
    },
  }
}

function readRotated(file: string): RotatedToken | null {
  try {
    return rotatedToken.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new Error(`${file} contains the rotated admin token and cannot be read: delete it to use --admin-token again`)
  }
}

/** Throws 503 SERVICE_UNAVAILABLE if the file cannot be written; the old token then stays valid. */
function writeRotated(file: string, rotated: RotatedToken): void {
  try {
    moveIntoPlace(writeBeside(file, new TextEncoder().encode(JSON.stringify(rotated))), file)
  } catch (error) {
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: codeOf(error) })
  }
}
