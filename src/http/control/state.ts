/** The sandbox as a whole: health, ledger, reset, sample data, snapshots, settings, chaos, clock, workspaces. */

import { secondMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { parseUntrustedJson } from '../../base/json.js'
import { fieldAt } from '../../base/unknown.js'
import { listAccounts } from '../../core/auth/account.js'
import { parsePostbackUrl } from '../../core/auth/authenticate.js'
import { type AdvanceTarget, advanceClock, cancelAdvances, changeClock, inFlightOf } from '../../core/clock/advance.js'
import type { PlannedCall } from '../../core/demo/plan.js'
import { playMonth } from '../../core/demo/sample-data.js'
import { countJobs, countJobsByKind, nextDueMs, scheduledJobs, schedulerState } from '../../core/jobs/jobs.js'
import { auditLedgerInBatches } from '../../core/ledger/ledger.js'
import { formatMoney } from '../../core/ledger/pricing.js'
import type { ImageInfo } from '../../core/snapshots/images.js'
import {
  exportSnapshot,
  importSnapshot,
  listSnapshots,
  removeSnapshot,
  renameSnapshot,
  restoreSnapshot,
  saveSnapshot,
} from '../../core/snapshots/snapshots.js'
import type { Workspace, WorkspaceSlot } from '../../core/unit/unit.js'
import { chaosState, setChaos } from '../../core/webhooks/faults.js'
import { reset } from '../../core/workspace/workspace.js'
import type { clockRoutes } from '../../protocol/control/clock.js'
import { latestMs } from '../../protocol/control/route.js'
import type { snapshotRoutes } from '../../protocol/control/snapshots.js'
import {
  type chaosRoutes,
  defaultSeedDays,
  maxWorkspaces,
  type SettingSource,
  type SettingState,
  seedNames,
  type seedRoutes,
  type settingRoutes,
  type stateRoutes,
  type workspaceRoutes,
} from '../../protocol/control/state.js'
import { emulatedInterface } from '../../protocol/platform/emulated-interface.js'
import { endpoints } from '../../protocol/platform/endpoints.js'
import { invalid } from '../../protocol/platform/errors.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import { type Config, defaultInFile, type PlatformSetting, valueInFile } from '../../protocol/settings/platform.js'
import { variableOf } from '../../protocol/settings/process.js'
import { writeMeta } from '../../store/db.js'
import { type CreatedWorkspace, ownUrlOf } from '../host.js'
import { isAdmin, readChunks, requireAdmin, streamOf } from '../messages.js'
import { settingRows } from '../openapi/assumptions.js'
import { callerOf, makeCall } from '../platform/replay.js'
import { accountFields } from './accounts.js'
import { type CallContext, type ControlCall, type Handlers, pagedByName } from './routes.js'

const nextDue = (ws: Workspace) => {
  const dueAtMs = nextDueMs(ws.db)
  return dueAtMs === null ? null : isoUtc(dueAtMs)
}

const now = (ws: Workspace) => isoUtc(ws.clock.now())
export const clockOf = (ws: Workspace) => ({ now: now(ws), mode: ws.clock.state().mode })

const clockState = (ws: Workspace) => ({
  ...clockOf(ws),
  next_due: nextDue(ws),
  due: countJobs(ws.db),
  advancing:
    ws.state.of(schedulerState).advances.size === 0
      ? null
      : { in_flight: inFlightOf(ws).map(({ seq, ...job }) => job) },
})

type Rows = typeof clockRoutes

/** Jobs can run and be added between two pages, so `next` counts rows and does not name a job. */
function listJobs({ ws, query }: ControlCall<Rows['listJobs']>) {
  const { limit = controlDefaults.rows, after = '0', to: toMs = latestMs } = query
  return ws.unit(({ db }) => {
    const found = scheduledJobs(db, toMs, limit + 1, Number(after))
    const data = found.slice(0, limit).map(({ kind, dueAtMs, ref, event }) => ({
      at: isoUtc(dueAtMs),
      job: kind,
      id: ref,
      event,
    }))
    const next = found.length > limit ? String(Number(after) + limit) : null
    return { data, next, counts: countJobsByKind(db, toMs) }
  })
}

/**
 * Setting the clock forward is an advance: the response comes after the same wait, and the advance is canceled if the
 * caller disconnects.
 */
async function setClock({ ws, env, body: { mode, now: toMs } }: ControlCall<Rows['setClock']>) {
  if (toMs !== undefined && toMs < ws.clock.now())
    throw invalid('now', `must not be earlier than the time of the clock, which is ${now(ws)}`)
  if (mode !== undefined || toMs === undefined)
    await changeClock(ws, () => ws.clock.setMode(mode ?? ws.clock.state().mode))
  if (toMs !== undefined)
    await advanceClock(ws, () => ({ toMs }), { waitMs: controlDefaults.advanceWaitMs, onDisconnect: env.onDisconnect })
  return clockState(ws)
}

async function advance({ ws, env, body }: ControlCall<Rows['advanceClock']>) {
  const { wait: waitMs = controlDefaults.advanceWaitMs, ...options } = body
  const advanced = await advanceClock(ws, targetOf(ws, options), { waitMs, onDisconnect: env.onDisconnect })
  const { ran, inFlight, isComplete, isCanceled } = advanced
  return {
    now: now(ws),
    ran,
    next_due: nextDue(ws),
    complete: isComplete,
    canceled: isCanceled,
    in_flight: inFlight,
  }
}

type Options = Omit<ControlCall<Rows['advanceClock']>['body'], 'wait'>

function targetOf(ws: Workspace, { by: byMs, to: toMs }: Options): (nowMs: number) => AdvanceTarget {
  if (byMs !== undefined) {
    return (nowMs) => {
      if (nowMs + byMs > latestMs) throw invalid('by', 'must not advance the clock beyond the year 9000')
      return { toMs: nowMs + byMs }
    }
  }
  if (toMs === undefined) return () => ({ untilIdle: true })
  if (toMs < ws.clock.now()) throw invalid('to', `must not be earlier than the time of the clock, which is ${now(ws)}`)
  return () => ({ toMs })
}

export const clockHandlers: Handlers<Rows> = {
  readClock: ({ ws }) => clockState(ws),
  listJobs,
  setClock,
  advanceClock: advance,
  cancelAdvance: async ({ ws }) => ({ canceled: await cancelAdvances(ws), now: now(ws), next_due: nextDue(ws) }),
}

// Snapshots: the complete workspace, saved under a name.

const snapshotSummary = ({ name, sizeBytes, savedWallMs }: ImageInfo) => ({
  name,
  size_bytes: sizeBytes,
  created_at: isoUtc(savedWallMs),
})

export const snapshotHandlers: Handlers<typeof snapshotRoutes> = {
  listSnapshots: ({ ws, query }) => pagedByName(listSnapshots(ws).map(snapshotSummary), query, ({ name }) => name),
  async saveSnapshot({ ws, body }) {
    return { ...snapshotSummary(await saveSnapshot(ws, body.name)), clock: clockOf(ws) }
  },
  renameSnapshot: async ({ ws, params, body }) => snapshotSummary(await renameSnapshot(ws, params.name, body.name)),
  async restoreSnapshot({ ws, params }) {
    return { ...snapshotSummary(await restoreSnapshot(ws, params.name)), clock: clockOf(ws) }
  },
  async exportSnapshot({ ws, params, request }) {
    const headers = { 'Content-Type': 'application/json; charset=utf-8' }
    // A HEAD request has no body, so nothing is exported.
    if (request.method === 'HEAD') return new Response(null, { headers })
    return new Response(streamOf(await exportSnapshot(ws, params.name)), { headers })
  },
  async importSnapshot({ host, ws, params, request, env }) {
    const restoreTimeLimit = env.extendTimeLimit?.()
    try {
      const { maxSnapshotBytes = Number.POSITIVE_INFINITY } = host
      return snapshotSummary(await importSnapshot(ws, params.name, readChunks(request, maxSnapshotBytes)))
    } finally {
      restoreTimeLimit?.()
    }
  },
  deleteSnapshot({ ws, params }) {
    removeSnapshot(ws, params.name)
    return null
  },
}

/** Sample data: fills a workspace as if it had been used for a month. */
export const seedHandlers: Handlers<typeof seedRoutes> = {
  async seed({ host, ws, env, body: { days = defaultSeedDays, postback_url } }) {
    const url = parsePostbackUrl(postback_url, ws.config.strictWebhooks)
    const ownUrl = ownUrlOf(host, ws.name)
    const inboxUrl = (name: string) => `${ownUrl}/_sandbox/inbox/${name}`
    const call = async ({ call: name, fields, scenario, account }: PlannedCall) => {
      const target = new URL(`${ownUrl}${endpoints[name].path}`).pathname
      const headers = { 'Content-Type': 'application/json', ...(scenario && { [requestHeaders.scenario]: scenario }) }
      const made = { name, target, headers, body: JSON.stringify(fields) }
      const { body } = await makeCall(ws, made, (unit) => callerOf(unit, null, account), env)
      const id = fieldAt(fieldAt(parseUntrustedJson(body), 'data'), 'transaction_id')
      return typeof id === 'string' ? id : null
    }
    const options = { days, postbackUrl: url ?? inboxUrl('demo'), inboxUrl, makeCall: call }
    return { name: seedNames[0], ...(await playMonth(ws, options, env.onDisconnect)) }
  },
}

/** The health check writes as much as a charge does, with new content each time: SQLite skips pages that do not change. */
const healthWriteBytes = 64 * 1024

/**
 * After a successful write, callers without the admin token get `ok` for this long without another write, however often
 * they call.
 */
const writeCheckValidMs = 10 * secondMs
const writtenAtMs: WorkspaceSlot<number> = { begin: () => 0 }

async function requireWritable(ws: Workspace): Promise<void> {
  await ws.unit((unit) => writeMeta(unit.db, 'health', `${unit.wallMs} `.padEnd(healthWriteBytes, String(unit.wallMs))))
  ws.state.set(writtenAtMs, ws.clock.wall())
}

async function readHealth({ host, ws, request }: CallContext) {
  const isFresh = ws.clock.wall() - ws.state.of(writtenAtMs) < writeCheckValidMs
  if (!isAdmin(host, request)) {
    if (!isFresh) await requireWritable(ws)
    return { status: 'ok' as const }
  }
  await requireWritable(ws)
  const { driver } = ws.db
  const hostingDetails = host.hostingDetails?.()
  return {
    status: 'ok' as const,
    version: host.version,
    interface: emulatedInterface,
    workspace: ws.name,
    clock: clockOf(ws),
    database_driver: driver,
    ...(host.process === undefined ? {} : { process: host.process }),
    ...(hostingDetails === undefined ? {} : { hosted: hostingDetails }),
  }
}

async function readLedger({ ws }: CallContext) {
  const audit = await auditLedgerInBatches(ws)
  const accounts = audit.accounts.map(({ username, currency, ...balance }) => ({
    username,
    currency,
    available: formatMoney(balance.available, currency),
    blocked: formatMoney(balance.blocked, currency),
    pending: formatMoney(balance.pending, currency),
  }))
  return { balanced: audit.balanced, accounts }
}

async function runReset({ ws }: CallContext) {
  await reset(ws)
  const accounts = await ws.unit((unit) => listAccounts(unit.db).map((account) => accountFields(unit, account)))
  return { status: 'ok' as const, workspace: ws.name, clock: clockOf(ws), accounts }
}

function rotateAdminToken({ host, ws, request }: CallContext) {
  // Checked again here: of two simultaneous calls with the same token only the first may succeed.
  requireAdmin(host, request)
  const token = host.rotateAdminToken()
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'admin_token_rotated' })
  return { admin_token: token }
}

