/** Control routes of the settings (values, defaults, sources) and of chaos, which changes while the sandbox runs. */
import * as z from 'zod'
import { chaosSchema } from '../settings/chaos.js'
import { model, route } from './route.js'

/** The sources of values, from the strongest to the weakest. `option`: an option of the library or of a tool. */
const settingSources = ['option', 'flag', 'environment', 'file', 'default'] as const
export type SettingSource = (typeof settingSources)[number]

const settingState = model('SettingState', () =>
  z.strictObject({
    name: z.string().describe('Key of the configuration file'),
    title: z.string(),
    value: z
      .unknown()
      .describe('A text, a number, a boolean or a table; null if it is not set; `(hidden)` for a secret'),
    default: z.unknown().describe('The value without the setting, in the same form'),
    source: z
      .enum(settingSources)
      .describe('Where the value came from: `option` of the library, `flag`, `environment`, `file` or `default`'),
    is_default: z.boolean(),
    default_text: z.string().describe('The default in words'),
    flag: z.string().nullable().describe('Option of the command line; null if only the configuration file has it'),
    variable: z.string().nullable().describe('Environment variable; null if only the configuration file has it'),
    is_assumption: z
      .boolean()
      .describe('Whether it decides an assumption about the platform, not a property of the sandbox'),
  }),
)

export type SettingState = z.output<ReturnType<typeof settingState>>

/** What the host knows about the settings that it was started with. */
export interface StartedWith {
  sources: Readonly<Partial<Record<string, SettingSource>>>
  /** The settings of the process, which the platform's behavior does not depend on. */
  process: readonly SettingState[]
}

export const settingRoutes = {
  readSettings: route('GET /settings', {
    summary:
      'The settings that the sandbox was started with, their defaults and sources; without `accounts` and secrets',
    answer: () => z.strictObject({ data: z.array(settingState()) }),
  }),
} as const

const chaos = model('Chaos', () => chaosSchema().describe('`{}`: no faults. Each rate is a string such as `1%`'))

export const chaosRoutes = {
  readChaos: route('GET /chaos', { summary: 'Which random faults occur, and how often', answer: chaos }),
  setChaos: route('PUT /chaos', {
    summary: 'Inject random faults from now on; replaces all earlier faults',
    body: chaosSchema,
    answer: chaos,
    example: { seed: 'a', error: '1%', slow: { share: '5%', by: '1s' } },
  }),
  endChaos: route('DELETE /chaos', { summary: 'Stop injecting faults', answer: chaos }),
} as const
