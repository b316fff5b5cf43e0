/**
 * Who calls: accounts by their credentials and bearer tokens (interface.md §5, assumptions.md decisions 1 and 2), and
 * what is remembered between calls: rates, wrong attempts, nonces. Also the URL for the events of a credential.
 */
import { bytesOf } from '../../base/bytes.js'
import { sameSecret, sha256Hex } from '../../base/crypto.js'
import { minuteMs, secondMs } from '../../base/duration.js'
import { decodeUtf8, orElse } from '../../base/text.js'
import { isInboxPath } from '../../protocol/control/webhooks.js'
import { ApiError } from '../../protocol/platform/errors.js'
import {
  lockoutAttempts,
  lockoutMs,
  postbackUrlMaxLength,
  rates,
  rememberedTokens,
  tokenLifeMs,
} from '../../protocol/platform/limits.js'
import { isPrivateHost } from '../../protocol/platform/webhook-hosts.js'
import { type Db, runner } from '../../store/db.js'
import { appender, finder, selector } from '../../store/rows.js'
import { accounts, credentials, tokens } from '../../store/schema.js'
import { getOrCacheRow, type Scope, uncacheRow } from '../../store/unit-of-work.js'
import type { MemorySlot, Unit } from '../unit/unit.js'

export type Account = typeof accounts.$inferSelect
export type Credential = typeof credentials.$inferSelect

export interface Caller {
  account: Account
  /** Null if a scenario or a trigger acts. */
  credential: Credential | null
}

const accountBySeq = finder(accounts, 'where seq = ?')
const credentialBySeq = finder(credentials, 'where seq = ?')
export const findCredential = finder(credentials, 'where client_id = ?')
export const credentialsOf = selector(credentials, 'where account_seq = ? order by seq')

/** Returns the account that a row refers to. Such references are always valid. */
export function accountOf(db: Db, seq: number): Account {
  const account = getOrCacheRow(db, `account ${seq}`, () => accountBySeq(db, seq))
  if (account === undefined) throw new Error(`account ${seq} is missing`)
  return account
}

export function credentialOf(db: Db, seq: number | null): Credential | undefined {
  return seq === null ? undefined : getOrCacheRow(db, `credential ${seq}`, () => credentialBySeq(db, seq))
}

/**
 * Returns the credential that receives an event without a transaction: the caller's own, else the account's first
 * active one (assumptions.md decision 33).
 */
export function credentialForEvents(db: Db, accountSeq: number, callerSeq: number | null): Credential | undefined {
  const callerCredential = credentialOf(db, callerSeq)
  if (callerCredential !== undefined && callerCredential.accountSeq === accountSeq) return callerCredential
  return credentialsOf(db, accountSeq).find((credential) => credential.active)
}

/** Returns the URL in effect (null: none) and the credential whose secret signs the event (assumptions.md decisions 29, 32, 33). */
export function destinationOf(
  unit: Unit,
  to: { accountSeq: number; credentialSeq: number | null; postbackUrl: string | null },
): { url: string | null; credential: Credential | undefined } {
  const credential = credentialForEvents(unit.db, to.accountSeq, to.credentialSeq)
  return { url: to.postbackUrl ?? credential?.postbackUrl ?? unit.config.webhookUrl, credential }
}