export const stateHandlers: Handlers<typeof stateRoutes> = {
  readHealth,
  readLedger,
  rotateAdminToken,
  reset: runReset,
}

// The settings that the sandbox was started with, and chaos.

export const chaosHandlers: Handlers<typeof chaosRoutes> = {
  readChaos: ({ ws }) => ws.unit((unit) => unit.memory.of(chaosState).chaos),
  setChaos: ({ ws, body }) => ws.unit((unit) => setChaos(unit, body)),
  endChaos: ({ ws }) => ws.unit((unit) => setChaos(unit, {})),
}

/** Accounts contain secrets and have their own routes. */
const isListed = ({ key }: { key: PlatformSetting }) => key !== 'accounts'

type SettingRow = ReturnType<typeof settingRows>[number]

function stateOf(row: SettingRow, config: Config, source: SettingSource | undefined): SettingState {
  const { key, flag, title, defaultText } = row
  const { value, isDefault } = valueInFile(key, config)
  return {
    name: key,
    title,
    value,
    default: defaultInFile(key),
    source: source ?? (isDefault ? 'default' : 'option'),
    is_default: isDefault,
    default_text: defaultText,
    flag,
    variable: flag === null ? null : variableOf(key),
    is_assumption: 'x-assumed' in row,
  }
}

