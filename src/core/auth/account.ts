/** Accounts and their credentials; the published secrets of the demonstration accounts, and their replacement on a sandbox that others can reach. */
import { ApiError } from '../../protocol/platform/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { Db } from '../../store/db.js'
import { finder, inserter, selector, updater } from '../../store/rows.js'
import { accounts, credentials } from '../../store/schema.js'
import { clearRowCache } from '../../store/unit-of-work.js'
import type { Ids, Unit } from '../unit/unit.js'
import { type Account, type Credential, credentialOf } from './authenticate.js'

const secretNames = ['clientSecret', 'signingKey', 'webhookSecret'] as const

const insertAccountRow = inserter(accounts)
const insertCredentialRow = inserter(credentials)
const updateCredentialRow = updater(credentials, [...secretNames, 'postbackUrl', 'active'])
export const findAccount = finder(accounts, 'where username = ?')
export const listAccounts = selector(accounts, 'order by seq')

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
  const credential = credentialOf(db, seq)
  if (credential !== undefined) updateCredentialRow(db, seq, { ...credential, ...fields })
  clearRowCache(db)
}

/** Returns the account with this username. Throws 404 NOT_FOUND, with the username, if it does not exist. */
export function requireAccount(db: Db, username: string): Account {
  const account = findAccount(db, username)
  if (account === undefined) throw new ApiError('NOT_FOUND', { account: username }, `There is no account ${username}.`)
  return account
}

export const demoUsernames = ['merchant', 'customer'] as const

/** Long enough to pass length checks, and clearly not a real secret. */
const demoSecret = (kind: string, username: string) =>
  `${kind}_sandbox_${username}_0000000000000000000000000000000000000000`

export const demoCredential = (username: string) => ({
  clientId: `client_sandbox_${username}`,
  clientSecret: demoSecret('secret', username),
  signingKey: demoSecret('sk', username),
  webhookSecret: demoSecret('whsec', username),
})

const publishedSecrets = demoUsernames.flatMap((username) => {
  const credential = demoCredential(username)
  return secretNames.map((name) => credential[name])
})

const marks = publishedSecrets.map(() => '?').join(', ')
const selectPublished = selector(
  credentials,
  `where client_secret in (${marks}) or signing_key in (${marks}) or webhook_secret in (${marks})`,
)

interface Opened {
  db: Db
  config: Pick<Config, 'demoSecrets'>
  ids: Ids
}

/**
 * Replaces published secrets by random ones, unless the configuration allows them. A database or snapshot from a
 * sandbox on loopback can contain them, so this runs after every import of rows.
 */
export function replacePublishedSecrets({ db, config, ids }: Opened): void {
  if (config.demoSecrets !== 'random') return
  for (const credential of selectPublished(db, ...publishedSecrets, ...publishedSecrets, ...publishedSecrets)) {
    const fresh = newSecrets(ids)
    const changed = secretNames.filter((name) => publishedSecrets.includes(credential[name]))
    updateCredential({ db }, credential.seq, Object.fromEntries(changed.map((name) => [name, fresh[name]])))
  }
}
