/** An account that is created with the database, as the settings describe it. */
import * as z from 'zod'
import { maxAmountDigits, parseAmount } from '../../base/money.js'
import { type Currency, currencies, isCurrency } from '../platform/currencies.js'
import { usernamePattern, usernameRule } from '../platform/fields.js'
import { isDocument, normalizeDocument } from '../rails/pix-key.js'
import { byCurrency, decimal, flag, text, trimmedText, value, webUrl } from './values.js'

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

const balances = byCurrency(decimal).superRefine((input, ctx) => {
  for (const [name, amount] of Object.entries(input)) {
    if (!isCurrency(name) || amount === undefined) continue
    const { scale } = currencies[name]
    const parsed = parseAmount(amount, scale)
    if (!parsed.ok)
      ctx.addIssue({
        code: 'custom',
        path: [name],
        message: `must have at most ${scale} decimals and ${maxAmountDigits} digits`,
      })
  }
})

/** Omitted fields are generated. */
const credential = z.strictObject({
  client_id: text.optional(),
  client_secret: text.optional(),
  signing_key: text.optional(),
  webhook_secret: text.optional(),
  postback_url: webUrl.optional(),
  active: flag.optional(),
})

const username = value(
  usernameRule,
  (input) => (usernamePattern.test(trimmedText(input) ?? '') ? trimmedText(input) : undefined),
  'string',
)
const taxDocument = value(
  'must be a valid CPF or CNPJ',
  (input) => (isDocument(trimmedText(input) ?? '') ? normalizeDocument(trimmedText(input) ?? '') : undefined),
  'string',
)

export const accounts = z.array(
  z.strictObject({
    username,
    name: text.optional(),
    document: taxDocument.optional(),
    balances: balances.optional(),
    credential: credential.optional(),
  }),
  'must be a list of accounts',
)
