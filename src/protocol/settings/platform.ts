/**
 * The settings of the platform's behavior, one row each. Flags, variables, keys of the configuration file, library options and
 * the page of assumptions follow from the rows.
 */

import * as z from 'zod'
import { exactDuration } from '../../base/duration.js'
import { offsetText } from '../../base/iso.js'
import { keysOf } from '../../base/keys.js'
import { isDeepEqualJson } from '../../base/unknown.js'
import { assumptionIds } from '../platform/assumptions.js'
import { byCurrency, currencies, isCurrency } from '../platform/currencies.js'
import { usernamePattern, usernameRule } from '../platform/fields.js'
import { requestHeaders } from '../platform/headers.js'
import * as limits from '../platform/limits.js'
import { seconds } from '../platform/limits.js'
import { isDocument, normalizeDocument } from '../rails/pix-key.js'
import { assumedSettings } from './assumed.js'
import { chaosSetting } from './chaos.js'
import {
  assumption,
  checkScale,
  decimal,
  duration,
  flag,
  oneOf,
  percent,
  rates,
  schemaOf,
  sets,
  setting,
  settling,
  tableByCurrency,
  text,
  trimmedText,
  webUrl,
} from './values.js'

type AccountSetting = z.output<typeof accounts>[number]

const seedCredentialOf = (credential: NonNullable<AccountSetting['credential']>) => ({
  clientId: credential.client_id,
  clientSecret: credential.client_secret,
  signingKey: credential.signing_key,
  webhookSecret: credential.webhook_secret,
  postbackUrl: credential.postback_url,
  active: credential.active,
})

/** Created in addition to the demonstration accounts; with the username of one of those, it changes that account. */
export interface SeedAccount extends Omit<AccountSetting, 'credential'> {
  credential?: Partial<ReturnType<typeof seedCredentialOf>> | undefined
}

const seedOf = ({ credential, ...account }: AccountSetting): SeedAccount => ({
  ...account,
  credential: credential && seedCredentialOf(credential),
})

