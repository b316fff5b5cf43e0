/** Control route of the settings: their values, their defaults and how each is set. */
import * as z from 'zod'
import { model, route } from './route.js'

const settingState = model('SettingState', () =>
  z.strictObject({
    name: z.string().describe('Key of the configuration file'),
    title: z.string(),
    value: z.unknown().describe('A text, a number, a boolean or a table; null if the sandbox has no fixed value'),
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

export const settingRoutes = {
  readSettings: route({
    method: 'GET',
    path: '/settings',
    summary: 'The settings that the sandbox was started with, and their defaults; without `accounts`',
    answer: () => z.strictObject({ data: z.array(settingState()) }),
  }),
} as const
