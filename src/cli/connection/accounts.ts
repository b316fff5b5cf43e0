/** Finds the account and the credential that a command acts for. */
import { nearest } from '../../base/nearest.js'
import type { Account, Credential } from '../../client/types/control.js'
import { didYouMean, UsageError } from '../errors.js'
import type { Sandbox } from './connection.js'

/** The account of that name, else the first one. Throws `UsageError` where nobody bears the name. */
export async function accountNamed(sandbox: Sandbox, username: string | undefined): Promise<Account> {
  const { data } = await sandbox.call('GET /accounts')
  const found = username === undefined ? data[0] : data.find((account) => account.username === username)
  if (found !== undefined) return found
  const names = data.map((account) => account.username)
  const guess = nearest(username ?? '', names)
  throw new UsageError(
    username === undefined
      ? 'the sandbox has no account: make one with payments-sandbox account create'
      : `there is no account ${username}${guess === null ? ` (there are ${names.join(', ')})` : didYouMean(guess)}`,
  )
}

/** The first active credential, else the first. */
export function credentialOf(account: Account): Credential {
  return account.credentials.find((credential) => credential.active) ?? account.credentials[0]
}
