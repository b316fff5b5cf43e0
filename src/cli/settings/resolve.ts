/** Resolves settings: flags override environment variables, which override the configuration file, which overrides defaults. */
import { variableOf } from '../../protocol/settings/variables.js'
import { UnusableFile } from '../../runtime/node/files/unusable.js'
import { Failure, UsageError } from '../errors.js'
import { flagOf, negatedVariableOf, type SettingName, type Settings, setting, settingNames } from './settings.js'
import { isFromKubernetes, unknownVariables } from './variables.js'

type Environment = Record<string, string | undefined>

/** Returns whether a value is a file name: it contains a dot or a slash. */
const isFileName = (value: unknown): value is string => typeof value === 'string' && /[./\\]/.test(value)

/**
 * Keys of `flagTexts` are setting names. The error lists every mistake, one per line: `UsageError` if one is in a flag or
 * a variable, `Failure` or `UnusableFile` if all are in the file.
 */
export async function resolveSettings(flagTexts: Record<string, unknown>, variables: Environment): Promise<Settings> {
  const mistakes: string[] = []
  const flags = await withFiles(flagTexts, (name) => name)
  const environment = await withFiles(variables, variableOf)
  const input = Object.fromEntries(
    settingNames.map((name) => [name, fromFlag(name, flags, mistakes) ?? fromEnvironment(name, environment, mistakes)]),
  )
  mistakes.push(...unknownVariables(variables))
  const file = await fromFile(input.config, mistakes)
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
  const values = settingNames.map((name) => [name, input[name] ?? file[name] ?? setting(name).fallback])
  // `Settings` takes the type of each value from the schema or the default of its setting.
  return Object.fromEntries(values) as Settings
}

/** Returns the value of one setting, for another command that has it as a flag. Throws `UsageError`, or `Failure` if its file is wrong. */
export async function resolveFlag(name: SettingName, text: string): Promise<unknown> {
  const mistakes: string[] = []
  const value = fromFlag(name, await withFiles({ [name]: text }, (key) => key), mistakes)
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
  return value
}

/** Replaces file names with the content of the files, for settings that accept a file. */
async function withFiles(
  input: Record<string, unknown>,
  keyOf: (name: SettingName) => string,
): Promise<Record<string, unknown>> {
  const contents: Record<string, unknown> = {}
  for (const name of settingNames) {
    const value = input[keyOf(name)]
    if (setting(name).acceptsFile === true && isFileName(value))
      contents[keyOf(name)] = (await import('./config-file.js')).readValueFile(name, value)
  }
  return { ...input, ...contents }
}

function fromFlag(name: SettingName, flags: Record<string, unknown>, mistakes: string[]): unknown {
  return flags[name] === undefined ? undefined : parse(name, flags[name], flagOf(name), mistakes)
}

/** An empty variable counts as not set. */
function fromEnvironment(name: SettingName, environment: Record<string, unknown>, mistakes: string[]): unknown {
  if (setting(name).fileOnly) return undefined
  const variable = variableOf(name)
  const text = environment[variable]
  const isKubernetesService = typeof text === 'string' && isFromKubernetes(variable, text)
  if (text !== undefined && text !== '' && !isKubernetesService) return parse(name, text, variable, mistakes)
  if (setting(name).kind !== 'switch') return undefined
  const negated = environment[negatedVariableOf(name)]
  if (negated === undefined || negated === '') return undefined
  const value = parse(name, negated, negatedVariableOf(name), mistakes)
  return value === undefined ? undefined : !value
}

async function fromFile(config: unknown, mistakes: string[]): Promise<Partial<Settings>> {
  if (typeof config !== 'string') return {}
  try {
    return (await import('./config-file.js')).readConfigFile(config)
  } catch (error) {
    if (mistakes.length === 0 || !(error instanceof Failure || error instanceof UnusableFile)) throw error
    mistakes.push(error.message)
    return {}
  }
}

/** Returns undefined for an invalid value, and adds its message to `mistakes`. */
function parse(name: SettingName, value: unknown, source: string, mistakes: string[]): unknown {
  const result = setting(name).schema.safeParse(value)
  if (result.success) return result.data
  mistakes.push(`${source} ${result.error.issues[0]?.message ?? 'is invalid'}`)
  return undefined
}
