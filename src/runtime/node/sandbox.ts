/** A whole sandbox in this process: connects workspaces, sender and server. */

import { extname } from 'node:path'
import type { Metric, Registry } from 'prom-client'
import manifest from '../../../package.json' with { type: 'json' }
import { isoUtc } from '../../base/iso.js'
import { imageOfFile } from '../../core/snapshots/images.js'
import type { Workspace } from '../../core/unit/unit.js'
import { type App, createApp, type Fetch } from '../../http/app.js'
import { describeCreatedWorkspace } from '../../http/control/state.js'
import type { Asset, Host, RouteSet } from '../../http/host.js'
import { pageTypes } from '../../http/html.js'
import { errorResponse } from '../../http/messages.js'
import type { MeasuredMetric } from '../../protocol/control/figures.js'
import type { StartedWith } from '../../protocol/control/state.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { responseHeaders } from '../../protocol/platform/headers.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { DatabaseDriver, Durability } from '../../protocol/settings/process.js'
import { UnusableDatabase } from '../../store/db.js'
import { isLoopback } from '../shared/address-guard.js'
import { scenarioTexts } from '../shared/scenario-text.js'
import { openAdminToken } from './admin-token.js'
import { jobRunner } from './background/run.js'
import { program } from './program.js'
import { type ScenarioFiles, scenarioSource } from './scenario-files.js'
import { createSender, type SendTimeouts } from './send/send.js'
import { type ServeOptions, type ServerTls, serve } from './server/serve.js'
import { chooseDriver, createSqlite, type Sqlite } from './sqlite/sqlite.js'
import { openWorkspaces, ownInboxes, scratchWorkspaces, type Workspaces } from './workspaces.js'

/** The built dashboard, read on the first request. */
const dashboardPage = 'index.html'

const folder = 'dist/dashboard'

let files: ReadonlyMap<string, Asset> | undefined

/** Returns a file of the dashboard by its name; undefined for an unknown name, and if the dashboard was not built. */
export function pageFile(name: string): Asset | undefined {
  files ??= readFiles()
  return files.get(name)
}

/** Most files are together in one: the name, a line break and the text of each, with a zero character between them. */
function readFiles(): ReadonlyMap<string, Asset> {
  const together = (program.read(`${folder}/pages`) ?? '').split('\0').map((file) => {
    const end = file.indexOf('\n')
    return [file.slice(0, end), file.slice(end + 1)] as const
  })
  const alone = program.namesIn(folder).map((name) => [name, program.read(`${folder}/${name}`) ?? ''] as const)
  return new Map(
    [...alone, ...together].flatMap(([name, body]): [string, Asset][] => {
      const type = pageTypes[extname(name)]
      return type === undefined ? [] : [[name, { type, body }]]
    }),
  )
}

// Writes metrics in Prometheus' text format, with those of the process. The library is loaded with the first scrape.

/** The registry of the process metrics, created at the first scrape and shared by all workspaces. */
let processRegistry: Promise<Registry> | null = null

/** Gauges whose names end like a counter's, which `promtool check metrics` rejects. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export async function renderMetrics(measured: readonly MeasuredMetric[]): Promise<string> {
  processRegistry ??= createProcessRegistry()
  const registry = await newRegistry()
  for (const metric of measured) registry.registerMetric(metricOf(metric))
  return `${await registry.metrics()}\n${await (await processRegistry).metrics()}`
}

/** Imports single files of prom-client: the whole library is twice as large and contains the push gateway. */
async function newRegistry(): Promise<Registry> {
  const { default: Registry } = await import('prom-client/lib/registry.js')
  return new Registry()
}

async function createProcessRegistry(): Promise<Registry> {
  const { default: collect } = await import('prom-client/lib/defaultMetrics.js')
  const register = await newRegistry()
  collect({ register })
  for (const name of misnamed) register.removeSingleMetric(name)
  return register
}

/** Returns a plain object: prom-client's counters cannot be set to a value, and its registry reads only `name` and `get`. */
function metricOf({ name, type, help, samples }: MeasuredMetric): Metric {
  const values = samples.map((sample) => ({ metricName: sample.name, labels: sample.labels, value: sample.value }))
  return { name, get: () => ({ name, type, help, values, aggregator: 'sum' }) } as unknown as Metric
}

/** Longest time for unfinished work when the sandbox closes. */
const closeGraceMs = 10_000

export interface SandboxOptions {
  host: string
  /** Port to listen on; 0 is any free port. */
  port: number
  /** Database: a file, or `:memory:`. */
  db: string
  config: Config
  /** The admin token. With null, none is required on loopback, and otherwise one is generated. */
  adminToken: string | null
  allowHosts: readonly string[]
  /** Folder with scenario files, in addition to the built-in ones. */
  scenariosDir?: string | null
  /** Scenarios armed from the start, and again after a reset. */
  arm?: readonly string[]
  /** Library that opens the databases. With null, the fastest available one is used. */
  databaseDriver?: DatabaseDriver | null
  /** What a database file survives (default: `normal`). */
  durability?: Durability
  /** Text of an exported snapshot: the state of every new workspace, and the state after a reset. */
  snapshot?: string | null
  /** The largest snapshot file that can be imported; null if there is no limit. */
  maxImportBytes?: number | null
  /** Replaces the process's `Request` and `Response` by faster ones (default: true). Set false if other code shares the process. */
  overrideGlobals?: boolean
  /** Serves https (default: null, plain HTTP). */
  tls?: ServerTls | null
  /** Where the settings came from (default: unknown). */
  startedWith?: StartedWith
  /** The routes of the features (default: none). */
  routes?: readonly RouteSet[]
  /** Wraps the `fetch` of the app, to change its responses. */
  through?: (fetch: Fetch) => Fetch
  /** Time limits for webhooks (default: as documented). */
  sendTimeouts?: SendTimeouts
}

