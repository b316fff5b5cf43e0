/** Accounts and their credentials. */
import { eq } from 'drizzle-orm'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Db } from '../../store/db.js'
import { finder, inserter, selector } from '../../store/rows.js'
import { accounts, credentials } from '../../store/schema.js'
import { clearRowCache, getOrCacheRow } from '../../store/unit-of-work.js'
import type { Ids } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import type { Account, Credential } from './caller.js'

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
