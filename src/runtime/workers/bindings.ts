/** The bindings of a deployment: its Durable Objects, variables and secrets, and the settings that follow from them. */

import type * as z from 'zod'
import { dayMs } from '../../base/duration.js'
import { tableOf } from '../../base/keys.js'
import type { CreatedWorkspace } from '../../http/host.js'
import { hostedLimitNames, hostedLimits, type StartedWith } from '../../protocol/control/state.js'
import { megabyte } from '../../protocol/platform/limits.js'
import {
  type Config,
  configOf,
  type PlatformSetting,
  platformSettingNames,
  platformSettings,
} from '../../protocol/settings/platform.js'
import { variableOf } from '../../protocol/settings/process.js'
import { count, duration, flag, hosts, texts, webUrl } from '../../protocol/settings/values.js'
import type { Limits } from './quota.js'
import type { ObjectsByName } from './runtime.js'

/** Methods that Durable Objects call on each other. Errors lose their class in such calls, so rejections are return values. */
export interface WorkspaceMethods {
  /** Creates the workspace of this object; `tokenHash` is the SHA-256 of its admin token. */
  createWorkspace(name: string, tokenHash: string | null): Promise<CreatedWorkspace>
  deleteWorkspace(): Promise<void>
}

export interface WorkspaceDirectoryMethods {
  /** Returns at most `limit` names in order, starting after `after`. */
  names(after: string, limit: number): Promise<string[]>
  has(name: string): Promise<boolean>
  add(name: string): Promise<'added' | 'taken' | 'full'>
  /** Returns whether the name existed. */
  remove(name: string): Promise<boolean>
}

export interface Bindings extends Variables {
  readonly WORKSPACES: ObjectsByName<WorkspaceMethods>
  readonly DIRECTORY: ObjectsByName<WorkspaceDirectoryMethods>
  /** The objects of features, by the name of their binding. */
  readonly [feature: string]: unknown
  /** The operator's token. If it is not set, only a local deployment is accessible. */
  readonly PAYMENTS_SANDBOX_OPERATOR_TOKEN?: string
}

/** Returns the directory; there is only one. */
export const directoryOf = ({ DIRECTORY }: Bindings) => DIRECTORY.getByName('directory')

export interface Settings {
  config: Config
  startedWith: StartedWith
  arm: readonly string[]
  /** Whether the deployment is local: no tokens, demonstration credentials, webhooks to private addresses. */
  isLocal: boolean
  /** Host names of a local deployment, and private host names to which webhooks may be sent. */
  allowHosts: readonly string[]
  /** Address of the deployment. With null, it is taken from authenticated calls. */
  origin: string | null
  /** Limits of each workspace; null if there are none. */
  limits: Limits | null
}

/** The variables of a deployment: text, or JSON if the deployment is configured that way. */
export type Variables = Readonly<Record<string, unknown>>

/** Reads the settings. Ignores unknown variables. Throws if a known one has an invalid value. */
export function settingsOf(variables: Variables): Settings {
  function read<T>(name: string, schema: z.ZodType<T>): T | undefined {
    const variable = variableOf(name)
    const value = variables[variable]
    if (value === undefined || value === '') return undefined
    const result = schema.safeParse(value)
    if (result.success) return result.data
    throw new Error(`${variable} ${result.error.issues[0]?.message ?? 'is invalid'}`)
  }
  const settings: Partial<Record<PlatformSetting, unknown>> = tableOf(platformSettingNames, (name) =>
    read<unknown>(name, platformSettings[name].schema),
  )
  const isLocal = read('local', flag) ?? false
  return {
    // A deployment that everyone can reach must not use the published credentials.
    config: configOf(isLocal ? settings : { ...settings, demo_secrets: 'random' }),
    startedWith: {
      sources: tableOf(platformSettingNames, (name) => (settings[name] === undefined ? 'default' : 'environment')),
      process: [],
    },
    arm: read('arm', texts) ?? [],
    isLocal,
    allowHosts: read('allow_host', hosts) ?? [],
    origin: originOf(read('url', webUrl)),
    limits: isLocal
      ? null
      : {
          ...tableOf(hostedLimitNames, (name) => read(name, count) ?? hostedLimits[name]),
          storageBytes: (read('storage_mb', count) ?? 16) * megabyte,
          idleMs: read('idle', duration) ?? 30 * dayMs,
        },
  }
}

const originOf = (url: string | undefined) => (url === undefined ? null : new URL(url).origin)
