/** What the variables and secrets of a deployment say. */
import type { Config } from '../../core/workspace/config.js'
import { type ConfigSettings, configOf, configSettings } from '../shared/config-settings.js'
import { flag, texts } from '../shared/setting-values.js'

export interface Settings {
  config: Config
  arm: readonly string[]
  /** For one person on one machine: no tokens, demonstration credentials, webhooks to private addresses. */
  isLocal: boolean
  /** Names of hosts: those that a local one answers to, those of private networks that webhooks may go to. */
  allowHosts: readonly string[]
}

/** Text, or JSON where the deployment writes it so. */
export type Variables = Readonly<Record<string, unknown>>

const prefix = 'PAYMENTS_SANDBOX_'
const own = { arm: texts, local: flag, allow_host: texts } as const
const schemas = { ...configSettings, ...own }

/** A variable that nobody knows is left to others. Throws where one that is known has no good value. */
export function settingsOf(variables: Variables): Settings {
  const given = Object.entries(schemas).flatMap(([name, schema]) => {
    const variable = prefix + name.toUpperCase()
    const value = variables[variable]
    if (value === undefined || value === '') return []
    const result = schema.safeParse(value)
    if (result.success) return [[name, result.data]]
    throw new Error(`${variable} ${result.error.issues[0]?.message ?? 'is invalid'}`)
  })
  // Each value has just been read by the schema of its name.
  const settings = Object.fromEntries(given) as ConfigSettings & {
    arm?: string[]
    local?: boolean
    allow_host?: string[]
  }
  const isLocal = settings.local ?? false
  return {
    // What everybody knows opens no sandbox that everybody reaches.
    config: configOf(isLocal ? settings : { ...settings, demo_secrets: 'random' }),
    arm: settings.arm ?? [],
    isLocal,
    allowHosts: settings.allow_host ?? [],
  }
}
