/** Accounts and their credentials, and what authentication remembers of them between calls. */

import { eq } from 'drizzle-orm'
import { minuteMs, secondMs } from '../../base/duration.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { lockoutAttempts, lockoutMs } from '../../protocol/platform/limits.js'
import type { Db } from '../../store/db.js'
import { finder, inserter, selector } from '../../store/rows.js'
import { accounts, credentials } from '../../store/schema.js'
import { clearRowCache, getOrCacheRow, type Scope } from '../../store/unit-of-work.js'
import type { Ids, MemorySlot } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import type { Account, Credential } from './caller.js'

/** Accounts and their credentials. */
const insertAccountRow = inserter(accounts)
const insertCredentialRow = inserter(credentials)
const byUsername = finder(accounts, 'where username = ?')
const bySeq = finder(accounts, 'where seq = ?')
const allAccounts = selector(accounts, 'order by seq')
const credentialBySeq = finder(credentials, 'where seq = ?')
const credentialByClientId = finder(credentials, 'where client_id = ?')
const credentialsOfAccount = selector(credentials, 'where account_seq = ? order by seq')

/** Throws 409 CONFLICT if the username is taken. */
export function insertAccount(unit: Unit, fields: { username: string; name: string; document: string }): Account {
  if (findAccount(unit.db, fields.username) !== undefined) throw new ApiError('CONFLICT', { username: fields.username })
  const account = { seq: unit.ids.sequence('accounts'), ...pick(fields), createdAtMs: unit.atMs }
  insertAccountRow(unit.db, account)
  clearRowCache(unit.db)
  unit.publishChange({ type: 'account', id: account.username, status: 'created' })
  return account
}

const pick = ({ username, name, document }: { username: string; name: string; document: string }) => ({
  username,
  name,
  document,
})

type CredentialFields = Pick<
  Credential,
  'clientId' | 'clientSecret' | 'signingKey' | 'webhookSecret' | 'postbackUrl' | 'active'
>

export function insertCredential(unit: Unit, accountSeq: number, fields: CredentialFields): Credential {
  const credential = { seq: unit.ids.sequence('credentials'), accountSeq, ...fields, createdAtMs: unit.atMs }
  insertCredentialRow(unit.db, credential)
  clearRowCache(unit.db)
  return credential
}

/** Returns a new client id, secret and keys, of the length that production would use. */
export const newSecrets = (ids: Ids) => ({
  clientId: ids.secret('client_').slice(0, 31),
  clientSecret: ids.secret('secret_'),
  signingKey: ids.secret('sk_'),
  webhookSecret: ids.secret('whsec_'),
})

/** Creates a credential with random keys. */
export function createCredential(
  unit: Unit,
  accountSeq: number,
  options: {
    postbackUrl?: string | null | undefined
    webhookSecret?: string | undefined
    active?: boolean | undefined
  },
): Credential {
  const { webhookSecret, ...secrets } = newSecrets(unit.ids)
  return insertCredential(unit, accountSeq, {
    ...secrets,
    webhookSecret: options.webhookSecret ?? webhookSecret,
    postbackUrl: options.postbackUrl ?? null,
    active: options.active ?? true,
  })
}

export function updateCredential(
  { db }: Pick<Unit, 'db'>,
  seq: number,
  fields: Partial<Omit<CredentialFields, 'clientId'>>,
): void {
  if (Object.keys(fields).length > 0) db.orm.update(credentials).set(fields).where(eq(credentials.seq, seq)).run()
  clearRowCache(db)
}

export const findAccount = (db: Db, username: string): Account | undefined => byUsername(db, username)
export const listAccounts = (db: Db): Account[] => allAccounts(db)
export const findCredential = (db: Db, clientId: string): Credential | undefined => credentialByClientId(db, clientId)
export const credentialsOf = (db: Db, accountSeq: number): Credential[] => credentialsOfAccount(db, accountSeq)

/** Returns the account with this username. Throws 404 NOT_FOUND, with the username, if it does not exist. */
export function requireAccount(db: Db, username: string): Account {
  const account = findAccount(db, username)
  if (account === undefined)
    throw new ApiError('NOT_FOUND', { account: username }, { message: `There is no account ${username}.` })
  return account
}

/** Returns the account that a row refers to. Such references are always valid. */
export function accountOf(db: Db, seq: number): Account {
  const account = getOrCacheRow(db, `account ${seq}`, () => bySeq(db, seq))
  if (account === undefined) throw new Error(`account ${seq} is missing`)
  return account
}

export function credentialOf(db: Db, seq: number | null): Credential | undefined {
  return seq === null ? undefined : getOrCacheRow(db, `credential ${seq}`, () => credentialBySeq(db, seq))
}

/**
 * Returns the credential that receives an event without a transaction: the caller's own, else the account's first
 * active one (decision 33).
 */
export function credentialForEvents(db: Db, accountSeq: number, callerSeq: number | null): Credential | undefined {
  const callerCredential = credentialOf(db, callerSeq)
  if (callerCredential !== undefined && callerCredential.accountSeq === accountSeq) return callerCredential
  return credentialsOf(db, accountSeq).find((credential) => credential.active)
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
