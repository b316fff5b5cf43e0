/**
 * Opens a workspace, seeds it with the demonstration accounts, resets it to its state right after start, lets it
 * sleep, and closes it.
 */

import type { CallAfter } from '../../base/clock.js'
import { sha256Hex } from '../../base/crypto.js'
import { isoUtc } from '../../base/iso.js'
import { byCurrency, currencies, currencyNames } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Config, SeedAccount } from '../../protocol/settings/platform.js'
import { wireFormatOf } from '../../protocol/settings/wire-format.js'
import { createTables, type Db, readMeta, schemaNumber, schemaOf, writeMeta } from '../../store/db.js'
import { tableNames } from '../../store/dump.js'
import {
  demoCredential,
  demoUsernames,
  findAccount,
  insertAccount,
  insertCredential,
  newSecrets,
  replacePublishedSecrets,
} from '../auth/account.js'
import { type AuthCounter, authState, createAuthState, credentialsOf } from '../auth/authenticate.js'
import { deliveryState, releaseWaiters } from '../delivery/queue.js'
import { nextDueIncludingClaimedMs, nextDueMs, schedulerState, wakeEarlier } from '../jobs/jobs.js'
import { post } from '../ledger/ledger.js'
import { parseBalanceField } from '../ledger/pricing.js'
import { requestLog, saveLog } from '../request-log/log.js'
import { armAtStart, waitingRuns, wakeWaitingRuns } from '../scenarios/arms.js'
import {
  createByteSnapshotStore,
  fillFromImage,
  type Images,
  renewMemory,
  replaceDatabase,
  resetImage,
  type SnapshotStore,
  snapshotStore,
} from '../snapshots/images.js'
import { betweenUnits, runInSequence } from '../snapshots/snapshots.js'
import { clockOf, noScenarios, type ScenarioSource, type Send, saveClock, type Wake } from '../unit/ports.js'
import {
  checkpointMemory,
  createBus,
  type IdProgress,
  Memory,
  noIdsIssued,
  StateSlots,
  type Unit,
  type UnitEffects,
  unitOf,
  unitsOf,
  type Workspace,
} from '../unit/unit.js'
import { chaosAtStart } from '../webhooks/faults.js'

/** Errors of creating and deleting workspaces, the same in every runtime. */
export const nameTakenError = (name: string): ApiError =>
  new ApiError('CONFLICT', { name }, `A workspace named ${name} already exists.`)

export const workspaceLimitError = (max: number): ApiError =>
  new ApiError('CONFLICT', { max }, `The limit of ${max} workspaces is reached. Delete one first.`)

export const unknownWorkspaceError = (name: string): ApiError =>
  new ApiError('NOT_FOUND', { workspace: name }, `There is no workspace ${name}.`)

/** 422 INVALID_VALUE for `default`, which every sandbox has. */
export function requireDeletable(name: string): void {
  if (name === 'default')
    throw new ApiError('INVALID_VALUE', {
      field: 'name',
      rule: 'the workspace default cannot be deleted; reset it instead',
    })
}

/** Opens a workspace; creates and seeds its database if it is empty. */
export function openWorkspace(name: string, ports: Ports, config: Config): Workspace {
  const { db, origin = null } = ports
  if (origin !== null) fillFromImage(db, origin, ports.wall())
  createTables(db)
  const { scenarios = noScenarios } = ports
  const last = readMeta(db, 'epoch')
  const fresh = last === undefined
  const { sleepState = null } = ports
  const continues = sleepState?.opened === openingHash(config, scenarios.arm, Number(last))
  const continued = continues ? sleepState : null
  const starts = continued === null
  const epoch = fresh ? 0 : Number(last) + (starts ? 1 : 0)
  const ws: Workspace = {
    name,
    config,
    wireFormat: wireFormatOf(config),
    db,
    clock: clockOf(db, ports.wall, starts ? config.clock : null),
    send: ports.send,
    callAfter: ports.callAfter,
    pauseAdvance: ports.pauseAdvance ?? (() => null),
    bus: createBus(ports.wall().toString(36)),
    wake: ports.wake,
    state: new StateSlots(() => ws),
    scenarios,
    memory: new Memory(db, config.seed, epoch, fresh ? noIdsIssued : (continued?.ids ?? null), ports.idMark),
    closed: false,
    unit: unitsOf(db, () => ws, effects),
  }
  if (ports.snapshots !== undefined) ws.state.set(snapshotStore, ports.snapshots)
  else if (ports.images !== undefined) ws.state.set(snapshotStore, createByteSnapshotStore(db, ports.images))
  ws.state.set(resetImage, origin)
  if (continued !== null) ws.memory.set(authState, createAuthState(continued.guards))
  db.transaction(() => {
    writeMeta(db, 'epoch', String(epoch))
    // Saved at once, so that a frozen clock shows the same time after the next start even if it is never moved.
    saveClock(db, ws.clock)
    if (fresh) seedAccounts(silentUnit(ws))
    if (starts) {
      replacePublishedSecrets({ db, config, ids: ws.memory.ids })
      armAtStart(silentUnit(ws))
      chaosAtStart(silentUnit(ws))
    }
  })
  ws.memory.of(waitingRuns)
  ws.memory.of(requestLog)
  return ws
}

