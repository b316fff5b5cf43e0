/** Who calls: an account through one of its credentials, or the sandbox itself on an account's behalf. */
import type { Account, Credential } from './account.js'

export interface Caller {
  account: Account
  /** null: a scenario or a trigger acts. */
  credential: Credential | null
}
