/** A whole sandbox in this process: workspaces, sender and server, wired together. */

import manifest from '../../../package.json' with { type: 'json' }
import { isoUtc } from '../../base/iso.js'
import { createCertifications } from '../../certify/runtime/node.js'
import { imageOfFile } from '../../core/snapshots/in-bytes.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { createApp, type Fetch } from '../../http/app.js'
import { errorAnswer } from '../../http/bodies.js'
import { madeWorkspace } from '../../http/control/workspaces.js'
import type { Host } from '../../http/host.js'
import type { DatabaseDriver } from '../../protocol/control/shapes/drivers.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { answerHeaders } from '../../protocol/platform/headers.js'
import type { Config } from '../../protocol/settings/platform.js'
import { UnusableDatabase } from '../../store/db.js'
import { isLoopback } from '../shared/loopback.js'
import { scenarioTexts } from '../shared/scenario-text.js'
import { openAdminToken } from './admin-token.js'
import { ownInboxes } from './own-inboxes.js'
import { type ScenarioFiles, scenarioSource } from './scenario-files.js'
import { createSender, type SendTimeouts } from './send/send.js'
import { dashboardPage, pageFile } from './server/page-files.js'
import { type ServeOptions, serve } from './server/serve.js'
import { chooseDriver } from './sqlite/choose-driver.js'
import { type Sqlite, sqliteThrough } from './sqlite/sqlite.js'
import { openWorkspaces, type Workspaces, wall } from './workspaces.js'

/** What runs when it closes may go on for so long. */
const closingMs = 10_000

export interface SandboxOptions {
  host: string
  /** 0: any free one. */
  port: number
  /** A file, or `:memory:`. */
  db: string
  config: Config
  /** null: none is asked for on loopback; off loopback one is made. */
  adminToken: string | null
  allowHosts: readonly string[]
  /** A folder of scenario files, beside the built-in ones. */
  scenariosDir?: string | null
  /** Scenarios armed from the start, and again after a reset. */
  arm?: readonly string[]
  /** What opens the databases; null: the fastest that there is. */
  databaseDriver?: DatabaseDriver | null
  /** The text of an exported snapshot: what every new workspace begins as, and a reset comes back to. */
  snapshot?: string | null
  /** The largest snapshot file that may be imported; null: any. */
  maxImportBytes?: number | null
  /** Whether `Request` and `Response` of the process may be replaced by faster ones; default true. Not in a process of others. */
  overrideGlobals?: boolean
  /** Stands between the network and the app: what it is given, it may answer otherwise. */
  through?: (fetch: Fetch) => Fetch
  /** How long a webhook may take; as documented where absent. */
  sendTimeouts?: SendTimeouts
}

export interface RunningSandbox {
  url: string
  host: Host
  /** What the control API is asked for; null: nothing, or one that was rotated. */
  adminToken: string | null
  adminTokenIsRotated: boolean
  workspace: Workspace
  /** Tells of each workspace that is open, now and later. */
  onWorkspace(listener: (ws: Workspace) => void): void
  /** Finishes what runs, for at most so long, and closes everything. */
  close(graceMs?: number): Promise<void>
}

/** Rejects with the error of the database or of the socket. */
export async function openSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const onLoopback = isLoopback(options.host)
  const config = { ...options.config, demoSecrets: options.config.demoSecrets ?? (onLoopback ? 'known' : 'random') }
  const sqlite = sqliteThrough(chooseDriver(options.databaseDriver ?? null))
  const scenarios = scenarioSource(options.scenariosDir ?? null, options.arm ?? [])
  let url = ''
  const sender = createSender({
    guardPrivate: !onLoopback,
    allowHosts: options.allowHosts,
    strict: config.strictWebhooks,
    timeouts: options.sendTimeouts,
    own: ownInboxes(options.host, () => Number(url && new URL(url).port)),
  })
  const origin = originOf(sqlite, options.snapshot ?? null)
  const workspaces = openWorkspaces(sqlite, options.db, config, sender.send, scenarios, origin)
  const certifications = createCertifications(sqlite, sender.send, wall)
  const { known, isRotated, ...door } = openAdminToken(options.adminToken, onLoopback, options.db)
  const host: Host = {
    version: manifest.version,
    process: { pid: process.pid, started_at: isoUtc(Math.round(performance.timeOrigin)) },
    ...door,
    loopback: onLoopback,
    allowHosts: options.allowHosts,
    baseUrl: () => url,
    workspace: workspaces.get,
    workspaceNames: namesOf(workspaces),
    createWorkspace: async (name) => madeWorkspace(workspaces.create(name)),
    dropWorkspace: workspaces.drop,
    certifyReceiver: certifications.certifyReceiver,
    maxSnapshotBytes: options.maxImportBytes ?? Number.POSITIVE_INFINITY,
    ...scenarioTexts,
    asset: assetsWith(scenarios),
  }
  try {
    const served = await serve({
      host: options.host,
      port: options.port,
      fetch: (options.through ?? ((fetch) => fetch))(createApp(host)),
      renderError: rendererOf(host),
      overrideGlobals: options.overrideGlobals ?? true,
    })
    url = served.url
    const close = async (graceMs = closingMs) => {
      const startedMs = performance.now()
      await served.close(graceMs)
      await workspaces.endDeliveries(Math.max(0, graceMs - (performance.now() - startedMs)))
      workspaces.closeAll()
      certifications.closeAll()
      await sender.close()
    }
    const adminToken = { adminToken: known, adminTokenIsRotated: isRotated }
    return { url, host, ...adminToken, workspace: defaultOf(host), onWorkspace: workspaces.onOpen, close }
  } catch (error) {
    workspaces.closeAll()
    await sender.close()
    throw error
  }
}

const namesOf =
  ({ names }: Workspaces): Host['workspaceNames'] =>
  (after, most) =>
    names()
      .filter((name) => name !== 'default' && name > after)
      .toSorted()
      .slice(0, most)

const assetsWith = (scenarios: ScenarioFiles) => (name: string) => {
  if (name === dashboardPage) scenarios.readAhead()
  return pageFile(name)
}

/** What is wrong with the snapshot that a sandbox was to begin as. */
export class UnusableSnapshot extends Error {}

function originOf(sqlite: Sqlite, text: string | null): Uint8Array | null {
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
    const { headers, body } = errorAnswer(new ApiError(code, details, { message, status }))
    const requestId = host.workspace('default')?.memory.ids.next('requests').id ?? ''
    return { headers: { ...headers, [answerHeaders.requestId]: requestId }, body }
  }

function defaultOf(host: Host): Workspace {
  const ws = host.workspace('default')
  if (ws === undefined) throw new Error('the default workspace is missing')
  return ws
}
