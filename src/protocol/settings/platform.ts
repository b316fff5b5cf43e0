/** What an integrator may set about the platform's behaviour, the readings that are marked as a choice included: flag, variable, key of the file, option of the library, configuration and the page of assumptions all follow from a row. */

import type * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import { byCurrency, currencies } from '../platform/currencies.js'
import { seconds } from '../platform/figures.js'
import * as limits from '../platform/limits.js'
import { type SeedAccount, seedOf } from './seed-account.js'
import { accounts, duration, flag, oneOf, percent, rates, settling, text, webUrl } from './values.js'

interface PlatformRow<Schema extends z.ZodType, Part extends object, Preset extends object> {
  /** `switch`: a flag without a value, with its negation. */
  kind: 'value' | 'switch'
  /** How a value is read, whatever it came as. */
  schema: Schema
  /** What of the configuration it sets. */
  sets: (value: z.output<Schema>) => Part
  /** The same where nobody sets it. */
  preset: Preset
  /** What stands for the value in the help: `<number>`. */
  placeholder?: string
  help: string
  /** The help shows `--no-…`, because it is on by default. */
  on?: true
  /** Too large for a flag or a variable: in the configuration file only. */
  fileOnly?: true
  /** What it decides, in words for users. */
  title: string
  /** What the sandbox does unless told otherwise. */
  unlessSet: string
  /** It stands for a guess about the platform, not for a wish about the sandbox. */
  guess: boolean
}

const setting = <Schema extends z.ZodType, Part extends object, const Preset extends object>(
  row: PlatformRow<Schema, Part, Preset>,
) => ({ ...row, fallback: null })