/** Accepts an `https` URL, or `http` to a loopback or private address unless that is forbidden; throws 422 INVALID_POSTBACK_URL. */
export function parsePostbackUrl(
  text: string | null | undefined,
  strict: boolean,
  field = 'postback_url',
): string | null {
  if (text === undefined || text === null) return null
  const refuse = (rule: string) =>
    new ApiError('INVALID_POSTBACK_URL', { field, rule }, `${field} is not an allowed webhook URL.`)
  // URL parsing would remove or encode them, so the URL that is called would not be the one that was sent.
  if (/[\s\p{Cc}]/u.test(text)) throw refuse('must not contain spaces or control characters')
  // Of a host and a port alone, URL parsing would take the host as the scheme; it would also add missing slashes.
  if (!/^https?:\/\//i.test(text))
    throw refuse('must begin with http:// or https://, such as http://localhost:3000/webhooks')
  if (text.length > postbackUrlMaxLength || !URL.canParse(text)) throw refuse('must be a URL')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw refuse('must not contain a user name or password')
  if (url.protocol === 'https:') return text
  // Whether it is one of our own inboxes is checked when sending.
  if (strict && !isInboxPath(url.pathname)) throw refuse('must be an https:// URL (strict_webhooks is set)')
  if (!isPrivateHost(url.hostname))
    throw refuse('must be an https:// URL: http:// is allowed only for loopback and private addresses')
  return text
}

/** A rate limit counts the requests of the last minute. */
export const rateSpanMs = minuteMs

/**
 * Upper bound on tracked callers and on tracked rates. When it is reached, all counters are cleared: memory stays
 * bounded at the price of a weaker limit.
 */
const maxKeys = 10_000

/** Each method that counts takes the current unit, so that a unit that is rolled back has counted nothing. */
interface AuthState {
  /** Milliseconds until the IP can try again, or 0. */
  blockedForMs(ip: string, nowMs: number): number
  recordWrongAttempt(unit: CountingScope, ip: string): void
  clearWrongAttempts(unit: CountingScope, ip: string): void
  /**
   * Counts one request of `key`. Returns the milliseconds until a request is allowed again, or 0 if this one is within
   * the limit.
   */
  countRequest(unit: CountingScope, key: string, perMinute: number): number
  readonly nonces: NonceMemory
  /** Returns what has changed since the last call, by name; null means that the entry no longer exists. */
  changes(): [name: string, guard: AuthCounter | null][]
}

/**
 * The wrong attempts of a caller, or the times of counted requests with the number at each. Plain values, so that they
 * can be stored while a workspace is closed.
 */
export type AuthCounter = { attempts: Attempts } | { moments: [atMs: number, times: number][] }

/** The wall time in milliseconds at which each nonce expires, by credential and nonce; null until the rows have been read. */
interface NonceMemory {
  expiresWallMs: Map<string, number> | null
  nextPurgeMs: number
}

type CountingScope = Pick<Scope, 'undo'> & { readonly atMs: number }

/**
 * The time of each request. Two counters, weighted by how much of the earlier minute lies in the last 60 seconds, would
 * only estimate the rate.
 */
interface RateWindow {
  atMs: number[]
  head: number
}

interface Attempts {
  wrong: number
  untilMs: number
}

/** Wrong attempts and request rates on business time, nonces on wall time. A reset clears them. */
export const authState: MemorySlot<AuthState> = { begin: () => createAuthState() }

/** Creates the state, starting from the `guards` that an earlier one returned from `changes`. */
export function createAuthState(guards: Iterable<readonly [name: string, guard: AuthCounter]> = []): AuthState {
  const attempts = new Map<string, Attempts>()
  const windows = new Map<string, RateWindow>()
  const changed = new Set<string>()
  for (const [name, guard] of guards)
    if ('attempts' in guard) attempts.set(name.slice(attemptsOf.length), guard.attempts)
    else windows.set(name.slice(rateOf.length), { atMs: guard.moments.flatMap(repeated), head: 0 })
  const setAttempts = (unit: CountingScope, ip: string, next: Attempts | undefined) => {
    const before = attempts.get(ip)
    const change = (to: Attempts | undefined) => {
      put(attempts, ip, to)
      changed.add(attemptsOf + ip)
    }
    unit.undo(() => change(before))
    change(next)
  }
  const forgetAll = (kind: string, map: Map<string, unknown>) => {
    for (const key of map.keys()) changed.add(kind + key)
    map.clear()
  }
  const counterOf = (name: string): AuthCounter | null => {
    if (name.startsWith(attemptsOf)) {
      const found = attempts.get(name.slice(attemptsOf.length))
      return found === undefined ? null : { attempts: found }
    }
    const window = windows.get(name.slice(rateOf.length))
    return window === undefined ? null : { moments: groupTimes(window.atMs.slice(window.head)) }
  }
  return {
    changes() {
      const names = [...changed]
      changed.clear()
      return names.map((name) => [name, counterOf(name)])
    },
    nonces: { expiresWallMs: null, nextPurgeMs: 0 },
    blockedForMs: (ip, nowMs) => Math.max(0, (attempts.get(ip)?.untilMs ?? 0) - nowMs),
    recordWrongAttempt(unit, ip) {
      const before = attempts.get(ip)
      const wrong = (before === undefined || before.untilMs > 0 ? 0 : before.wrong) + 1
      if (attempts.size > maxKeys) forgetAll(attemptsOf, attempts)
      setAttempts(unit, ip, { wrong, untilMs: wrong >= lockoutAttempts ? unit.atMs + lockoutMs : 0 })
    },
    clearWrongAttempts(unit, ip) {
      if (attempts.has(ip)) setAttempts(unit, ip, undefined)
    },
    countRequest(unit, key, perMinute) {
      let window = windows.get(key)
      if (window === undefined) {
        if (windows.size > maxKeys) forgetAll(rateOf, windows)
        window = { atMs: [], head: 0 }
        windows.set(key, window)
      }
      changed.add(rateOf + key)
      unit.undo(() => changed.add(rateOf + key))
      return countInWindow(unit, window, perMinute)
    },
  }
}

const attemptsOf = 'attempts '
const rateOf = 'rate '

/** Above this number, times are stored rounded to the second, so that a change stays small. */
const maxExactTimes = 100

/** Rounds up to the next second, so that no request is allowed too early. */
const toSecond = (atMs: number) => Math.ceil(atMs / secondMs) * secondMs

function groupTimes(atMs: readonly number[]): [number, number][] {
  const moments = new Map<number, number>()
  for (const at of atMs) {
    const moment = atMs.length > maxExactTimes ? toSecond(at) : at
    moments.set(moment, (moments.get(moment) ?? 0) + 1)
  }
  return [...moments]
}

const repeated = ([atMs, times]: readonly [number, number]): number[] => new Array(times).fill(atMs)

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

function countInWindow(unit: CountingScope, window: RateWindow, perMinute: number): number {
  const { atMs } = window
  const nowMs = unit.atMs
  while (window.head < atMs.length && (atMs[window.head] ?? 0) <= nowMs - rateSpanMs) window.head++
  if (window.head > 4096 && window.head * 2 > atMs.length) {
    atMs.splice(0, window.head)
    window.head = 0
  }
  if (atMs.length - window.head >= perMinute) return (atMs[window.head] ?? nowMs) + rateSpanMs - nowMs
  atMs.push(nowMs)
  unit.undo(() => atMs.pop())
  return 0
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
  const text = orElse(undefined, () => decodeUtf8(bytesOf(encoded))) ?? ''
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