/** A unit inside an open transaction that publishes no changes: only for opening and resetting. */
const silentUnit = (ws: Workspace): Unit =>
  unitOf(ws, { after: () => undefined, undo: () => undefined, attempt: (part) => part() }, effects)

const effects: UnitEffects = { wakeEarlier, changed: wakeWaitingRuns }

/**
 * Returns for how long it can stay closed, in real milliseconds; null if until its next use. Throws if the database
 * is foreign or newer.
 */
export function sleepableMs({ db, wall }: Pick<Ports, 'db' | 'wall'>, config: Config): number | null {
  // Opening it creates the tables, or upgrades those of an older version.
  if (schemaOf(db) !== schemaNumber) return 0
  const dueAtMs = nextDueIncludingClaimedMs(db)
  return dueAtMs === null ? null : clockOf(db, wall, config.clock).untilMs(dueAtMs)
}

/**
 * Closes the workspace: nothing new runs, waiting callers are released, the database is closed. Deliveries on the wire
 * are repeated at the next start.
 */
export function closeWorkspace(ws: Workspace): void {
  if (ws.closed) return
  ws.closed = true
  const scheduler = ws.state.of(schedulerState)
  scheduler.arm(null)
  for (const advance of scheduler.advances) advance.cancel()
  ws.memory.end()
  ws.bus.publish({ type: 'workspace', id: ws.name, status: 'closed' })
  ws.state.of(snapshotStore).abort()
  if (ws.db.isPersistent) saveLogIfPossible(ws)
  ws.db.close()
}

/** If saving fails, only the log is lost. */
function saveLogIfPossible(ws: Workspace): void {
  try {
    saveLog(ws)
  } catch {
    // The database failed, but no caller is left who could get the error.
  }
}

/** What a runtime provides for a workspace: database, time, network, timer. */
interface Ports {
  db: Db
  /** Epoch milliseconds of real time. */
  wall: () => number
  send: Send
  wake: Wake
  callAfter: CallAfter
  /** Default: continues at once. */
  pauseAdvance?: Workspace['pauseAdvance']
  /** Default: none. */
  scenarios?: ScenarioSource
  /** Where snapshots are stored as bytes (default: in memory). */
  images?: Images
  /** Stores snapshots in another way than as bytes. */
  snapshots?: SnapshotStore
  /** The image that fills an empty database and that a reset restores (default: newly created). */
  origin?: Uint8Array | null
  /**
   * State of a workspace that was put to sleep. If it fits, the workspace continues as if it had stayed open; otherwise
   * it starts.
   */
  sleepState?: SleepState | null
  /** Seven characters of each id, instead of its number (default: the number). */
  idMark?: string
}

const demoDocument = '52998224725'
const demoAccounts: readonly SeedAccount[] = [
  {
    username: 'merchant',
    name: 'Merchant Demo Ltda',
    document: '12ABC34501DE35',
    balances: byCurrency((currency) => currencies[currency].openingBalance),
  },
  { username: 'customer', name: 'Customer Demo', document: demoDocument, balances: { BRL: '1000.00' } },
]

/** The secrets of seeded accounts before a reset, by username: they stay the same. */
type SeededSecrets = ReadonlyMap<string, Secrets>
type Secrets = ReturnType<typeof newSecrets>

function seededSecrets({ db, config }: Pick<Unit, 'db' | 'config'>): SeededSecrets {
  const found = seedsOf(config.accounts).flatMap(({ username }): [string, Secrets][] => {
    const account = findAccount(db, username)
    const [first] = account === undefined ? [] : credentialsOf(db, account.seq)
    if (first === undefined) return []
    const { clientId, clientSecret, signingKey, webhookSecret } = first
    return [[username, { clientId, clientSecret, signingKey, webhookSecret }]]
  })
  return new Map(found)
}