export const platformSettings = {
  clock: setting({
    kind: 'value',
    schema: oneOf(['realtime', 'manual']),
    sets: (clock) => ({ clock }),
    // As the database left it, `realtime` where it is new.
    preset: { clock: null },
    placeholder: '<mode>',
    help: 'realtime, or manual: time passes only when told',
    title: 'Whether business time passes by itself',
    unlessSet: 'Time passes as it does outside; `manual` holds it until it is told to move.',
    guess: false,
  }),
  webhook_url: setting({
    kind: 'value',
    schema: webUrl,
    sets: (webhookUrl) => ({ webhookUrl }),
    preset: { webhookUrl: null },
    placeholder: '<url>',
    help: 'where webhooks go when neither charge nor credential says so',
    title: 'Where webhooks go when neither transaction nor credential says so',
    unlessSet: 'Nowhere: such an event is kept with the outcome `no_url` and can be sent again later.',
    guess: false,
  }),
  seed: setting({
    kind: 'value',
    schema: text,
    sets: (seed) => ({ seed }),
    preset: { seed: null },
    placeholder: '<text>',
    help: 'the same seed gives the same ids, codes and addresses',
    title: 'Text that ids, codes and addresses are derived from',
    unlessSet: 'Different ones at every start.',
    guess: false,
  }),
  strict_webhooks: setting({
    kind: 'switch',
    schema: flag,
    sets: (strictWebhooks) => ({ strictWebhooks }),
    preset: { strictWebhooks: false },
    help: 'refuse http:// webhook addresses everywhere',
    title: 'Whether http:// webhook addresses are refused everywhere but at its own inboxes',
    unlessSet: 'http:// is allowed to loopback and private addresses, where no certificate can be had.',
    guess: true,
  }),
  rate_limits: setting({
    kind: 'switch',
    schema: flag,
    sets: (rateLimits) => ({ rateLimits }),
    preset: { rateLimits: true },
    on: true,
    help: 'switch the documented rates off',
    title: 'Whether the documented rates are enforced',
    unlessSet: 'They are. A load test may switch them off.',
    guess: false,
  }),
  cashout_settle: setting({
    kind: 'value',
    schema: settling,
    sets: (settles) => settles,
    preset: { cashoutSettle: 'auto', cashoutSettleMs: limits.cashoutSettleMs },
    fileOnly: true,
    help: 'auto, manual, or after how long a withdrawal settles by itself (2s)',
    title: 'Whether withdrawals settle by themselves, or after how long, such as `5s`',
    unlessSet: `\`auto\`: after ${seconds(limits.cashoutSettleMs)}; the documentation shows only that the result comes later, by webhook. With \`manual\` each waits for an action to succeed or fail.`,
    guess: true,
  }),
  pix_charge_life: setting({
    kind: 'value',
    schema: duration,
    sets: (pixChargeLifeMs) => ({ pixChargeLifeMs }),
    preset: { pixChargeLifeMs: limits.pixChargeLifeMs },
    fileOnly: true,
    help: 'how long a PIX charge can be paid (1h)',
    title: 'How long a PIX charge can be paid',
    unlessSet: 'An hour; the documentation shows that a charge expires, not when.',
    guess: true,
  }),
  below_minimum: setting({
    kind: 'value',
    schema: oneOf(['BELOW_MIN_LIMIT', 'INVALID_AMOUNT']),
    sets: (belowMinimum) => ({ belowMinimum }),
    preset: { belowMinimum: 'BELOW_MIN_LIMIT' },
    fileOnly: true,
    help: 'what an amount below the minimum is refused with',
    title: 'What a positive amount below the minimum is refused with',
    unlessSet: '`BELOW_MIN_LIMIT` (409). The documentation names it and `INVALID_AMOUNT` (422) for the same case.',
    guess: true,
  }),
  daily_limit_returns: setting({
    kind: 'value',
    schema: oneOf(keysOf(limits.limitReturns)),
    sets: (dailyLimitReturns) => ({ dailyLimitReturns }),
    preset: { dailyLimitReturns: 'failed' },
    fileOnly: true,
    help: "what is given back to the day's limit: never, failed or refunded (failed)",
    title: 'Which amounts are given back to the daily limit that they counted to',
    unlessSet:
      '`failed`: those of withdrawals that fail and of charges that expire, to the day on which they were created. With `refunded` those of refunds too, with `never` none.',
    guess: true,
  }),
  dispute_deadline: setting({
    kind: 'value',
    schema: oneOf(limits.disputeDeadlines),
    sets: (disputeDeadline) => ({ disputeDeadline }),
    preset: { disputeDeadline: 'confirm' },
    placeholder: '<outcome>',
    help: 'what becomes of a dispute that nobody answers: confirm, lose or manual (default confirm)',
    title: 'What becomes of a dispute that nobody answered in time',
    unlessSet:
      '`confirm`: the money returns to the payer. With `lose` it is lost, which returns it too; with `manual` it stays open.',
    guess: true,
  }),
  rates: setting({
    kind: 'value',
    schema: rates,
    sets: (given) => ({ rates: byCurrency((currency) => given[currency] ?? currencies[currency].worth) }),
    preset: { rates: byCurrency((currency): string => currencies[currency].worth) },
    fileOnly: true,
    help: 'what one unit of a currency is worth in BRL',
    title: 'What one unit of each currency is worth in BRL',
    unlessSet: 'A fixed table, so that a conversion gives the same result every time.',
    guess: true,
  }),
  spread_percent: setting({
    kind: 'value',
    schema: percent,
    sets: (spreadPercent) => ({ spreadPercent }),
    preset: { spreadPercent: limits.conversionSpreadPercent },
    fileOnly: true,
    help: 'what a conversion keeps of the rate',
    title: 'What a conversion keeps of the rate, in percent',
    unlessSet: `${limits.conversionSpreadPercent} percent.`,
    guess: true,
  }),
  demo_secrets: setting({
    kind: 'value',
    schema: oneOf(['known', 'random']),
    sets: (demoSecrets) => ({ demoSecrets }),
    // The runtime knows who can reach it: known on a loopback address, random on any other.
    preset: { demoSecrets: null },
    placeholder: '<which>',
    help: 'secrets of the demonstration accounts: known, or random (default: known on a loopback address, else random)',
    title: 'The secrets of the demonstration accounts',
    unlessSet:
      'On a loopback address `known`: those that every page shows. On any other address `random`: each new database has its own, and known ones in an existing database or snapshot are replaced.',
    guess: false,
  }),
  accounts: setting({
    kind: 'value',
    schema: accounts,
    sets: (given): { accounts: readonly SeedAccount[] } => ({ accounts: given.map(seedOf) }),
    preset: { accounts: [] },
    fileOnly: true,
    help: 'accounts that are there from the start',
    title: 'Accounts that are there from the start, beside the demonstration ones, which they may change',
    unlessSet: 'None.',
    guess: false,
  }),
} as const

export type PlatformSetting = keyof typeof platformSettings
export const platformSettingNames = keysOf(platformSettings)

type Rows = typeof platformSettings
type Part = ReturnType<Rows[PlatformSetting]['sets']> | Rows[PlatformSetting]['preset']
type Names<All> = All extends object ? keyof All : never
type Value<All, Name extends PropertyKey> = All extends Record<Name, infer Held> ? Held : never

/** What all settings come to. */
export type Config = { [Name in Names<Part>]: Value<Part, Name> }

/** Each from its own row: the rows together are `Config`. */
export const defaultConfig: Config = Object.assign(
  {},
  ...platformSettingNames.map((name) => platformSettings[name].preset),
)

/** `given` by setting name, as the schema of each has read it; null and undefined are not set. */
export function configOf(given: Readonly<Partial<Record<PlatformSetting, unknown>>>): Config {
  const parts = platformSettingNames.map((name) => {
    const value = given[name] ?? null
    // The schema of the very row has read it.
    const sets = platformSettings[name].sets as (value: unknown) => object
    return value === null ? {} : sets(value)
  })
  return Object.assign({}, defaultConfig, ...parts)
}
