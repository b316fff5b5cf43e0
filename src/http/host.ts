/** What the HTTP floor asks of the process that it runs in. */

import type { Progress } from '../certify/core/certify-receiver.js'
import type { CertifyOptions } from '../certify/core/check-context.js'
import type { ReceiverRule } from '../certify/protocol/receiver-rules.js'
import type { Report } from '../certify/protocol/rules.js'
import type { ReadScenario } from '../core/scenarios/library.js'
import type { Workspace } from '../core/unit/workspace.js'
import type { Account } from '../protocol/control/accounts.js'
import type { Hosted } from '../protocol/control/state.js'
import type { Scenario } from '../protocol/scenario/file.js'
import type { Config } from '../protocol/settings/platform.js'
import type { BodyShare } from './bodies.js'

/** A file of the dashboard. */
export interface Asset {
  /** Media type with its charset. */
  type: string
  body: string
}

/** A workspace that has just been made. */
export interface MadeWorkspace {
  accounts: Account[]
  /** What its control API asks for, where it asks for one of its own; told this once. */
  admin_token?: string
}

export interface Host {
  version: string
  /** Whether whoever brings this token (null: none) may call the control API. */
  isAdmin(token: string | null): boolean
  /** Ends that token and returns the next one. 409 CONFLICT where none is asked for. */
  rotateAdminToken(): string
  /** What it runs in, for those who look after processes; absent where there is none to see. */
  process?: { pid: number; started_at: string }
  /** Bound to loopback only: then `Host` must name loopback, or one of `allowHosts`. */
  loopback: boolean
  allowHosts: readonly string[]
  /** The base URL without a trailing slash, `http://127.0.0.1:4010`. */
  baseUrl(): string
  /** `default` always exists. */
  workspace(name: string): Workspace | undefined
  /** At most so many of those beside `default`, in order, from behind that name on. */
  workspaceNames(after: string, most: number): string[] | Promise<string[]>
  /** 409 CONFLICT where the name is taken, 422 INVALID_VALUE where it is no name. */
  createWorkspace(name: string): Promise<MadeWorkspace>
  /** Tries a receiver in a workspace of this configuration, made for it alone. 409 CONFLICT where too many are under way. */
  certifyReceiver(config: Config, options: CertifyOptions, progress: Progress): Promise<Report<ReceiverRule>>
  /** A scenario out of YAML or JSON text. */
  readScenario(text: string): ReadScenario
  /** The other way round, as YAML. */
  writeScenario(scenario: Scenario): string
  /** 404 NOT_FOUND; `default` cannot be deleted (422 INVALID_VALUE). */
  dropWorkspace(name: string): Promise<void>
  /** What a workspace that is hosted for strangers may take; absent where nobody limits it. */
  hosted?(): Hosted | undefined
  /** The largest snapshot file that may be imported; any if absent. */
  maxSnapshotBytes?: number
  /** A file of the dashboard by its name (`index.html`, `app.js`); undefined where there is none. */
  asset(name: string): Asset | undefined
}

/** What the app adds: the memory that a request's body takes. */
export interface CallEnv extends Env {
  bodyShare: BodyShare
}

/** What the server knows of a request beyond the request itself. */
export interface Env {
  /** Address of the client; IPv4 in its own notation even on a dual-stack socket. */
  ip: string
  /** The request target exactly as it came. */
  rawTarget: string
  /** Drops the connection without an answer. */
  disconnect(): void
  /** Calls back once when the caller goes away; returns how to call that off. With half-closed connections allowed, `request.signal` hears of it too late. */
  whenGone?(listener: () => void): () => void
  /** The body may take longer to arrive than others; call the result once it has. */
  withoutHurry?(): () => void
}

/** What every route of the app finds in its context. */
export interface AppEnv {
  /** `path` is the one that was guarded: nothing is routed by another reading of the target. */
  Bindings: CallEnv & { host: Host; ws: Workspace; path: string }
}
