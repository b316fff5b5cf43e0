/** The settings that the sandbox was started with, and chaos. */
import { chaosState, setChaos } from '../../core/webhooks/faults.js'
import type { chaosRoutes, SettingSource, SettingState, settingRoutes } from '../../protocol/control/settings.js'
import { type Config, defaultInFile, type PlatformSetting, valueInFile } from '../../protocol/settings/platform.js'
import { variableOf } from '../../protocol/settings/process.js'
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

function stateOf(row: SettingRow, config: Config, source: SettingSource | undefined): SettingState {
  const { key, flag, title, defaultText } = row
  const { value, isDefault } = valueInFile(key, config)
  return {
    name: key,
    title,
    value,
    default: defaultInFile(key),
    source: source ?? (isDefault ? 'default' : 'option'),
    is_default: isDefault,
    default_text: defaultText,
    flag,
    variable: flag === null ? null : variableOf(key),
    is_assumption: 'x-assumed' in row,
  }
}

export const settingHandlers: Handlers<typeof settingRoutes> = {
  readSettings: ({ ws, host: { startedWith = { sources: {}, process: [] } } }) => ({
    data: [
      ...startedWith.process,
      ...settingRows()
        .filter(isListed)
        .map((row) => stateOf(row, ws.config, startedWith.sources[row.key])),
    ],
  }),
}