const balances = tableByCurrency(decimal).superRefine((input, ctx) => {
  for (const [name, amount] of Object.entries(input)) {
    if (isCurrency(name) && amount !== undefined) checkScale(ctx, amount, name)
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

const username = schemaOf(
  usernameRule,
  (input) => (usernamePattern.test(trimmedText(input) ?? '') ? trimmedText(input) : undefined),
  'string',
)
const taxDocument = schemaOf(
  'must be a valid CPF or CNPJ',
  (input) => (isDocument(trimmedText(input) ?? '') ? normalizeDocument(trimmedText(input) ?? '') : undefined),
  'string',
)

const accounts = z.array(
  z.strictObject({
    username,
    name: text.optional(),
    document: taxDocument.optional(),
    balances: balances.optional(),
    credential: credential.optional(),
  }),
  'must be a list of accounts',
)

const observedVerdicts = ['assumption_confirmed', 'assumption_wrong'] as const

const observed = z.strictObject({
  verdict: z.enum(observedVerdicts, `must be ${observedVerdicts.join(' or ')}`),
  recordings: z.int('must be a whole number').min(1, 'must be at least 1').max(1_000_000, 'must be at most 1000000'),
  last_seen: z.iso.date('must be a day such as 2026-11-21').optional(),
})
export type Observed = z.output<typeof observed>

/** By the key of the assumption. */
export const observations = z.partialRecord(z.enum(assumptionIds), observed, {
  error: ({ code }) =>
    code === 'invalid_key'
      ? 'is not the key of an assumption; docs/assumptions.md lists them'
      : 'must be a table of assumptions',
})

/** `confirmed by 2 recordings, last on 2026-11-21`; `assumed` if no recording shows it. */
export function describeObserved(seen: Observed | undefined): string {
  if (seen === undefined) return 'assumed'
  const count = seen.recordings === 1 ? '1 recording' : `${seen.recordings} recordings`
  const word = seen.verdict === 'assumption_confirmed' ? 'confirmed by' : 'wrong in'
  return `${word} ${count}${seen.last_seen === undefined ? '' : `, last on ${seen.last_seen}`}`
}

/** Three fields describe a default: `effective` is the value in files if `defaults` has null, `usual` replaces the value in the help, and `defaultText` explains the default on pages. */
export const platformSettings = {
  clock: setting({
    // null: the mode that the database stores. A new database has `realtime`.
    ...sets('clock', oneOf(['realtime', 'manual']), null),
    placeholder: '<mode>',
    help: 'realtime, or manual: frozen',
    effective: 'realtime',
    title: 'Clock mode: runs by itself, or only when it is advanced',
    defaultText: 'Time passes as in the real world. With `manual`, the clock stops until you advance it.',
  }),
  webhook_url: setting({
    ...sets('webhookUrl', webUrl, null),
    placeholder: '<url>',
    help: 'default URL for webhooks',
    title: 'Webhook URL for transactions and credentials without a webhook URL',
    defaultText:
      'None. Events without a webhook URL are stored with the outcome `no_url` and can be redelivered later.',
  }),
  seed: setting({
    ...sets('seed', text, null),
    placeholder: '<text>',
    help: 'text that ids are derived from',
    usual: 'random',
    title: 'Seed of ids, codes and addresses',
    defaultText: 'Random: a new text at every start.',
  }),
  strict_webhooks: setting({
    ...sets('strictWebhooks', flag, false),
    help: 'reject every http:// webhook URL',
    title: 'Reject http:// webhook URLs, except those of the sandbox’s own inboxes',
    defaultText: 'http:// is allowed for loopback and private addresses, which cannot have a public certificate.',
    isAssumed: true,
  }),
  strict: setting({
    ...sets('strict', flag, false),
    help: `ignore headers ${requestHeaders.scenario}, ${requestHeaders.error}`,
    title: `Ignore the headers \`${requestHeaders.scenario}\` and \`${requestHeaders.error}\`, which request an outcome of a call`,
    defaultText: 'The headers have an effect. With `strict` they have none, as on the platform.',
  }),
  rate_limits: setting({
    ...sets('rateLimits', flag, true),
    isOnByDefault: true,
    help: 'do not enforce the documented rate limits',
    title: 'Enforce the documented rate limits',
    defaultText: 'The rate limits are enforced. Disable them for load tests.',
  }),
  cashout_settle: setting({
    schema: settling,
    toConfig: (settles) => settles,
    defaults: { cashoutSettle: 'auto', cashoutSettleMs: limits.cashoutSettleMs },
    fileOnly: true,
    help: 'when a withdrawal settles: auto, manual or a duration',
    usual: `auto, after ${exactDuration(limits.cashoutSettleMs)}`,
    title: 'When a withdrawal settles: `auto`, `manual`, or a duration such as `5s`',
    defaultText: `\`auto\`: after ${seconds(limits.cashoutSettleMs)}. With \`manual\`, each withdrawal stays pending until you confirm or fail it.`,
    isAssumed: true,
  }),
  pix_charge_life: assumption({
    ...sets('pixChargeLifeMs', duration, limits.pixChargeLifeMs),
    title: 'Time until an unpaid PIX charge expires',
    defaultText: '1 hour',
  }),
  below_minimum: setting({
    ...sets('belowMinimum', oneOf(['BELOW_MIN_LIMIT', 'INVALID_AMOUNT']), 'BELOW_MIN_LIMIT'),
    fileOnly: true,
    help: 'error code for an amount below the minimum: BELOW_MIN_LIMIT or INVALID_AMOUNT',
    title: 'Error code for an amount below the minimum',
    defaultText: '`BELOW_MIN_LIMIT` (409), not `INVALID_AMOUNT` (422)',
    isAssumed: true,
  }),
  daily_limit_returns: setting({
    ...sets('dailyLimitReturns', oneOf(keysOf(limits.limitReturns)), 'failed'),
    fileOnly: true,
    help: 'amounts that no longer count towards the daily limit: never (every amount counts), failed (failed withdrawals and expired charges) or refunded (also refunds, reversals and lost disputes)',
    title: 'Amounts that no longer count towards the daily limit',
    defaultText:
      '`failed`: those of failed withdrawals and expired charges. With `refunded`, those of refunds, reversals and lost disputes too. With `never`, every amount counts.',
    isAssumed: true,
  }),
  dispute_deadline: setting({
    ...sets('disputeDeadline', oneOf(limits.disputeDeadlines), 'confirm'),
    placeholder: '<outcome>',
    help: 'outcome of a dispute without a reply: confirm, lose or manual',
    isRare: true,
    title: 'Outcome of a dispute without a reply at its deadline',
    defaultText:
      '`confirm`. With `lose`, the money returns to the payer too, but the dispute is `lost`. With `manual`, it stays open.',
    isAssumed: true,
  }),
  rates: assumption({
    schema: rates,
    toConfig: (input) => ({ rates: byCurrency((currency) => input[currency] ?? currencies[currency].valueInBrl) }),
    defaults: { rates: byCurrency((currency): string => currencies[currency].valueInBrl) },
    title: 'Value of one unit of each currency in BRL',
    defaultText:
      'The values under "Currencies, networks, fees" in docs/assumptions.md. They are fixed, so that a conversion always gives the same result.',
  }),
  spread_percent: assumption({
    ...sets('spreadPercent', percent, limits.conversionSpreadPercent),
    title: 'Spread of a conversion, in percent of the rate',
    defaultText: `${limits.conversionSpreadPercent} percent`,
  }),
  ...assumedSettings,
  platform: setting({
    schema: observations,
    toConfig: (platform): { platform: Readonly<Partial<Record<string, Observed>>> } => ({ platform }),
    defaults: { platform: {} },
    fileOnly: true,
    help: 'what recordings of the real platform showed about each assumption; compare --write-profile writes this setting',
    title: 'Results of comparing each assumption with recordings of the real platform',
    defaultText: 'None: no assumption has been verified yet. `compare --write-profile` writes this setting.',
  }),
  demo_secrets: setting({
    // The runtime decides by the address it listens on: known on loopback, random elsewhere.
    ...sets('demoSecrets', oneOf(['known', 'random']), null),
    placeholder: '<which>',
    help: 'secrets of the demonstration accounts: known (published) or random (new for each database)',
    usual: 'known on a loopback address, otherwise random',
    isRare: true,
    effective: 'known',
    title: 'Secrets of the demonstration accounts',
    defaultText:
      '`known`: the published secrets are used, and the dashboard shows them. On an address other than loopback, the default is `random`: each new database gets its own secrets, and published secrets in an existing database or snapshot are replaced.',
  }),
  chaos: setting({
    ...sets('chaos', chaosSetting(), null),
    placeholder: '<preset|file>',
    help: 'inject faults: gentle, rough, a file',
    effective: 'off',
    title: 'Random faults and their rates',
    defaultText: 'None. With `gentle`, `rough` or rates such as `{"error": "1%"}`, calls and webhooks fail at random.',
  }),
  accounts: setting({
    schema: accounts,
    toConfig: (input): { accounts: readonly SeedAccount[] } => ({ accounts: input.map(seedOf) }),
    defaults: { accounts: [] },
    fileOnly: true,
    help: 'accounts to create at the start',
    title:
      'Accounts to create at the start, in addition to the demonstration accounts; an entry with the username of a demonstration account changes that account',
    defaultText: 'None',
  }),
} as const

export type PlatformSetting = keyof typeof platformSettings
export const platformSettingNames = keysOf(platformSettings)

// `Config` has the fields that the rows set, each with the types of its default and of its parsed value.
type Rows = typeof platformSettings
type Part = ReturnType<Rows[PlatformSetting]['toConfig']> | Rows[PlatformSetting]['defaults']
type Names<All> = All extends object ? keyof All : never
type Value<All, Name extends PropertyKey> = All extends Record<Name, infer Held> ? Held : never

export type Config = { [Name in Names<Part>]: Value<Part, Name> }

export const defaultConfig: Config = Object.assign(
  {},
  ...platformSettingNames.map((name) => platformSettings[name].defaults),
)

/** Builds the configuration from parsed values by setting name; null and undefined mean not set. */
export function configOf(input: Readonly<Partial<Record<PlatformSetting, unknown>>>): Config {
  const parts = platformSettingNames.map((name) => {
    const value = input[name] ?? null
    // The schema of the same row has parsed the value.
    const toConfig = platformSettings[name].toConfig as (value: unknown) => object
    return value === null ? {} : toConfig(value)
  })
  return Object.assign({}, defaultConfig, ...parts)
}

/** Returns the value of a setting as a configuration file has it, null if it is not set, and whether it is the default. */
export function valueInFile(setting: PlatformSetting, config: Config): { value: unknown; isDefault: boolean } {
  const { defaults, effective = null }: { defaults: object; effective?: string | null } = platformSettings[setting]
  const names = keysOf(defaultConfig).filter((name) => name in defaults)
  const changed = names.filter((name) => !isDeepEqualJson(config[name], defaultConfig[name]))
  // `cashout_settle` sets two fields of the configuration: the file shows the one that was changed.
  const name = changed[0] ?? names[0]
  const value = name === undefined ? null : partInFile(name, config[name])
  return { value: value ?? effective, isDefault: changed.length === 0 }
}

export const defaultInFile = (setting: PlatformSetting): unknown => valueInFile(setting, defaultConfig).value

function partInFile(name: keyof Config, value: unknown): unknown {
  if (typeof value !== 'number') return value
  if (name.endsWith('OffsetMs')) return offsetText(value)
  return name.endsWith('Ms') ? exactDuration(value) : value
}
