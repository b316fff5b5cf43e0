/** The published secrets of the demonstration accounts, and their replacement on a sandbox that others can reach. */
import type { Config } from '../../protocol/settings/platform.js'
import type { Db } from '../../store/db.js'
import { selector } from '../../store/rows.js'
import { credentials } from '../../store/schema.js'
import type { Ids } from '../unit/memory.js'
import { newSecrets, updateCredential } from './account.js'

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

const secretNames = ['clientSecret', 'signingKey', 'webhookSecret'] as const

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