function seedAccounts(unit: Unit, before: SeededSecrets = new Map()): void {
  for (const seed of seedsOf(unit.config.accounts)) {
    const { username, name = username, document = demoDocument, balances = {} } = seed
    const account = insertAccount(unit, { username, name, document })
    insertCredential(unit, account.seq, credentialOf(unit, seed, before.get(username)))
    for (const currency of currencyNames) {
      const amount = balances[currency]
      if (amount === undefined) continue
      const minor = parseBalanceField(amount, currency, currency)
      if (minor === 0n) continue
      const target = { accountSeq: account.seq, bucket: 'available' } as const
      post(unit, { objectId: username, memo: 'opening balance' }, [
        { from: { accountSeq: 0, bucket: 'rail' }, to: target, currency, amountMinor: minor },
      ])
    }
  }
}

/** Returns the demonstration accounts with the configured changes, then the configured accounts. */
function seedsOf(target: readonly SeedAccount[]): SeedAccount[] {
  const demoByName = new Map(demoAccounts.map((demo) => [demo.username, demo]))
  for (const seed of target) {
    const demo = demoByName.get(seed.username)
    demoByName.set(seed.username, { ...demo, ...seed, balances: { ...demo?.balances, ...seed.balances } })
  }
  return [...demoByName.values()]
}

function credentialOf({ ids, config }: Unit, { username, credential = {} }: SeedAccount, before?: Secrets) {
  const isDemo = demoUsernames.some((name) => name === username)
  const isKnown = config.demoSecrets !== 'random' && isDemo
  const secrets = isKnown ? demoCredential(username) : (before ?? newSecrets(ids))
  const { postbackUrl = null, active = true, ...keys } = credential
  return { ...secrets, ...present(keys), postbackUrl, active }
}

/** Removes fields whose value is undefined. */
const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

/** Resets rows, clock, queue, lockouts, rate windows and request log. With a seed the ids repeat; without one they are random. */
export function reset(ws: Workspace): Promise<void> {
  const origin = ws.state.of(resetImage)
  return origin === null ? resetToEmpty(ws) : resetToImage(ws, origin)
}

/** Restores the image it was opened with, with the same clock mode, and the same ids as then. */
function resetToImage(ws: Workspace, origin: Uint8Array): Promise<void> {
  const replace = () => {
    replaceDatabase(
      ws,
      () => ws.db.replaceWith(origin),
      (_before, stored) => stored + 1,
    )
    if (ws.config.clock !== null) ws.clock.setMode(ws.config.clock)
    ws.db.transaction(() => {
      armAtStart(silentUnit(ws))
      chaosAtStart(silentUnit(ws))
      saveClock(ws.db, ws.clock)
    })
    ws.bus.publish({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
    ws.bus.publish({ type: 'workspace', id: ws.name, status: 'reset' })
  }
  return runInSequence(ws, () => betweenUnits(ws, replace))
}

async function resetToEmpty(ws: Workspace): Promise<void> {
  await ws.unit((unit) => {
    const deliveries = ws.memory.of(deliveryState)
    unit.undo(checkpointMemory(ws))
    const secrets = seededSecrets(unit)
    emptyTables(unit)
    ws.clock.restore({ mode: ws.config.clock ?? 'realtime', offsetMs: 0, frozenAtMs: null })
    renewMemory(ws, 0)
    writeMeta(unit.db, 'epoch', '0')
    seedAccounts(silentUnit(ws), secrets)
    armAtStart(silentUnit(ws))
    chaosAtStart(silentUnit(ws))
    saveClock(unit.db, ws.clock)
    unit.publishChange({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
    unit.publishChange({ type: 'workspace', id: ws.name, status: 'reset' })
    unit.after(() => {
      releaseWaiters(deliveries)
      ws.state.of(schedulerState).arm(nextDueMs(ws.db))
    })
  })
}

function emptyTables(unit: Unit): void {
  unit.db.exec(emptying)
}

const emptying = [
  ...tableNames.filter((name) => name !== 'meta').map((name) => `delete from "${name}"`),
  `delete from meta where key <> 'schema'`,
].join(';')

/** Plain values, which the runtime stores. */
export interface SleepState {
  /** A hash of the settings. If it differs, the workspace starts instead of continuing. */
  opened: string
  ids: IdProgress | null
  guards: readonly (readonly [name: string, guard: AuthCounter])[]
}

/** Hashes the settings and the epoch of the opening; stored state fits only these. */
const openingHash = (config: Config, arm: readonly string[], epoch: number): string =>
  sha256Hex(JSON.stringify([config, arm, epoch], (_, value) => (typeof value === 'bigint' ? String(value) : value)))

interface Opened {
  db: Db
  config: Config
  scenarios: ScenarioSource
}

export const currentOpeningHash = ({ db, config, scenarios }: Opened): string =>
  openingHash(config, scenarios.arm, Number(readMeta(db, 'epoch')))
