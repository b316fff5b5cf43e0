/** From the options of `startSandbox` to the configuration of a workspace. */
import {
  type Config,
  configOf,
  type PlatformSetting,
  platformSettingNames,
  platformSettings,
} from '../protocol/settings/platform.js'
import { requireKnown, type StartOptions } from './options.js'

/** Options that are about the process rather than the platform. */
const processOptions = [
  'db',
  'databaseDriver',
  'snapshot',
  'maxImportMb',
  'host',
  'port',
  'adminToken',
  'allowHosts',
  'scenarios',
  'arm',
] as const

/** `webhook_url` of the file is `webhookUrl` here. */
const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** Throws `TypeError` for an option that does not exist, or a value that is none. */
export function configOfOptions(options: StartOptions): Config {
  requireKnown('startSandbox', options, [...platformSettingNames.map(camel), ...processOptions])
  if (options.snapshot !== undefined && options.accounts !== undefined)
    throw new TypeError('the accounts come from the snapshot: leave out snapshot or accounts')
  const given: Readonly<Record<string, unknown>> = { ...options }
  const read = platformSettingNames.map((name) => [name, readAs(name, given[camel(name)])])
  return configOf(Object.fromEntries(read))
}

function readAs(name: PlatformSetting, given: unknown): unknown {
  if (given === undefined) return undefined
  const result = platformSettings[name].schema.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new TypeError(`${[camel(name), ...(issue?.path ?? [])].join('.')} ${issue?.message ?? 'is invalid'}`)
}
