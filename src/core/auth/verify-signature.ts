/** Request signatures (interface.md §5.2, assumptions.md decisions 3 and 5): headers, time window, nonces. */
import { hmacHexOf, isHmacHex, sameHex } from '../../base/crypto.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { signatureWindowMs } from '../../protocol/platform/limits.js'
import { isUuidV4 } from '../../protocol/rails/pix-key.js'
import { runner } from '../../store/db.js'
import { appender, selector } from '../../store/rows.js'
import { nonces } from '../../store/schema.js'
import type { Unit } from '../unit/unit.js'
import { authState, type Credential } from './authenticate.js'

export interface SignatureHeaders {
  signature: string | undefined
  timestamp: string | undefined
  nonce: string | undefined
}

/**
 * Checks in the order of assumptions.md decision 3, on wall time: missing headers, timestamp, nonce, signature. A nonce
 * is stored once its signature is verified, and stays used even if the call fails later.
 */
export function verifySignature(
  unit: Unit,
  credential: Credential,
  headers: SignatureHeaders,
  rawBody: Uint8Array,
): void {
  const missing = Object.entries({
    [requestHeaders.signature]: headers.signature,
    [requestHeaders.timestamp]: headers.timestamp,
    [requestHeaders.nonce]: headers.nonce,
  }).filter(([, value]) => value === undefined || value === '')
  if (missing.length > 0) throw new ApiError('MISSING_SIGNATURE', { missing: missing.map(([name]) => name) })
  const { signature = '', timestamp = '', nonce = '' } = headers
  const wallMs = unit.wallMs
  const stampMs = /^\d{1,11}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN
  // Both are compared in whole seconds: a difference of exactly 300 s is accepted, whatever the milliseconds.
  if (!(Math.abs(stampMs - Math.floor(wallMs / 1000) * 1000) <= signatureWindowMs))
    throw new ApiError('INVALID_TIMESTAMP')
  if (isNonceUsed(unit, credential.seq, nonce)) throw new ApiError('REPLAY_DETECTED')
  const expected = hmacHexOf(credential.signingKey, `${timestamp}.${nonce}.`, rawBody)
  if (!isUuidV4(nonce) || !isHmacHex(signature) || !sameHex(signature, expected))
    throw new ApiError('INVALID_SIGNATURE')
  // One second more, because timestamps are whole seconds and the window includes both ends.
  useNonce(unit, credential.seq, nonce, Math.max(wallMs, stampMs) + signatureWindowMs + 1000)
}

// Nonces are looked up in memory at every signed call, and stored in the database for the next start.

const purgeEveryMs = 60_000
const append = appender(nonces)
const usedNonces = selector(nonces, 'where expires_wall_ms > ?')
const deleteExpired = runner('delete from nonces where expires_wall_ms <= ?')
const nonceKey = (credentialSeq: number, nonce: string) => `${credentialSeq} ${nonce.toLowerCase()}`

function loadNonces(unit: Unit): Map<string, number> {
  const { db, wallMs } = unit
  const memory = unit.memory.of(authState).nonces
  if (memory.expiresWallMs === null) {
    const rows = usedNonces(db, wallMs)
    memory.expiresWallMs = new Map(rows.map((row) => [nonceKey(row.credentialSeq, row.nonce), row.expiresWallMs]))
    memory.nextPurgeMs = wallMs + purgeEveryMs
  }
  return memory.expiresWallMs
}

const isNonceUsed = (unit: Unit, credentialSeq: number, nonce: string): boolean =>
  (loadNonces(unit).get(nonceKey(credentialSeq, nonce)) ?? 0) > unit.wallMs

/** Marks a nonce as used. Expired nonces are deleted once a minute. */
function useNonce(unit: Unit, credentialSeq: number, nonce: string, expiresWallMs: number): void {
  const { db, wallMs } = unit
  const used = loadNonces(unit)
  const memory = unit.memory.of(authState).nonces
  if (wallMs >= memory.nextPurgeMs) {
    memory.nextPurgeMs = wallMs + purgeEveryMs
    for (const [name, untilMs] of used) if (untilMs <= wallMs) used.delete(name)
    deleteExpired(db, wallMs)
  }
  const name = nonceKey(credentialSeq, nonce)
  append(db, { credentialSeq, nonce: nonce.toLowerCase(), expiresWallMs })
  used.set(name, expiresWallMs)
  unit.undo(() => used.delete(name))
}
