/** An account that is created with the database, as the settings describe it. */
import type * as z from 'zod'
import type { Currency } from '../platform/currencies.js'
import type { accounts } from './values.js'

/** Created in addition to the demonstration accounts; with the username of one of those, it changes that account. */
export interface SeedAccount {
  username: string
  name?: string | undefined
  document?: string | undefined
  /** Decimal strings. */
  balances?: Partial<Record<Currency, string>> | undefined
  /** Omitted fields are generated. */
  credential?:
    | {
        clientId?: string | undefined
        clientSecret?: string | undefined
        signingKey?: string | undefined
        webhookSecret?: string | undefined
        postbackUrl?: string | undefined
        active?: boolean | undefined
      }
    | undefined
}

export const seedOf = ({ credential, ...account }: z.output<typeof accounts>[number]): SeedAccount => ({
  ...account,
  credential: credential && {
    clientId: credential.client_id,
    clientSecret: credential.client_secret,
    signingKey: credential.signing_key,
    webhookSecret: credential.webhook_secret,
    postbackUrl: credential.postback_url,
    active: credential.active,
  },
})