export interface RunningSandbox {
  url: string
  /** Handles requests of callers in the same process. */
  app: App
  host: Host
  /** The required admin token; null if none is required, or if it has been rotated. */
  adminToken: string | null
  adminTokenIsRotated: boolean
  workspace: Workspace
  /** Calls back for every open workspace, and for every workspace that is opened later. */
  onWorkspace(listener: (ws: Workspace) => void): void
  /** Finishes running work, for at most `graceMs`, and closes everything. */
  close(graceMs?: number): Promise<void>
}

const noRoutes: readonly RouteSet[] = []

/** Opens a sandbox. Rejects with the error of the database or the socket. */
export async function openSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const onLoopback = isLoopback(options.host)
  const config = { ...options.config, demoSecrets: options.config.demoSecrets ?? (onLoopback ? null : 'random') }
  const sqlite = createSqlite(chooseDriver(options.databaseDriver ?? null), options.durability)
  const scenarios = scenarioSource(options.scenariosDir ?? null, options.arm ?? [])
  let url = ''
  const sender = senderOf(options, onLoopback, () => Number(url && new URL(url).port))
  const originImage = originImageOf(sqlite, options.snapshot ?? null)
  const workspaces = openWorkspaces(sqlite, options.db, config, sender.send, scenarios, originImage)
  const scratch = scratchWorkspaces(sqlite, sender.send)
  const { knownToken: known, isRotated, ...door } = openAdminToken(options.adminToken, onLoopback, options.db)
  const host: Host = {
    version: manifest.version,
    process: { pid: process.pid, started_at: isoUtc(Math.round(performance.timeOrigin)) },
    ...door,
    loopback: onLoopback,
    allowHosts: options.allowHosts,
    baseUrl: () => url,
    ...hostedIn(workspaces),
    startedWith: options.startedWith,
    routes: options.routes ?? noRoutes,
    openScratch: scratch.open,
    runJob: jobRunner(sqlite.driver),
    renderMetrics,
    maxSnapshotBytes: options.maxImportBytes ?? Number.POSITIVE_INFINITY,
    ...scenarioTexts,
    asset: assetReader(scenarios),
  }
  const app = createApp(host)
  try {
    const served = await serve({
      host: options.host,
      port: options.port,
      fetch: options.through?.(app) ?? app,
      callDirectly: options.through === undefined ? app.callDirectly : () => null,
      tls: options.tls ?? null,
      renderError: rendererOf(host),
      overrideGlobals: options.overrideGlobals ?? true,
    })
    url = served.url
    const close = async (graceMs = closeGraceMs) => {
      const startedMs = performance.now()
      await served.close(graceMs)
      await workspaces.endDeliveries(Math.max(0, graceMs - (performance.now() - startedMs)))
      workspaces.closeAll()
      scratch.closeAll()
      await sender.close()
    }
    const adminToken = { adminToken: known, adminTokenIsRotated: isRotated }
    return { url, app, host, ...adminToken, workspace: defaultOf(host), onWorkspace: workspaces.onOpen, close }
  } catch (error) {
    workspaces.closeAll()
    await sender.close()
    throw error
  }
}

const senderOf = (options: SandboxOptions, onLoopback: boolean, port: () => number) =>
  createSender({
    guardPrivate: !onLoopback,
    allowHosts: options.allowHosts,
    httpsOnly: options.config.strictWebhooks,
    timeouts: options.sendTimeouts,
    authority: options.tls?.authority ?? null,
    inboxes: ownInboxes(options.host, port),
  })

const hostedIn = (
  workspaces: Workspaces,
): Pick<Host, 'workspace' | 'workspaceNames' | 'createWorkspace' | 'deleteWorkspace'> => ({
  workspace: workspaces.get,
  workspaceNames: listWorkspaceNames(workspaces),
  createWorkspace: async (name) => describeCreatedWorkspace(workspaces.create(name)),
  deleteWorkspace: workspaces.drop,
})

const listWorkspaceNames =
  ({ names }: Workspaces): Host['workspaceNames'] =>
  (after, most) =>
    names()
      .filter((name) => name !== 'default' && name > after)
      .toSorted()
      .slice(0, most)

const assetReader = (scenarios: ScenarioFiles) => (name: string) => {
  if (name === dashboardPage) scenarios.readAhead()
  return pageFile(name)
}

/** Thrown if the snapshot for the initial state cannot be used. */
export class UnusableSnapshot extends Error {}

function originImageOf(sqlite: Sqlite, text: string | null): Uint8Array | null {
  if (text === null) return null
  const scratch = sqlite.openInMemory()
  try {
    return imageOfFile(scratch, slicesOf(text))
  } catch (error) {
    throw error instanceof UnusableDatabase
      ? new UnusableSnapshot(`the snapshot cannot be used: ${error.message}`)
      : error
  } finally {
    scratch.close()
  }
}

function* slicesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += sliceChars) yield text.slice(at, at + sliceChars)
}

const sliceChars = 1_000_000

const rendererOf =
  (host: Host): ServeOptions['renderError'] =>
  (status, code, message, details) => {
    const { headers, body } = errorResponse(new ApiError(code, details, message, status))
    const requestId = host.workspace('default')?.memory.ids.next('requests').id ?? ''
    return { headers: { ...headers, [responseHeaders.requestId]: requestId }, body }
  }

function defaultOf(host: Host): Workspace {
  const ws = host.workspace('default')
  if (ws === undefined) throw new Error('the default workspace is missing')
  return ws
}
