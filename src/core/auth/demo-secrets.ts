/** The published secrets of the demonstration accounts, and how a sandbox that others can reach replaces them. */
import type { Config } from '../../protocol/settings/platform.js'
import type { Db } from '../../store/db.js'
import { selector } from '../../store/rows.js'
import { credentials } from '../../store/schema.js'
import type { Ids } from '../unit/memory.js'
import { newSecrets, updateCredential } from './account.js'

export const demoUsernames = ['merchant', 'customer'] as const

/** Long enough to pass for the real thing, and plainly not it. */
const demoSecret = (kind: string, username: string) =>
  `${kind}_sandbox_${username}_0000000000000000000000000000000000000000`

export const demoCredential = (username: string) => ({
  clientId: `client_sandbox_${username}`,
  clientSecret: demoSecret('secret', username),
  signingKey: demoSecret('sk', username),
  webhookSecret: demoSecret('whsec', username),
})

const secretNames = ['clientSecret', 'signingKey', 'webhookSecret'] as const

const published = demoUsernames.flatMap((username) => {
  const credential = demoCredential(username)
  return secretNames.map((name) => credential[name])
})

const marks = published.map(() => '?').join(', ')
const withPublished = selector(
  credentials,
  `where client_secret in (${marks}) or signing_key in (${marks}) or webhook_secret in (${marks})`,
)

interface Opened {
  db: Db
  config: Pick<Config, 'demoSecrets'>
  ids: Ids
}

/**
 * Replaces published secrets by random ones, unless the configuration allows them. A database or snapshot from a sandbox on
 * loopback brings them along, so every way that rows come in ends here.
 */
export function replacePublishedSecrets({ db, config, ids }: Opened): void {
  if (config.demoSecrets !== 'random') return
  for (const credential of withPublished(db, ...published, ...published, ...published)) {
    const fresh = newSecrets(ids)
    const changed = secretNames.filter((name) => published.includes(credential[name]))
    updateCredential({ db }, credential.seq, Object.fromEntries(changed.map((name) => [name, fresh[name]])))
  }
}
