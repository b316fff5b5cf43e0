/** Finds the account and the credential that a command uses. */
import { nearest } from '../../base/nearest.js'
import type { Account, Credential } from '../../client/types/control.js'
import { didYouMean, UsageError } from '../errors.js'
import type { Sandbox } from './connection.js'

/** Returns the account with that username (default: the first one). Throws `UsageError` if it does not exist. */
export async function accountNamed(sandbox: Sandbox, username: string | undefined): Promise<Account> {
  const { data } = await sandbox.call('GET /accounts')
  const found = username === undefined ? data[0] : data.find((account) => account.username === username)
  if (found !== undefined) return found
  const names = data.map((account) => account.username)
  const guess = nearest(username ?? '', names)
  throw new UsageError(
    username === undefined
      ? 'the sandbox has no account; create one with payments-sandbox account create'
      : `unknown account ${username}${guess === null ? `; use one of ${names.join(', ')}` : didYouMean(guess)}`,
  )
}

/** Returns the first active credential, or the first one if none is active. */
export function credentialOf(account: Account): Credential {
  return account.credentials.find((credential) => credential.active) ?? account.credentials[0]
}
