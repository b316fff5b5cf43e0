/** Opens a workspace and runs its units of work. */

import type { Config } from '../../protocol/settings/platform.js'
import { wireFormatOf } from '../../protocol/settings/wire-format.js'
import { createTables, readMeta, writeMeta } from '../../store/db.js'
import { createUnits, type Scope } from '../../store/unit-of-work.js'
import { authState, createAuthState } from '../auth/auth-state.js'
import { replacePublishedSecrets } from '../auth/demo-secrets.js'
import { schedulerState } from '../jobs/jobs.js'
import { requestLog } from '../request-log/log.js'
import { armAtStart, waitingRuns, wakeWaitingRuns } from '../scenarios/arms.js'
import { createByteSnapshotStore, resetImage, snapshotStore } from '../snapshots/byte-snapshot-store.js'
import { fillFromImage } from '../snapshots/image-swap.js'
import { createBus } from '../unit/bus.js'
import { clockOf, saveClock } from '../unit/clock-rows.js'
import { Memory, noIdsIssued } from '../unit/memory.js'
import { noScenarios } from '../unit/scenario-source.js'
import type { Unit } from '../unit/unit.js'
import { type Workspace, WorkspaceState, workspaceDeletedError } from '../unit/workspace.js'
import { chaosAtStart } from '../webhooks/chaos.js'
import type { Ports } from './ports.js'
import { seedAccounts } from './seed.js'
import { openingHash } from './sleep-state.js'

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
