/** An account that the settings ask for, as the core makes it. */
import type * as z from 'zod'
import type { Currency } from '../platform/currencies.js'
import type { accounts } from './values.js'

/** An account made with the database, beside the demonstration ones; under the name of one of those it changes that one. */
export interface SeedAccount {
  username: string
  name?: string | undefined
  document?: string | undefined
  /** Decimal strings. */
  balances?: Partial<Record<Currency, string>> | undefined
  /** What is absent is made up. */
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
