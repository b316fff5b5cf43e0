/** Opens a workspace, runs its units of work, and closes it. */

import { ApiError } from '../../protocol/platform/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import { wireFormatOf } from '../../protocol/settings/wire-format.js'
import { createTables, type Db, readMeta, schemaOf, writeMeta } from '../../store/db.js'
import { schemaNumber } from '../../store/tables.js'
import { createUnits, type Scope } from '../../store/unit-of-work.js'
import { authState, createAuthState } from '../auth/account.js'
import { replacePublishedSecrets } from '../auth/demo-secrets.js'
import { nextDueIncludingClaimedMs, schedulerState } from '../jobs/jobs.js'
import { requestLog, saveLog } from '../request-log/log.js'
import { armAtStart, waitingRuns, wakeWaitingRuns } from '../scenarios/arms.js'
import { createByteSnapshotStore, resetImage, snapshotStore } from '../snapshots/byte-snapshot-store.js'
import { fillFromImage } from '../snapshots/image-swap.js'
import type { Images, SnapshotStore } from '../snapshots/images.js'
import { clockOf, saveClock } from '../unit/clock-rows.js'
import { createBus, Memory, noIdsIssued } from '../unit/memory.js'
import { noScenarios, type ScenarioSource } from '../unit/scenario-source.js'
import type { Send } from '../unit/send-port.js'
import type { Unit } from '../unit/unit.js'
import { type Alarm, type Wake, type Workspace, WorkspaceState, workspaceDeletedError } from '../unit/workspace.js'
import { chaosAtStart } from '../webhooks/faults.js'
import { seedAccounts } from './seed.js'
import { openingHash, type SleepState } from './sleep-state.js'

/** Errors of creating and deleting workspaces, the same in every runtime. */
export const nameTakenError = (name: string): ApiError =>
  new ApiError('CONFLICT', { name }, { message: `A workspace named ${name} already exists.` })

export const workspaceLimitError = (max: number): ApiError =>
  new ApiError('CONFLICT', { max }, { message: `The limit of ${max} workspaces is reached. Delete one first.` })

export const unknownWorkspaceError = (name: string): ApiError =>
  new ApiError('NOT_FOUND', { workspace: name }, { message: `There is no workspace ${name}.` })

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
  const goesOn = sleepState !== null && sleepState.opened === openingHash(config, scenarios.arm, Number(last))
  const carried = goesOn ? sleepState : null
  const starts = carried === null
  const epoch = fresh ? 0 : Number(last) + (starts ? 1 : 0)
  const units = createUnits(db, (error) => (ws.closed ? workspaceDeletedError(name) : error))
  const ws: Workspace = {
    name,
    config,
    wireFormat: wireFormatOf(config),
    db,
    clock: clockOf(db, ports.wall, starts ? config.clock : null),
    send: ports.send,
    alarm: ports.alarm,
    pauseAdvance: ports.mayGoOn ?? (() => null),
    bus: createBus(ports.wall().toString(36)),
    wake: ports.wake,
    state: new WorkspaceState(() => ws),
    scenarios,
    memory: new Memory(db, config.seed, epoch, fresh ? noIdsIssued : (carried?.ids ?? null), ports.idMark),
    closed: false,
    unit: (work) => units.run((scope) => work(unitOf(ws, scope))),
  }
  if (ports.snapshots !== undefined) ws.state.begin(snapshotStore, ports.snapshots)
  else if (ports.images !== undefined) ws.state.begin(snapshotStore, createByteSnapshotStore(db, ports.images))
  ws.state.begin(resetImage, origin)
  if (carried !== null) ws.memory.begin(authState, createAuthState(carried.guards))
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
export const silentUnit = (ws: Workspace): Unit =>
  unitOf(ws, { after: () => undefined, undo: () => undefined, attempt: (part) => part() })

function unitOf(ws: Workspace, scope: Scope): Unit {
  const { memory } = ws
  const { ids } = memory
  scope.undo(ids.checkpoint())
  const unit: Unit = {
    db: ws.db,
    atMs: ws.clock.now(),
    wallMs: ws.clock.wall(),
    ids,
    config: ws.config,
    wireFormat: ws.wireFormat,
    memory,
    scenarios: ws.scenarios,
    deliveryFaults: null,
    after: (step) => scope.after(step),
    undo: (step) => scope.undo(step),
    attempt: (part) => scope.attempt(part),
    wakeAt: (dueAtMs) => scope.after(() => ws.state.of(schedulerState).armEarlier(dueAtMs)),
    publishChange(change) {
      scope.after(() => ws.bus.publish(change))
      wakeWaitingRuns(unit, change)
    },
  }
  return unit
}

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
  ws.state.of(schedulerState).arm(null)
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

/** What a runtime provides for a workspace: database, time, network, alarm. */
interface Ports {
  db: Db
  /** Epoch milliseconds of real time. */
  wall: () => number
  send: Send
  wake: Wake
  alarm: Alarm
  /** Default: continues at once. */
  mayGoOn?: Workspace['pauseAdvance']
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
