/** Opens a workspace, and runs its units of work. */

import type { Config } from '../../protocol/settings/platform.js'
import { createTables, readMeta, writeMeta } from '../../store/db.js'
import { createUnits, type Scope } from '../../store/unit-of-work.js'
import { authState, createAuthState } from '../auth/auth-state.js'
import { replacePublishedSecrets } from '../auth/demo-secrets.js'
import { scheduler } from '../jobs/jobs.js'
import { requestLog } from '../request-log/log.js'
import { armAtStart, expecting, wakeExpecting } from '../scenarios/arms.js'
import { beginAs } from '../snapshots/image-swap.js'
import { originImage, snapshotStore, snapshotsInBytes } from '../snapshots/in-bytes.js'
import { createBus } from '../unit/bus.js'
import { clockOf, saveClock } from '../unit/clock-rows.js'
import { Memory, nothingGivenOut } from '../unit/memory.js'
import { noScenarios } from '../unit/scenario-source.js'
import type { Unit } from '../unit/unit.js'
import { Rooms, type Workspace, workspaceGone } from '../unit/workspace.js'
import { openedAs } from './carried.js'
import type { Ports } from './ports.js'
import { seedAccounts } from './seed.js'

/** Opens the database of a workspace: created and seeded if it is empty. */
export function openWorkspace(name: string, ports: Ports, config: Config): Workspace {
  const { db, origin = null } = ports
  if (origin !== null) beginAs(db, origin, ports.wall())
  createTables(db)
  const { scenarios = noScenarios } = ports
  const last = readMeta(db, 'epoch')
  const fresh = last === undefined
  const { carried: asleep = null } = ports
  const goesOn = asleep !== null && asleep.opened === openedAs(config, scenarios.arm, Number(last))
  const carried = goesOn ? asleep : null
  const starts = carried === null
  const epoch = fresh ? 0 : Number(last) + (starts ? 1 : 0)
  const units = createUnits(db, (error) => (ws.closed ? workspaceGone(name) : error))
  const ws: Workspace = {
    name,
    config,
    db,
    clock: clockOf(db, ports.wall, starts ? config.clock : null),
    send: ports.send,
    alarm: ports.alarm,
    mayGoOn: ports.mayGoOn ?? (() => null),
    bus: createBus(ports.wall().toString(36)),
    wake: ports.wake,
    rooms: new Rooms(() => ws),
    scenarios,
    memory: new Memory(db, config.seed, epoch, fresh ? nothingGivenOut : (carried?.ids ?? null)),
    closed: false,
    unit: (work) => units.run((scope) => work(unitOf(ws, scope))),
  }
  if (ports.snapshots !== undefined) ws.rooms.begin(snapshotStore, ports.snapshots)
  else if (ports.images !== undefined) ws.rooms.begin(snapshotStore, snapshotsInBytes(db, ports.images))
  ws.rooms.begin(originImage, origin)
  if (carried !== null) ws.memory.begin(authState, createAuthState(carried.guards))
  db.transaction(() => {
    writeMeta(db, 'epoch', String(epoch))
    // A clock that stands still must stand there after the next start too, moved meanwhile or not.
    saveClock(db, ws.clock)
    if (fresh) seedAccounts(silentUnit(ws))
    if (starts) {
      replacePublishedSecrets({ db, config, ids: ws.memory.ids })
      armAtStart(silentUnit(ws))
    }
  })
  ws.memory.of(expecting)
  ws.memory.of(requestLog)
  return ws
}

/** A unit in a transaction that is open already, which nobody hears of: only for opening and resetting. */
export const silentUnit = (ws: Workspace): Unit =>
  unitOf(ws, { after: () => undefined, undo: () => undefined, attempt: (part) => part() })

function unitOf(ws: Workspace, scope: Scope): Unit {
  const { memory } = ws
  const { ids } = memory
  scope.undo(ids.keep())
  const unit: Unit = {
    db: ws.db,
    atMs: ws.clock.now(),
    wallMs: ws.clock.wall(),
    ids,
    config: ws.config,
    memory,
    scenarios: ws.scenarios,
    treatment: null,
    after: (step) => scope.after(step),
    undo: (step) => scope.undo(step),
    attempt: (part) => scope.attempt(part),
    wakeAt: (dueAtMs) => scope.after(() => ws.rooms.of(scheduler).nudge(dueAtMs)),
    change(change) {
      scope.after(() => ws.bus.publish(change))
      wakeExpecting(unit, change)
    },
  }
  return unit
}
