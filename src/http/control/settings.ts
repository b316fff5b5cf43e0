/** The settings that the sandbox was started with, and chaos. */
import { exactDuration } from '../../base/duration.js'
import { isDeepEqualJson } from '../../base/equal.js'
import { offsetText } from '../../base/iso.js'
import { keysOf } from '../../base/keys.js'
import { chaosState, setChaos } from '../../core/webhooks/faults.js'
import type { chaosRoutes } from '../../protocol/control/chaos.js'
import type { SettingState, settingRoutes } from '../../protocol/control/settings.js'
import { type Config, defaultConfig, type PlatformSetting, platformSettings } from '../../protocol/settings/platform.js'
import { variableOf } from '../../protocol/settings/variables.js'
import { settingRows } from '../openapi/assumptions.js'
import type { Handlers } from './routes.js'

/** Chaos: reads, sets and ends random faults. */
export const chaosHandlers: Handlers<typeof chaosRoutes> = {
  readChaos: ({ ws }) => ws.unit((unit) => unit.memory.of(chaosState).chaos),
  setChaos: ({ ws, body }) => ws.unit((unit) => setChaos(unit, body)),
  endChaos: ({ ws }) => ws.unit((unit) => setChaos(unit, {})),
}

/** Accounts contain secrets and have their own routes. */
const isListed = ({ key }: { key: PlatformSetting }) => key !== 'accounts'

type SettingRow = ReturnType<typeof settingRows>[number]

function stateOf({ key, flag, title, defaultText, ...row }: SettingRow, config: Config): SettingState {
  const names = keysOf(defaultConfig).filter((name) => name in platformSettings[key].defaults)
  const changed = names.filter((name) => !isDeepEqualJson(config[name], defaultConfig[name]))
  // A setting of several parts has the value of the part that differs.
  const name = changed[0] ?? names[0]
  return {
    name: key,
    title,
    value: name === undefined ? null : configValue(name, config[name]),
    is_default: changed.length === 0,
    default_text: defaultText,
    flag,
    variable: flag === null ? null : variableOf(key),
    is_assumption: 'x-assumed' in row,
  }
}

/** Offsets and durations as in the configuration file. */
function configValue(name: keyof Config, value: unknown): unknown {
  if (typeof value !== 'number') return value
  if (name.endsWith('OffsetMs')) return offsetText(value)
  return name.endsWith('Ms') ? exactDuration(value) : value
}

export const settingHandlers: Handlers<typeof settingRoutes> = {
  readSettings: ({ ws }) => ({
    data: settingRows()
      .filter(isListed)
      .map((row) => stateOf(row, ws.config)),
  }),
}
