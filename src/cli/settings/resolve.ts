/** Resolves settings: flags override environment variables, which override the configuration file, which overrides defaults. */

import { tableOf } from '../../base/keys.js'
import { nearest } from '../../base/text.js'
import type { SettingSource } from '../../protocol/control/state.js'
import { variablePrefix as prefix, variableOf } from '../../protocol/settings/process.js'
import { UnusableFile } from '../../runtime/node/files/input.js'
import { didYouMean, Failure, UsageError } from '../errors.js'
import {
  flagOf,
  isSwitch,
  negatedVariableOf,
  type SettingName,
  type Settings,
  type Sources,
  setting,
  settingNames,
} from './settings.js'

// The environment variables of the program. An unknown name with our prefix is an error.

/** Variables that are no settings of `start`: those of other commands and packages, and internal ones. */
const otherVariables = [
  'URL',
  'WORKSPACE',
  'ACCOUNT',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'SIGNING_KEY',
  'WEBHOOK_SECRET',
  'ADMIN_TOKEN',
  'STATE_FOLDER',
  'COMMAND',
  'DETACHED_MARK',
].map((name) => prefix + name)

const fileOnlyVariables = settingNames.filter((name) => setting(name).fileOnly).map(variableOf)
const settingVariables = settingNames
  .filter((name) => !setting(name).fileOnly)
  .flatMap((name) => (isSwitch(name) ? [variableOf(name), negatedVariableOf(name)] : variableOf(name)))

const knownVariables: readonly string[] = [...settingVariables, ...otherVariables]

/** Kubernetes sets these for each service; for a service called payments-sandbox they have our prefix. */
const kubernetesPattern = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/
const serviceAddress = /^(tcp|udp|sctp):\/\//

/** Returns whether Kubernetes set the variable for a service, such as `PAYMENTS_SANDBOX_PORT=tcp://10.0.0.1:4010`. */
const isFromKubernetes = (name: string, value: string): boolean =>
  kubernetesPattern.test(name) || (name.endsWith('_PORT') && serviceAddress.test(value))

/** Returns an error line for each unknown variable with our prefix and a value. */
function unknownVariables(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (!name.startsWith(prefix) || value === '' || knownVariables.includes(name) || isFromKubernetes(name, value))
      return []
    if (fileOnlyVariables.includes(name))
      return `${name} is not supported as a variable; set it in the configuration file`
    const guess = nearest(
      name.slice(prefix.length),
      knownVariables.map((one) => one.slice(prefix.length)),
    )
    return `unknown variable ${name}${didYouMean(guess && prefix + guess) || '; remove it'}`
  })
}

type Environment = Record<string, string | undefined>

export interface ResolvedSettings {
  settings: Settings
  sources: Sources
}

/** Returns whether a value is a file name: it contains a dot or a slash. */
const isFileName = (value: unknown): value is string => typeof value === 'string' && /[./\\]/.test(value)

/**
 * The keys of `flagTexts` are names of settings; `flagSource` is the source that is reported for these settings. Throws
 * `UsageError` if a flag or a variable is wrong, with a line for each mistake; `Failure` or `UnusableFile` if only the
 * file is wrong.
 */
export async function resolveSettings(
  flagTexts: Record<string, unknown>,
  variables: Environment,
  flagSource: SettingSource = 'flag',
): Promise<ResolvedSettings> {
  const mistakes: string[] = []
  const flags = await withFiles(flagTexts, (name) => name)
  const environment = await withFiles(variables, variableOf)
  const fromFlags = tableOf(settingNames, (name) => fromFlag(name, flags, mistakes))
  const fromVariables = tableOf(settingNames, (name) =>
    fromFlags[name] === undefined ? fromEnvironment(name, environment, mistakes) : undefined,
  )
  mistakes.push(...unknownVariables(variables))
  const file = await fromFile(fromFlags.config ?? fromVariables.config, mistakes)
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
  const found = tableOf(settingNames, (name): [unknown, SettingSource] => {
    if (fromFlags[name] !== undefined) return [fromFlags[name], flagSource]
    if (fromVariables[name] !== undefined) return [fromVariables[name], 'environment']
    return file[name] === undefined ? [setting(name).fallback, 'default'] : [file[name], 'file']
  })
  // Each value is the output of the schema of its setting, or the default. These are the types in `Settings`.
  const settings = tableOf(settingNames, (name) => found[name][0]) as Settings
  return { settings, sources: tableOf(settingNames, (name) => found[name][1]) }
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
  if (!isSwitch(name)) return undefined
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
    // Beside wrong flags or variables, the mistakes in the file are reported as further lines.
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
