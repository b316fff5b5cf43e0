/** The values of settings in the form of the configuration file. */
import { exactDuration } from '../../base/duration.js'
import { isDeepEqualJson } from '../../base/equal.js'
import { offsetText } from '../../base/iso.js'
import { keysOf } from '../../base/keys.js'
import { type Config, defaultConfig, type PlatformSetting, platformSettings } from './platform.js'

/** Returns the value of a setting, null if it is not set, and whether it differs from the default. */
export function valueInFile(setting: PlatformSetting, config: Config): { value: unknown; isDefault: boolean } {
  const { defaults, effective = null }: { defaults: object; effective?: string | null } = platformSettings[setting]
  const names = keysOf(defaultConfig).filter((name) => name in defaults)
  const changed = names.filter((name) => !isDeepEqualJson(config[name], defaultConfig[name]))
  // A setting of several parts has the value of the part that differs.
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
