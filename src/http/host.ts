/** The interface of the runtime that the HTTP code uses, and the addresses of its workspaces. */
import type { Hono } from 'hono'
import type { ReadScenario } from '../core/scenarios/arms.js'
import type { Send } from '../core/unit/ports.js'
import type { Workspace } from '../core/unit/unit.js'
import type { Account } from '../protocol/control/accounts.js'
import type { MeasuredMetric } from '../protocol/control/figures.js'
import type { ControlRow } from '../protocol/control/route.js'
import type { Hosted, StartedWith } from '../protocol/control/state.js'
import type { Scenario } from '../protocol/scenario/file.js'
import type { Config } from '../protocol/settings/platform.js'

export interface Asset {
  /** Media type with charset. */
  type: string
  body: string
}

export interface CreatedWorkspace {
  accounts: Account[]
  /** Admin token of its control API, if workspaces have their own; returned only here. */
  admin_token?: string
}

/**
 * Opens a workspace in memory that nobody else can reach and in which no job runs by itself. By default it has the real
 * time and sends webhooks. The caller closes it; the sandbox closes it when it ends.
 */
export type OpenScratch = (config: Config, ports?: { wall?: () => number; send?: Send; idMark?: string }) => Workspace

/** Asks the sandbox from a job, one question after the other. */
export type Ask = (question: unknown) => Promise<unknown>

/** Long work of a feature: what it gets and returns, questions included, is cloned. */
export type Job = (input: never, ports: { ask: Ask; openScratch: OpenScratch }) => Promise<unknown>

/**
 * Runs the job of that name in another thread. It takes over the bytes of its input, because to copy many takes long, and
 * `answer` answers its questions. Rejects with the job's `ApiError`, and with the error of an answer.
 */
export type RunJob = (name: string, input: unknown, taken: Uint8Array, answer?: Ask) => Promise<unknown>

export interface Host {
  version: string
  /** Returns whether a call with this token (null: without a token) may use the control API. */
  isAdmin(token: string | null): boolean
  /** Replaces the admin token and returns the new one. Throws 409 CONFLICT if the sandbox has none. */
  rotateAdminToken(): string
  /** The process, for supervisors; undefined if the runtime has none. */
  process?: { pid: number; started_at: string }
  /** Whether the server listens on loopback only. `Host` must then be a loopback name or one of `allowHosts`. */
  loopback: boolean
  allowHosts: readonly string[]
  /** The base URL without a trailing slash, `http://127.0.0.1:4010`. */
  baseUrl(): string
  /** Returns the workspace; undefined if it does not exist. `default` always exists. */
  workspace(name: string): Workspace | undefined
  /** Returns at most `most` names in alphabetical order, starting after the name `after`, without `default`. */
  workspaceNames(after: string, most: number): string[] | Promise<string[]>
  /** Throws 409 CONFLICT if the name is taken, 422 INVALID_VALUE if it is not a valid name. */
  createWorkspace(name: string): Promise<CreatedWorkspace>
  /** Sources of the settings, and the settings of the process; undefined if the runtime knows neither. */
  startedWith?: StartedWith | undefined
  routes: readonly RouteSet[]
  /** Opens a private workspace; undefined if the runtime has no place for one. */
  openScratch?: OpenScratch
  /** Runs a job of a feature; undefined if the runtime has no threads. */
  runJob?: RunJob
  readScenario(text: string): ReadScenario
  writeScenario(scenario: Scenario): string
  /** Throws 404 NOT_FOUND if it does not exist, 422 INVALID_VALUE for `default`, which cannot be deleted. */
  deleteWorkspace(name: string): Promise<void>
  /** Writes metrics as text, with those of the process; undefined if the runtime has none. */
  renderMetrics?(measured: readonly MeasuredMetric[]): Promise<string>
  /** Limits of a workspace that is hosted for others; undefined if there are none. */
  hostingDetails?(): Hosted | undefined
  /** The largest snapshot file that can be imported (default: no limit). */
  maxSnapshotBytes?: number
  /** A file of the dashboard by its name (`index.html`, `app.js`); undefined if it does not exist. */
  asset(name: string): Asset | undefined
}

