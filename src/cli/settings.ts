/** Every setting of `start` in one table: flags, environment variables and configuration keys all follow from it. */
import type * as z from 'zod'
import { configSettings } from '../platform/shared/config-settings.js'
import { flag, oneOf, port, text, texts } from '../platform/shared/setting-values.js'
import { databaseDrivers } from '../protocol/control/drivers.js'

interface Setting {
  /** `list`: a repeatable flag. `switch`: a flag without a value, with its negation. */
  kind: 'value' | 'list' | 'switch'
  schema: z.ZodType
  fallback: unknown
  /** What stands for the value in the help: `<number>`. */
  placeholder?: string
  help: string
  /** The help shows `--no-…`, because it is on by default. */
  on?: true
  /** Too large for a flag or a variable: in the configuration file only. */
  fileOnly?: true
  /** Leads to the file, so it cannot stand in it. */
  notInFile?: true
}

const logLevels = ['silent', 'error', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** The key is the name in the file; `webhook_url` is `--webhook-url` and `PAYMENTS_SANDBOX_WEBHOOK_URL`. */
const settings = {
  port: {
    kind: 'value',
    schema: port,
    fallback: 4010,
    placeholder: '<number>',
    help: 'port to listen on; 0 takes any free one (default 4010)',
  },
  host: {
    kind: 'value',
    schema: text,
    fallback: '127.0.0.1',
    placeholder: '<address>',
    help: 'address to listen on (default 127.0.0.1)',
  },
  db: {
    kind: 'value',
    schema: text,
    fallback: ':memory:',
    placeholder: '<file>',
    help: 'SQLite file that keeps the state (default :memory:, which forgets)',
  },
  snapshot: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<file>',
    help: 'begin as a file of snapshot export has it; reset comes back to that',
  },
  database_driver: {
    kind: 'value',
    schema: oneOf(databaseDrivers),
    fallback: null,
    placeholder: '<name>',
    help: `what opens it: ${databaseDrivers.join(' or ')} (default: the first that loads)`,
  },
  webhook_url: {
    kind: 'value',
    schema: configSettings.webhook_url,
    fallback: null,
    placeholder: '<url>',
    help: 'where webhooks go when neither charge nor credential says so',
  },
  clock: {
    kind: 'value',
    schema: configSettings.clock,
    fallback: null,
    placeholder: '<mode>',
    help: 'realtime, or manual: time passes only when told',
  },
  scenarios: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<folder>',
    help: 'folder of your own scenarios',
  },
  arm: {
    kind: 'list',
    schema: texts,
    fallback: [],
    placeholder: '<scenario>',
    help: 'arm a scenario from the start; repeatable',
  },
  config: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<file>',
    help: 'read settings from a YAML or JSON file',
    notInFile: true,
  },
  seed: {
    kind: 'value',
    schema: configSettings.seed,
    fallback: null,
    placeholder: '<text>',
    help: 'the same seed gives the same ids, codes and addresses',
  },
  strict_webhooks: {
    kind: 'switch',
    schema: configSettings.strict_webhooks,
    fallback: false,
    help: 'refuse http:// webhook addresses everywhere',
  },
  rate_limits: {
    kind: 'switch',
    schema: configSettings.rate_limits,
    fallback: true,
    on: true,
    help: 'switch the documented rates off',
  },
  admin_token: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<text>',
    help: 'ask for this token on the control API',
  },
  allow_host: {
    kind: 'list',
    schema: texts,
    fallback: [],
    placeholder: '<name>',
    help: 'answer to this Host as well; repeatable',
  },
  log_level: {
    kind: 'value',
    schema: oneOf(logLevels),
    fallback: null,
    placeholder: '<level>',
    help: `${logLevels.join(', ')} (default: info at a terminal, else error)`,
  },
  json: { kind: 'switch', schema: flag, fallback: false, help: 'print one line of JSON instead of the banner' },
  open: { kind: 'switch', schema: flag, fallback: false, help: 'open the dashboard in the browser' },
  config_out: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<file>',
    help: 'write address and credentials as JSON for other processes',
  },
  cashout_settle: {
    kind: 'value',
    schema: configSettings.cashout_settle,
    fallback: null,
    fileOnly: true,
    help: 'auto, manual, or after how long a withdrawal settles by itself (2s)',
  },
  pix_charge_life: {
    kind: 'value',
    schema: configSettings.pix_charge_life,
    fallback: null,
    fileOnly: true,
    help: 'how long a PIX charge can be paid (1h)',
  },
  below_minimum: {
    kind: 'value',
    schema: configSettings.below_minimum,
    fallback: null,
    fileOnly: true,
    help: 'what an amount below the minimum is refused with',
  },
  dispute_deadline: {
    kind: 'value',
    schema: configSettings.dispute_deadline,
    fallback: null,
    placeholder: '<outcome>',
    help: 'what becomes of a dispute that nobody answers: confirm, lose or manual (default confirm)',
  },
  rates: {
    kind: 'value',
    schema: configSettings.rates,
    fallback: {},
    fileOnly: true,
    help: 'what one unit of a currency is worth in BRL',
  },
  spread_percent: {
    kind: 'value',
    schema: configSettings.spread_percent,
    fallback: null,
    fileOnly: true,
    help: 'what a conversion keeps of the rate',
  },
  demo_secrets: {
    kind: 'value',
    schema: configSettings.demo_secrets,
    fallback: null,
    fileOnly: true,
    help: 'known, or random: secrets of the demonstration accounts that no page shows (known)',
  },
  accounts: {
    kind: 'value',
    schema: configSettings.accounts,
    fallback: [],
    fileOnly: true,
    help: 'accounts that are there from the start',
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings
export const settingNames = Object.keys(settings) as SettingName[]
export type Settings = {
  -readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> | (typeof settings)[Name]['fallback']
}

export const setting = (name: SettingName): Setting => settings[name]
export const flagOf = (name: SettingName) => `--${name.replaceAll('_', '-')}`
export const variableOf = (name: SettingName) => `PAYMENTS_SANDBOX_${name.toUpperCase()}`
/** `PAYMENTS_SANDBOX_NO_RATE_LIMITS=1` means `PAYMENTS_SANDBOX_RATE_LIMITS=0`. */
export const negatedVariableOf = (name: SettingName) => `PAYMENTS_SANDBOX_NO_${name.toUpperCase()}`
