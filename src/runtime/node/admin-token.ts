/** The admin token of this process: given, generated, or rotated. After a rotation its hash is stored beside the database. */

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

const record = z.strictObject({
  token_sha256: z.string(),
  /** Hash of the token that was given at the start and replaced by the rotation. If it is given again, it stays invalid. */
  replaces_sha256: z.string().nullable(),
})
type Rotated = z.output<typeof record>

/**
 * Without a `given` token, none is required on loopback; otherwise one is generated. Throws if the file beside the
 * database cannot be read.
 */
export function openAdminToken(token: string | null, onLoopback: boolean, db: string): AdminToken {
  const file = db === memory ? null : `${db}.admin-token`
  const replaces = token === null ? null : sha256Hex(token)
  const rotated = (token === null && onLoopback) || file === null ? null : readRotated(file)
  const isRotated = rotated !== null && (token === null || rotated.replaces_sha256 === replaces)
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
    throw new Error(`${file} contains the rotated admin token and cannot be read: delete it to use --admin-token again`)
  }
}

/** Rotates the token. Throws 503 SERVICE_UNAVAILABLE; the old token then stays valid. */
function writeRotated(file: string, rotated: Rotated): void {
  try {
    moveIntoPlace(writeBeside(file, new TextEncoder().encode(JSON.stringify(rotated))), file)
  } catch (error) {
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: codeOf(error) })
  }
}
