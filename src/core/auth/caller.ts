/** Who calls: an account through one of its credentials, or the sandbox itself on an account's behalf. */
import type { accounts, credentials } from '../../store/schema.js'

export type Account = typeof accounts.$inferSelect
export type Credential = typeof credentials.$inferSelect

export interface Caller {
  account: Account
  /** null: a scenario or a trigger acts. */
  credential: Credential | null
}
