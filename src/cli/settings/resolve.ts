/** Where a setting comes from: the flag, else the environment, else the configuration file, else the default. */
import { UsageError } from '../errors.js'
import {
  flagOf,
  negatedVariableOf,
  type SettingName,
  type Settings,
  setting,
  settingNames,
  variableOf,
} from './settings.js'

type Environment = Record<string, string | undefined>

/** `flags` by setting name, undefined where not given. Throws `UsageError` for a bad flag or variable, `Failure` for a bad file. */
export async function resolveSettings(flags: Record<string, unknown>, environment: Environment): Promise<Settings> {
  const given = Object.fromEntries(
    settingNames.map((name) => [name, fromFlag(name, flags) ?? fromEnvironment(name, environment)]),
  )
  const file = typeof given.config === 'string' ? (await import('./config-file.js')).readConfigFile(given.config) : {}
  const values = settingNames.map((name) => [name, given[name] ?? file[name] ?? setting(name).fallback])
  // Each by the schema of its row, or its fallback: the type of `Settings`, row by row.
  return Object.fromEntries(values) as Settings
}

function fromFlag(name: SettingName, flags: Record<string, unknown>): unknown {
  return flags[name] === undefined ? undefined : parse(name, flags[name], flagOf(name))
}

/** An empty variable is one that is not set. */
function fromEnvironment(name: SettingName, environment: Environment): unknown {
  if (setting(name).fileOnly) return undefined
  const variable = variableOf(name)
  const text = environment[variable]
  if (text !== undefined && text !== '') return parse(name, text, variable)
  if (setting(name).kind !== 'switch') return undefined
  const negated = environment[negatedVariableOf(name)]
  return negated === undefined || negated === '' ? undefined : !parse(name, negated, negatedVariableOf(name))
}

function parse(name: SettingName, value: unknown, source: string): unknown {
  const result = setting(name).schema.safeParse(value)
  if (result.success) return result.data
  throw new UsageError(`${source} ${result.error.issues[0]?.message ?? 'is invalid'}`)
}
