/** The caller: an account through one of its credentials, or the sandbox itself on behalf of an account. */
import type { accounts, credentials } from '../../store/schema.js'

export type Account = typeof accounts.$inferSelect
export type Credential = typeof credentials.$inferSelect

export interface Caller {
  account: Account
  /** Null if a scenario or a trigger acts. */
  credential: Credential | null
}
