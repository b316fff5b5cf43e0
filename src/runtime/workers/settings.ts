/** What the variables and secrets of a deployment say. */
import type * as z from 'zod'
import { dayMs } from '../../base/duration.js'
import { megabyte } from '../../protocol/platform/limits.js'
import {
  type Config,
  configOf,
  type PlatformSetting,
  platformSettingNames,
  platformSettings,
} from '../../protocol/settings/platform.js'
import { count, duration, flag, texts, webUrl } from '../../protocol/settings/values.js'
import type { Limits } from './quota.js'

export interface Settings {
  config: Config
  arm: readonly string[]
  /** For one person on one machine: no tokens, demonstration credentials, webhooks to private addresses. */
  isLocal: boolean
  /** Names of hosts: those that a local one answers to, those of private networks that webhooks may go to. */
  allowHosts: readonly string[]
  /** Where callers reach the deployment; null: learned from authenticated calls. */
  origin: string | null
  /** Of each workspace; null: none. */
  limits: Limits | null
}

/** Text, or JSON where the deployment writes it so. */
export type Variables = Readonly<Record<string, unknown>>

const prefix = 'PAYMENTS_SANDBOX_'

/** A variable that nobody knows is left to others. Throws where one that is known has no good value. */
export function settingsOf(variables: Variables): Settings {
  function read<T>(name: string, schema: z.ZodType<T>): T | undefined {
    const variable = prefix + name.toUpperCase()
    const value = variables[variable]
    if (value === undefined || value === '') return undefined
    const result = schema.safeParse(value)
    if (result.success) return result.data
    throw new Error(`${variable} ${result.error.issues[0]?.message ?? 'is invalid'}`)
  }
  const settings: Partial<Record<PlatformSetting, unknown>> = Object.fromEntries(
    platformSettingNames.map((name) => [name, read<unknown>(name, platformSettings[name].schema)]),
  )
  const isLocal = read('local', flag) ?? false
  return {
    // What everybody knows opens no sandbox that everybody reaches.
    config: configOf(isLocal ? settings : { ...settings, demo_secrets: 'random' }),
    arm: read('arm', texts) ?? [],
    isLocal,
    allowHosts: read('allow_host', texts) ?? [],
    origin: originOf(read('url', webUrl)),
    limits: isLocal
      ? null
      : {
          callsPerSecond: read('calls_per_second', count) ?? 50,
          strangerCallsPerMinute: read('stranger_calls_per_minute', count) ?? 120,
          storageBytes: (read('storage_mb', count) ?? 16) * megabyte,
          webhooksPerMinute: read('webhooks_per_minute', count) ?? 300,
          certificationsPerHour: read('certifications_per_hour', count) ?? 20,
          snapshots: read('snapshots', count) ?? 5,
          idleMs: read('idle', duration) ?? 30 * dayMs,
        },
  }
}

const originOf = (url: string | undefined) => (url === undefined ? null : new URL(url).origin)
