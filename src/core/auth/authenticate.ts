/** Authenticates callers: client credentials, bearer tokens, request signatures (§5, decisions 1 to 5). */

import { gt, lte } from 'drizzle-orm'
import { hmacHexOf, isHmacHex, sameHex, sameSecret, sha256Hex } from '../../base/crypto.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { rates, rememberedTokens, signatureWindowMs, tokenLifeMs } from '../../protocol/platform/limits.js'
import { isUuidV4 } from '../../protocol/rails/pix-key.js'
import { type Db, runner } from '../../store/db.js'
import { appender, finder } from '../../store/rows.js'
import { nonces, tokens } from '../../store/schema.js'
import { getOrCacheRow, uncacheRow } from '../../store/unit-of-work.js'
import type { Unit } from '../unit/unit.js'
import { accountOf, authState, credentialOf, findCredential } from './account.js'
import type { Caller, Credential } from './caller.js'

// Nonces within their window (§5.2, decision 3): looked up in memory at every signed call, stored in the database for
// the next start.

const purgeEveryMs = 60_000
const append = appender(nonces)
const nonceKey = (credentialSeq: number, nonce: string) => `${credentialSeq} ${nonce.toLowerCase()}`

function loadNonces(unit: Unit): Map<string, number> {
  const { db, wallMs } = unit
  const memory = unit.memory.of(authState).nonces
  if (memory.expiresWallMs === null) {
    const rows = db.orm.select().from(nonces).where(gt(nonces.expiresWallMs, wallMs)).all()
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
    db.orm.delete(nonces).where(lte(nonces.expiresWallMs, wallMs)).run()
  }
  const name = nonceKey(credentialSeq, nonce)
  append(db, { credentialSeq, nonce: nonce.toLowerCase(), expiresWallMs })
  used.set(name, expiresWallMs)
  unit.undo(() => used.delete(name))
}

const insertToken = appender(tokens)
const tokenByHash = finder(tokens, 'where hash = ?')
const deleteOldTokens = runner(
  'delete from tokens where seq <= (select max(seq) from tokens) - ? and expires_at_ms <= ?',
)

/** Throws 429 RATE_LIMIT_EXCEEDED with `retry_after` if `key` exceeds the documented rate. */
export function requireRate(unit: Unit, rate: keyof typeof rates, key: string | number): void {
  if (!unit.config.rateLimits) return
  const { perMinute, per } = rates[rate]
  const waitMs = unit.memory.of(authState).countRequest(unit, `${rate} ${key}`, perMinute)
  if (waitMs === 0) return
  const retryAfter = Math.ceil(waitMs / 1000)
  throw new ApiError('RATE_LIMIT_EXCEEDED', { limit: perMinute, per, window_seconds: 60, retry_after: retryAfter })
}

/** Checks the IP before the credentials: 403 IP_BLOCKED_TEMPORARILY, then 429. Blocked calls do not count. */
export function admitTokenRequest(unit: Unit, ip: string): void {
  const blockedMs = unit.memory.of(authState).blockedForMs(ip, unit.atMs)
  if (blockedMs > 0) {
    const retryAfter = Math.ceil(blockedMs / 1000)
    throw new ApiError('IP_BLOCKED_TEMPORARILY', { retry_after: retryAfter })
  }
  requireRate(unit, 'token', ip)
}

/**
 * Returns the credential of `Authorization: Basic`. Throws 401 INVALID_CREDENTIALS (a wrong id or secret counts towards
 * the lockout) or 403 CREDENTIAL_INACTIVE.
 */
export function authenticateBasic(unit: Unit, header: string | undefined, ip: string): Credential {
  const pair = decodeBasic(header)
  // A call without credentials is not a guess, so it does not count towards the lockout.
  if (pair === null) throw new ApiError('INVALID_CREDENTIALS')
  const credential = credentialOfPair(unit.db, pair)
  if (credential === undefined) {
    unit.memory.of(authState).recordWrongAttempt(unit, ip)
    throw new ApiError('INVALID_CREDENTIALS')
  }
  unit.memory.of(authState).clearWrongAttempts(unit, ip)
  if (!credential.active) throw new ApiError('CREDENTIAL_INACTIVE', { client_id: credential.clientId })
  return credential
}

interface BasicPair {
  clientId: string
  clientSecret: string
}

function credentialOfPair(db: Db, { clientId, clientSecret }: BasicPair): Credential | undefined {
  const credential = findCredential(db, clientId)
  return credential !== undefined && sameSecret(clientSecret, credential.clientSecret) ? credential : undefined
}

/** Splits on the first colon. Returns null for anything that is not Basic. */
function decodeBasic(header: string | undefined): BasicPair | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '')?.[1]
  if (encoded === undefined || encoded.length % 4 === 1) return null
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)),
    )
  } catch {
    return null
  }
  const colon = text.indexOf(':')
  return colon < 0 ? null : { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) }
}

/** Issues an additional token and stores only its hash. */
export function issueToken(unit: Unit, credential: Credential): { accessToken: string; expiresInSeconds: number } {
  const accessToken = unit.ids.secret('at_')
  // The row cache may remember this token as unknown.
  uncacheRow(unit.db, tokenKey(accessToken))
  deleteOldTokens(unit.db, rememberedTokens, unit.atMs)
  insertToken(unit.db, {
    hash: sha256Hex(accessToken),
    credentialSeq: credential.seq,
    expiresAtMs: unit.atMs + tokenLifeMs,
  })
  return { accessToken, expiresInSeconds: tokenLifeMs / 1000 }
}

const tokenKey = (token: string) => `token ${token}`

const decodeBearer = (header: string) => /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i.exec(header)?.[1]

const storedToken = (db: Db, token: string) =>
  getOrCacheRow(db, tokenKey(token), () => tokenByHash(db, sha256Hex(token)))

/**
 * Returns the caller behind `Authorization: Bearer`. Throws 401 UNAUTHORIZED `{reason}`, 401 TOKEN_EXPIRED or 403
 * CREDENTIAL_INACTIVE.
 */
export function authenticateBearer(unit: Unit, header: string | undefined): Caller {
  if (header === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'missing' })
  const token = decodeBearer(header)
  if (token === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'malformed' })
  const row = storedToken(unit.db, token)
  const credential = row === undefined ? undefined : credentialOf(unit.db, row.credentialSeq)
  if (row === undefined || credential === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'unknown' })
  if (unit.atMs >= row.expiresAtMs)
    throw new ApiError('TOKEN_EXPIRED', { expired_at: new Date(row.expiresAtMs).toISOString() })
  if (!credential.active) throw new ApiError('CREDENTIAL_INACTIVE', { client_id: credential.clientId })
  return { credential, account: accountOf(unit.db, credential.accountSeq) }
}

/**
 * Returns whether `Authorization` contains a token or credentials that this workspace issued, even if they have expired
 * or are inactive. Counts nothing.
 */
export function isIssued(db: Db, header: string): boolean {
  const pair = decodeBasic(header)
  if (pair !== null) return credentialOfPair(db, pair) !== undefined
  const token = decodeBearer(header)
  return token !== undefined && storedToken(db, token) !== undefined
}

export interface SignatureHeaders {
  signature: string | undefined
  timestamp: string | undefined
  nonce: string | undefined
}

/**
 * Checks in the order of decision 3, on wall time: missing headers, timestamp, nonce, signature. A nonce is stored once
 * its signature is verified, and stays used even if the call fails later.
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
