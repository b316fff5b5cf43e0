/** Finds the rows of the tables that no test has used, from the notes of a run. */

import { settingNames } from '../../src/cli/settings/settings.js'
import { actionNames } from '../../src/protocol/actions/actions.js'
import { endpointNames } from '../../src/protocol/platform/endpoints.js'
import { errorCatalogue } from '../../src/protocol/platform/errors.js'
import { eventNames } from '../../src/protocol/platform/events.js'
import { stepNames } from '../../src/protocol/scenario/steps.js'
import { platformSettingNames, platformSettings } from '../../src/protocol/settings/platform.js'
import { commands } from './all-commands.js'
import { controlRows } from './control-rows.js'
import type { Kind } from './noted.js'

interface Table {
  words: string
  rows: readonly string[]
  /** Returns the row of a note that is not the row's name. */
  rowOf?: (note: string) => string | undefined
}

type Rows = Exclude<Kind, 'file' | 'undocumented'>

const tables: Readonly<Record<Rows, () => Table | Promise<Table>>> = {
  route: () => ({ words: 'calls these routes of the control API', rows: Object.keys(controlRows) }),
  endpoint: () => ({ words: 'is answered by these endpoints', rows: endpointNames }),
  error: () => ({ words: 'is reported these error codes', rows: Object.keys(errorCatalogue) }),
  event: () => ({ words: 'is sent these events', rows: eventNames }),
  action: () => ({ words: 'triggers these actions', rows: actionNames }),
  step: () => ({ words: 'runs these steps of scenarios', rows: stepNames }),
  setting: () => ({
    words: 'makes use of these settings',
    rows: settingNames,
    rowOf: (noted) => settingNames.find((name) => name === noted) ?? settingThatSets(noted),
  }),
  command: async () => {
    const files = await Promise.all(Object.values(commands).map(({ load }) => load()))
    const rows = files.flatMap(({ usages }) => Object.keys(usages))
    // `webhooks wait` has its own row, `webhooks evt_1` does not.
    return {
      words: 'types these commands',
      rows,
      rowOf: (noted) => (rows.includes(noted) ? noted : noted.split(' ')[0]),
    }
  },
}

const settingThatSets = (field: string) => platformSettingNames.find((name) => field in platformSettings[name].defaults)

/** Returns a line for each table that has unused rows. */
export async function idleRows(notes: Iterable<string>): Promise<string[]> {
  const noted = [...notes].map((line) => line.split(/ (.*)/))
  const kinds = Object.entries(tables).map(async ([kind, table]) => {
    const { words, rows, rowOf = (name: string) => name } = await table()
    const done = new Set(noted.flatMap(([of, name = '']) => (of === kind ? [rowOf(name)] : [])))
    const idle = rows.filter((row) => !done.has(row))
    return idle.length === 0 ? [] : [`no test ${words}: ${idle.join(', ')}`]
  })
  return (await Promise.all(kinds)).flat()
}
