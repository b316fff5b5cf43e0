/** Converts the options of `startSandbox` into the configuration of a workspace. */

import { keysOf, tableOf } from '../base/keys.js'
import { camelCase } from '../base/text.js'
import { fieldsIn } from '../base/unknown.js'
import { UsageError } from '../client/errors.js'
import type { StartedWith } from '../protocol/control/state.js'
import {
  type Config,
  configOf,
  type PlatformSetting,
  platformSettingNames,
  platformSettings,
} from '../protocol/settings/platform.js'
import { databaseDrivers, durabilities } from '../protocol/settings/process.js'
import { requireKnown, type StartOptions } from './options.js'

const isText = (value: unknown): boolean => typeof value === 'string'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isPort = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0

/** Options of the process, not of the platform's behavior, with a check and its message. */
const processOptions: Readonly<Record<string, readonly [isIt: (value: unknown) => boolean, rule: string]>> = {
  db: [isText, 'must be a string: a file, or :memory:'],
  databaseDriver: [
    (value) => databaseDrivers.some((name) => name === value),
    `must be one of ${databaseDrivers.join(', ')}`,
  ],
  durability: [(value) => durabilities.some((name) => name === value), `must be one of ${durabilities.join(', ')}`],
  snapshot: [isText, 'must be a string: a file'],
  maxImportMb: [isCount, 'must be a positive whole number'],
  host: [isText, 'must be a string: an address'],
  port: [isPort, 'must be a whole number from 0 to 65535'],
  adminToken: [isText, 'must be a string'],
  allowHosts: [isTexts, 'must be a list of strings'],
  scenarios: [isText, 'must be a string: a folder'],
  arm: [isTexts, 'must be a list of strings: names of scenarios'],
}

/** Throws `UsageError` for an unknown option or an invalid value. */
export function configOfOptions(options: StartOptions): Config {
  requireKnown('startSandbox', options, [...platformSettingNames.map(camelCase), ...keysOf(processOptions)])
  if (options.snapshot !== undefined && options.accounts !== undefined)
    throw new UsageError('the snapshot already contains accounts: remove the option snapshot or the option accounts')
  const input: Readonly<Record<string, unknown>> = { ...options }
  for (const [name, [isIt, rule]] of Object.entries(processOptions))
    if (input[name] !== undefined && !isIt(input[name])) throw new UsageError(`${name} ${rule}`)
  const values = platformSettingNames.map((name) => [name, parseSetting(name, input[camelCase(name)])])
  return configOf(Object.fromEntries(values))
}

/** Whether each setting of the platform's behavior is an option or the default. Options of the process are not listed. */
export const startedWithOptions = (options: StartOptions): StartedWith => ({
  sources: tableOf(platformSettingNames, (name) =>
    fieldsIn(options)[camelCase(name)] === undefined ? 'default' : 'option',
  ),
  process: [],
})

function parseSetting(name: PlatformSetting, input: unknown): unknown {
  if (input === undefined) return undefined
  const result = platformSettings[name].schema.safeParse(input)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new UsageError(`${[camelCase(name), ...(issue?.path ?? [])].join('.')} ${issue?.message ?? 'is invalid'}`)
}
