/** Who may call: client credentials, bearer tokens, request signatures (part 5, decisions 1 to 5). */

import { hmacHexOf, isHmacHex, sameHex, sameSecret, sha256Hex } from '../../base/crypto.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { callHeaders } from '../../protocol/platform/headers.js'
import { rates, rememberedTokens, signatureWindowMs, tokenLifeMs } from '../../protocol/platform/limits.js'
import { isUuidV4 } from '../../protocol/rails/uuid.js'
import { type Db, runner } from '../../store/db.js'
import { appender, finder } from '../../store/rows.js'
import { tokens } from '../../store/schema.js'
import { cachedRow, forgetRow } from '../../store/unit-of-work.js'
import type { Unit } from '../unit/unit.js'
import { accountOf, credentialOf, findCredential } from './account.js'
import { authState } from './auth-state.js'
import type { Caller, Credential } from './caller.js'
import { isNonceUsed, useNonce } from './nonces.js'

const insertToken = appender(tokens)
const tokenByHash = finder(tokens, 'where hash = ?')
const dropTokens = runner('delete from tokens where seq <= (select max(seq) from tokens) - ? and expires_at_ms <= ?')

/** 429 RATE_LIMIT_EXCEEDED with `retry_after` where the documented rate of `key` is passed. */
export function requireRate(unit: Unit, rate: keyof typeof rates, key: string | number): void {
  if (!unit.config.rateLimits) return
  const { perMinute, per } = rates[rate]
  const waitMs = unit.memory.of(authState).exceeds(unit, `${rate} ${key}`, perMinute)
  if (waitMs === 0) return
  const retryAfter = Math.ceil(waitMs / 1000)
  throw new ApiError('RATE_LIMIT_EXCEEDED', { limit: perMinute, per, window_seconds: 60, retry_after: retryAfter })
}

/** Before the credentials are even looked at: 403 IP_BLOCKED_TEMPORARILY, then 429. Blocked calls do not count. */
export function admitTokenRequest(unit: Unit, ip: string): void {
  const blockedMs = unit.memory.of(authState).blockedForMs(ip, unit.atMs)
  if (blockedMs > 0) {
    const retryAfter = Math.ceil(blockedMs / 1000)
    throw new ApiError('IP_BLOCKED_TEMPORARILY', { retry_after: retryAfter })
  }
  requireRate(unit, 'token', ip)
}

/** The credential of `Authorization: Basic`; 401 INVALID_CREDENTIALS (a wrong id or secret counts towards the lockout), 403 CREDENTIAL_INACTIVE. */
export function authenticateBasic(unit: Unit, header: string | undefined, ip: string): Credential {
  const pair = decodeBasic(header)
  // Who shows no credentials guesses none: that does not count towards the lockout.
  if (pair === null) throw new ApiError('INVALID_CREDENTIALS')
  const credential = credentialOfPair(unit.db, pair)
  if (credential === undefined) {
    unit.memory.of(authState).wrongAttempt(unit, ip)
    throw new ApiError('INVALID_CREDENTIALS')
  }
  unit.memory.of(authState).rightAttempt(unit, ip)
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

/** Split on the first colon; null for anything that is not Basic. */
export function decodeBasic(header: string | undefined): BasicPair | null {
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

/** An independent token; only its hash is kept. */
export function issueToken(unit: Unit, credential: Credential): { accessToken: string; expiresInSeconds: number } {
  const accessToken = unit.ids.secret('at_')
  // An unknown token is remembered as unknown: this one is known from here on.
  forgetRow(unit.db, tokenKey(accessToken))
  dropTokens(unit.db, rememberedTokens, unit.atMs)
  insertToken(unit.db, {
    hash: sha256Hex(accessToken),
    credentialSeq: credential.seq,
    expiresAtMs: unit.atMs + tokenLifeMs,
  })
  return { accessToken, expiresInSeconds: tokenLifeMs / 1000 }
}

const tokenKey = (token: string) => `token ${token}`

const decodeBearer = (header: string) => /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i.exec(header)?.[1]

const storedToken = (db: Db, token: string) => cachedRow(db, tokenKey(token), () => tokenByHash(db, sha256Hex(token)))

/** The caller behind `Authorization: Bearer`; 401 UNAUTHORIZED `{reason}`, 401 TOKEN_EXPIRED, 403 CREDENTIAL_INACTIVE. */
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

/** Whether `Authorization` shows what this workspace has given out, even if it has expired or is inactive. Counts nothing. */
export function isGivenOut(db: Db, header: string): boolean {
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
 * Missing → timestamp → nonce → signature (decision 3), all on wall time. A nonce is stored once its signature has verified,
 * and stays used whatever becomes of the call.
 */
export function verifySignature(
  unit: Unit,
  credential: Credential,
  headers: SignatureHeaders,
  rawBody: Uint8Array,
): void {
  const missing = Object.entries({
    [callHeaders.signature]: headers.signature,
    [callHeaders.timestamp]: headers.timestamp,
    [callHeaders.nonce]: headers.nonce,
  }).filter(([, value]) => value === undefined || value === '')
  if (missing.length > 0) throw new ApiError('MISSING_SIGNATURE', { missing: missing.map(([name]) => name) })
  const { signature = '', timestamp = '', nonce = '' } = headers
  const wallMs = unit.wallMs
  const stampMs = /^\d{1,11}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN
  // Both in whole seconds: exactly 300 s off is accepted, whatever the milliseconds of the moment.
  if (!(Math.abs(stampMs - Math.floor(wallMs / 1000) * 1000) <= signatureWindowMs))
    throw new ApiError('INVALID_TIMESTAMP')
  if (isNonceUsed(unit, credential.seq, nonce)) throw new ApiError('REPLAY_DETECTED')
  const expected = hmacHexOf(credential.signingKey, `${timestamp}.${nonce}.`, rawBody)
  if (!isUuidV4(nonce) || !isHmacHex(signature) || !sameHex(signature, expected))
    throw new ApiError('INVALID_SIGNATURE')
  // A second more, because timestamps are whole seconds and the window is closed at both ends.
  useNonce(unit, credential.seq, nonce, Math.max(wallMs, stampMs) + signatureWindowMs + 1000)
}