/** What the app adds to `Env`: the memory for the request's body. */
export interface CallEnv extends Env {
  memoryShare: MemoryShare
  /** Set if the sandbox itself repeats a logged call. */
  isReplay?: true
}

/** Data and functions of the server for one request. */
export interface Env {
  /** IP address of the client; IPv4 in dotted notation even on a dual-stack socket. */
  ip: string
  /** The request target exactly as received. */
  rawTarget: string
  /** Closes the connection without a response. */
  disconnect(): void
  /**
   * Calls back once when the caller disconnects; returns a function that cancels this. `request.signal` reports it too
   * late when half-closed connections are allowed.
   */
  onDisconnect?(listener: () => void): () => void
  /** Extends the time limit for the body. Call the returned function when the body has arrived. */
  extendTimeLimit?(): () => void
}

/** Calls the same server in this process, as a caller from outside would: guard, workspace and routes included. */
type CallApp = (request: Request, env: Env) => Response | Promise<Response>

/** The used part of `Request`. */
export interface HttpRequest extends Pick<Request, 'method' | 'url' | 'body' | 'arrayBuffer'> {
  readonly headers: CallHeaders
  /** The body as it arrived, where the runtime can give it without a copy. */
  wholeBody?(): Promise<Uint8Array>
}

export interface CallHeaders extends Iterable<[string, string]> {
  get(name: string): string | null
}

/** The used part of `Response`, with the code of an error. */
export interface ResponseData {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  errorCode: string | null
}

export interface CallContext {
  host: Host
  ws: Workspace
  env: CallEnv
  request: HttpRequest
  callApp: CallApp
}

/**
 * Routes by method and path, `GET /_sandbox/health`, that neither a router nor `Request` and `Response` need: their path
 * has no parameters, and their answer is data. Node loads its `fetch` with the first `Request`, which takes 20 ms and 10 MB.
 */
export type DirectRoutes = Map<string, (context: CallContext) => Promise<ResponseData>>

/** Rows of the control API together with their handlers. */
export interface RouteSet {
  readonly rows: Readonly<Record<string, ControlRow>>
  mount(routes: Hono<AppEnv>, direct: DirectRoutes, base: string): void
  /** Ids of the documented sentences and keys of the assumptions that probes of the feature observe (default: none). */
  readonly observes?: () => Promise<readonly string[]>
}

export interface AppEnv {
  /** `path` is the path that the guard checked, so that routing does not parse the target again. */
  Bindings: CallEnv & { host: Host; ws: Workspace; path: string; callApp: CallApp }
}

/** The part of the body budget that one call uses. The budget limits the memory for the bodies of all calls. */
export interface MemoryShare {
  /** Reserves memory; returns false if the budget does not allow it. */
  take(bytes: number): boolean
  release(): void
}

/** The address that the server knows: only a caller's request knows the one that reaches it from outside. */
export const ownUrlOf = (host: Host, workspace: string): string =>
  workspace === 'default' ? host.baseUrl() : `${host.baseUrl()}/w/${workspace}`

type CallAddress = Pick<CallContext, 'request' | 'ws'>

/** Uses the address that the caller used: inside a container, the address that the server listens on is of no use to them. */
export function baseUrlOf({ request, ws }: CallAddress): string {
  const { origin } = new URL(request.url)
  return ws.name === 'default' ? origin : `${origin}/w/${ws.name}`
}

type WithPayUrl<Shown> = Shown extends { payment_method: unknown } ? Shown & { pay_url: string } : Shown

export function withPayUrl<Shown extends object>(call: CallAddress, object: Shown): WithPayUrl<Shown> {
  const host =
    'payment_method' in object && 'transaction_id' in object
      ? { ...object, pay_url: `${baseUrlOf(call)}/pay/${object.transaction_id}` }
      : object
  // TypeScript resolves a conditional type only once its type parameter is known.
  return host as WithPayUrl<Shown>
}
