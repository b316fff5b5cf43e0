/** The table of the settings of `start`. Flags, environment variables and configuration keys follow from it. */

import type * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import { databaseDrivers, durabilities } from '../../protocol/control/shapes/drivers.js'
import { defaultHost, defaultPort } from '../../protocol/settings/address.js'
import { platformSettings } from '../../protocol/settings/platform.js'
import { count, flag, hosts, oneOf, port, text, texts } from '../../protocol/settings/values.js'
import { variableOf } from '../../protocol/settings/variables.js'

interface Setting {
  /** `list`: a repeatable flag. `switch`: a flag without a value, and its negation. */
  kind: 'value' | 'list' | 'switch'
  schema: z.ZodType
  fallback: unknown
  /** Placeholder of the value in the help, such as `<number>`. */
  placeholder?: string
  help: string
  /** Whether the help shows `--no-…`, because the default is on. */
  isOnByDefault?: true
  /** Whether the setting exists only in the configuration file, because it is too large for a flag or a variable. */
  fileOnly?: true
  /** Whether a flag or a variable can name a file that contains the value. */
  acceptsFile?: true
  /** Names the configuration file, so the file cannot contain it. */
  notInFile?: true
}

const logLevels = ['silent', 'error', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** The settings by their name in the file: `webhook_url` is `--webhook-url` and `PAYMENTS_SANDBOX_WEBHOOK_URL`. */
const settings = {
  port: {
    kind: 'value',
    schema: port,
    fallback: defaultPort,
    placeholder: '<number>',
    help: `port to listen on; 0 chooses any free port (default: ${defaultPort})`,
  },
  host: {
    kind: 'value',
    schema: text,
    fallback: defaultHost,
    placeholder: '<address>',
    help: `address to listen on (default: ${defaultHost})`,
  },
  db: {
    kind: 'value',
    schema: text,
    fallback: ':memory:',
    placeholder: '<file>',
    help: 'SQLite file for the state (default: :memory:, which is lost on exit)',
  },
  snapshot: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<file>',
    help: 'start from this snapshot file; payments-sandbox reset returns to it',
  },
  max_import_mb: {
    kind: 'value',
    schema: count,
    fallback: null,
    placeholder: '<number>',
    help: 'largest snapshot file that can be imported, in MB (default: no limit)',
  },
  database_driver: {
    kind: 'value',
    schema: oneOf(databaseDrivers),
    fallback: null,
    placeholder: '<name>',
    help: `SQLite driver: ${databaseDrivers.join(' or ')} (default: the first that loads)`,
  },
  durability: {
    kind: 'value',
    schema: oneOf(durabilities),
    fallback: 'normal',
    placeholder: '<level>',
    help: 'what a database file survives: normal every end of the process, full a power failure too (default: normal)',
  },
  ...platformSettings,
  chaos: { ...platformSettings.chaos, acceptsFile: true },
  scenarios: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<folder>',
    help: 'folder with your own scenarios',
  },
  arm: {
    kind: 'list',
    schema: texts,
    fallback: [],
    placeholder: '<scenario>',
    help: 'arm a scenario: apply it to matching calls from the start; repeatable',
  },
  config: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<file>',
    help: 'read settings from a YAML or JSON file',
    notInFile: true,
  },
  admin_token: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<text>',
    help: 'token that the control API requires (default: none on a loopback address, otherwise generated)',
  },
  allow_host: {
    kind: 'list',
    schema: hosts,
    fallback: [],
    placeholder: '<name>',
    help: 'accept this Host header too; repeatable',
  },
  tls: {
    kind: 'switch',
    schema: flag,
    fallback: false,
    help: 'serve https with a certificate of a local certificate authority, created on first use; payments-sandbox env prints the variables that clients need',
  },
  tls_cert: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<file>',
    help: 'serve https with this certificate (PEM, with its chain)',
  },
  tls_key: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<file>',
    help: 'private key of --tls-cert (PEM)',
  },
  log_level: {
    kind: 'value',
    schema: oneOf(logLevels),
    fallback: null,
    placeholder: '<level>',
    help: `${logLevels.join(', ')} (default: info at a terminal, otherwise error)`,
  },
  json: { kind: 'switch', schema: flag, fallback: false, help: 'print one line of JSON instead of the banner' },
  open: { kind: 'switch', schema: flag, fallback: false, help: 'open the dashboard in a browser' },
  config_out: {
    kind: 'value',
    schema: text,
    fallback: null,
    placeholder: '<file>',
    help: 'write base URL and credentials as JSON to this file',
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings
export const settingNames = keysOf(settings)
export type Settings = {
  -readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> | (typeof settings)[Name]['fallback']
}

export const setting = (name: SettingName): Setting => settings[name]
export const flagOf = (name: SettingName) => `--${name.replaceAll('_', '-')}`
/** Returns the name of the negated variable: `PAYMENTS_SANDBOX_NO_RATE_LIMITS=1` means `PAYMENTS_SANDBOX_RATE_LIMITS=0`. */
export const negatedVariableOf = (name: SettingName) => variableOf(`no_${name}`)