export const settingHandlers: Handlers<typeof settingRoutes> = {
  readSettings: ({ ws, host: { startedWith = { sources: {}, process: [] } } }) => ({
    data: [
      ...startedWith.process,
      ...settingRows()
        .filter(isListed)
        .map((row) => stateOf(row, ws.config, startedWith.sources[row.key])),
    ],
  }),
}

export const describeCreatedWorkspace = async (ws: Workspace): Promise<CreatedWorkspace> => ({
  accounts: await ws.unit((unit) => listAccounts(unit.db).map((account) => accountFields(unit, account))),
})

export const workspaceHandlers: Handlers<typeof workspaceRoutes> = {
  async listWorkspaces({ host, query: { limit = maxWorkspaces, after } }) {
    const isFirst = after === undefined
    const behind = isFirst || after === 'default' ? '' : after
    const names = [...(isFirst ? ['default'] : []), ...(await host.workspaceNames(behind, limit + 1))]
    const page = names.slice(0, limit)
    return {
      data: page.map((name) => ({ name, base_url: ownUrlOf(host, name) })),
      next: names.length > limit ? (page.at(-1) ?? null) : null,
    }
  },
  createWorkspace: async ({ host, body: { name } }) => {
    const workspace = await host.createWorkspace(name)
    return { name, base_url: ownUrlOf(host, name), ...workspace }
  },
  async deleteWorkspace({ host, params }) {
    await host.deleteWorkspace(params.name)
    return null
  },
}
