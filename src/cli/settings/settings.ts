/** The table of the settings of `start`. Flags, environment variables and configuration keys follow from it. */

import { type Command, Option } from 'commander'
import type * as z from 'zod'
import { keysOf, tableOf } from '../../base/keys.js'
import { camelCase, capitalized } from '../../base/text.js'
import { isDeepEqualJson } from '../../base/unknown.js'
import type { SettingSource, StartedWith } from '../../protocol/control/state.js'
import { defaultInFile, type PlatformSetting, platformSettings } from '../../protocol/settings/platform.js'
import { databaseDrivers, defaultHost, defaultPort, durabilities, variableOf } from '../../protocol/settings/process.js'
import { count, flag, hosts, oneOf, port, type SettingHelp, text, texts } from '../../protocol/settings/values.js'

interface Setting extends SettingHelp {
  schema: z.ZodType
  /** A list: the flag can be repeated. */
  fallback: unknown
  /** Its value is never shown. */
  isSecret?: true
  /** On the page of settings (default: the help). */
  title?: string
  /** Whether a flag or a variable can name a file that contains the value. */
  acceptsFile?: true
  /** Names the configuration file, so the file cannot contain it. */
  notInFile?: true
}

const logLevels = ['silent', 'error', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** A setting that names a file, a folder or a scenario. */
const named = (placeholder: string, help: string) => ({ schema: text, fallback: null, placeholder, help }) as const

/** The settings by their name in the file: `webhook_url` is `--webhook-url` and `PAYMENTS_SANDBOX_WEBHOOK_URL`. */
const settings = {
  port: {
    schema: port,
    fallback: defaultPort,
    placeholder: '<number>',
    help: 'port to listen on; 0: any free one',
  },
  host: {
    schema: text,
    fallback: defaultHost,
    placeholder: '<address>',
    help: 'address to listen on',
  },
  db: {
    schema: text,
    fallback: ':memory:',
    placeholder: '<file>',
    help: 'SQLite file for the state',
  },
  snapshot: named('<file>', 'start from this snapshot file'),
  max_import_mb: {
    schema: count,
    fallback: null,
    placeholder: '<number>',
    help: 'largest snapshot file that can be imported, in MB',
    usual: 'no limit',
    isRare: true,
  },
  database_driver: {
    schema: oneOf(databaseDrivers),
    fallback: null,
    placeholder: '<name>',
    help: databaseDrivers.join(' or '),
    title: 'SQLite driver: better-sqlite3 or node',
    usual: 'by Node version',
  },
  durability: {
    schema: oneOf(durabilities),
    fallback: 'normal',
    placeholder: '<level>',
    help: 'full: survives a power failure',
    title: 'Durability of the state: normal, or full, which survives a power failure',
  },
  ...platformSettings,
  chaos: { ...platformSettings.chaos, acceptsFile: true },
  scenarios: named('<folder>', 'folder with your own scenarios'),
  arm: {
    schema: texts,
    fallback: [],
    placeholder: '<scenario>',
    help: 'scenario armed at start; repeatable',
  },
  config: { ...named('<file>', 'settings from a YAML or JSON file'), notInFile: true },
  admin_token: {
    schema: text,
    fallback: null,
    placeholder: '<text>',
    help: 'admin token',
    title: 'Admin token',
    usual: 'none; off loopback: random',
    isSecret: true,
  },
  allow_host: {
    schema: hosts,
    fallback: [],
    placeholder: '<name>',
    help: 'name to accept in Host, webhook URLs',
  },
  tls: {
    schema: flag,
    fallback: false,
    help: 'serve https with a certificate made on first use',
  },
  tls_cert: named('<file>', 'certificate for https (PEM)'),
  tls_key: named('<file>', 'private key of --tls-cert (PEM)'),
  log_level: {
    schema: oneOf(logLevels),
    fallback: null,
    placeholder: '<level>',
    help: logLevels.join('|'),
    title: 'Log level: silent, error, info, debug',
    usual: 'error; TTY: info',
  },
  json: { schema: flag, fallback: false, help: 'print one line of JSON instead of the banner' },
  open: { schema: flag, fallback: false, help: 'open the dashboard in a browser' },
  config_out: named('<file>', 'write URL and secrets to this file'),
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings
export const settingNames = keysOf(settings)
export type Settings = {
  -readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> | (typeof settings)[Name]['fallback']
}

export const setting = (name: SettingName): Setting => settings[name]
export const isSwitch = (name: SettingName): boolean =>
  setting(name).placeholder === undefined && !setting(name).fileOnly
const isPlatformSetting = (name: SettingName): name is PlatformSetting => name in platformSettings

/** The value without the setting, in the form of the configuration file. */
const defaultOf = (name: SettingName): unknown =>
  isPlatformSetting(name) ? defaultInFile(name) : setting(name).fallback

/** The default in the help. */
function defaultWords(name: SettingName): string {
  const { usual } = setting(name)
  const value = defaultOf(name)
  if (usual !== undefined) return usual
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none'
  if (typeof value !== 'object') return String(value)
  return name === 'platform' ? 'none' : 'in docs/assumptions.md'
}

/** The help of a setting with its default; a switch is off unless it is given. */
export const helpOf = (name: SettingName): string =>
  isSwitch(name) ? setting(name).help : `${setting(name).help} (default: ${defaultWords(name)})`

export type Sources = Readonly<Record<SettingName, SettingSource>>

/**
 * Settings with their sources, for the control API of the sandbox that they start. `chosen` are the values that the
 * sandbox chooses by itself where no setting and no fixed default decides.
 */
export const startedWith = (settings: Settings, sources: Sources, chosen: Partial<Settings>): StartedWith => ({
  sources,
  process: settingNames
    .filter((name) => !isPlatformSetting(name))
    .map((name) => {
      const { help, title, fallback, isSecret } = setting(name)
      const value = settings[name] ?? chosen[name] ?? null
      return {
        name,
        title: title ?? capitalized(help),
        value: isSecret === true && value !== null ? '(hidden)' : value,
        default: fallback ?? (isSecret === true ? null : (chosen[name] ?? null)),
        source: sources[name],
        is_default: isDeepEqualJson(settings[name], fallback),
        default_text: defaultWords(name),
        flag: flagOf(name),
        variable: variableOf(name),
        is_assumption: false,
      }
    }),
})

export const flagOf = (name: SettingName) => `--${name.replaceAll('_', '-')}`
/** Returns the name of the negated variable: `PAYMENTS_SANDBOX_NO_RATE_LIMITS=1` means `PAYMENTS_SANDBOX_RATE_LIMITS=0`. */
export const negatedVariableOf = (name: SettingName) => variableOf(`no_${name}`)

/** Adds a flag for each setting, except those in `without`. `help` replaces help texts, for commands with other defaults. */
export function addSettingFlags(
  command: Command,
  without: readonly SettingName[] = [],
  help: Partial<Record<SettingName, string>> = {},
): void {
  for (const name of settingNames)
    if (!setting(name).fileOnly && !without.includes(name)) addFlag(command, name, help[name] ?? helpOf(name))
}

function addFlag(command: Command, name: SettingName, help: string): void {
  const { placeholder, fallback, isOnByDefault: on, isRare = false } = setting(name)
  const flag = flagOf(name)
  const negation = flag.replace('--', '--no-')
  if (isSwitch(name)) {
    const positive = new Option(flag, help)
    const negative = new Option(negation, help)
    command.addOption(on ? positive.hideHelp() : positive).addOption(on ? negative : negative.hideHelp())
    return
  }
  const option = new Option(`${flag} ${placeholder}`, help).hideHelp(isRare)
  command.addOption(
    Array.isArray(fallback)
      ? option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text])
      : option,
  )
}

/** Returns the given flags by setting name; undefined for a flag that was not given. */
export function flagsOf(command: Command): Record<string, unknown> {
  return tableOf(settingNames, (name) =>
    command.getOptionValueSource(camelCase(name)) === 'cli' ? command.getOptionValue(camelCase(name)) : undefined,
  )
}
