/** Opens a workspace, and runs its units of work. */
import { createClock } from '../../base/clock.js'
import { migrate, readMeta, writeMeta } from '../../store/db.js'
import { forgetRows } from '../../store/row-cache.js'
import { createUnits } from '../../store/unit-of-work.js'
import { armAtStart } from '../scenarios/arms.js'
import { reloadExpecting, wakeExpecting } from '../scenarios/expecting.js'
import { noScenarios } from '../scenarios/source-port.js'
import { createSchedulerState } from '../scheduler/scheduler-state.js'
import { followEvents } from '../webhooks/await-event.js'
import { Awaited } from '../webhooks/awaited.js'
import { createBus } from './bus.js'
import { savedClock } from './clock-rows.js'
import type { Config } from './config.js'
import { createMemoryImages } from './images.js'
import { createMemory } from './memory.js'
import { seedAccounts } from './seed.js'
import type { Unit } from './unit.js'
import { type Ports, type Workspace, workspaceGone } from './workspace.js'

/** Opens the database of a workspace: made, upgraded, seeded and wound up as needed. */
export function openWorkspace(name: string, ports: Ports, config: Config): Workspace {
  const { db } = ports
  migrate(db)
  const fresh = readMeta(db, 'epoch') === undefined
  const epoch = fresh ? 0 : Number(readMeta(db, 'epoch')) + 1
  const units = createUnits(db)
  const ws: Workspace = {
    name,
    config,
    db,
    clock: createClock(ports.wall, { mode: 'realtime', offsetMs: 0, frozenAtMs: null }),
    send: ports.send,
    alarm: ports.alarm,
    bus: createBus(ports.wall().toString(36)),
    images: ports.images ?? createMemoryImages(ports.wall),
    scheduler: createSchedulerState(ports.wake),
    awaited: new Awaited(() => followEvents(ws)),
    scenarios: ports.scenarios ?? noScenarios,
    memory: createMemory(db, config.seed, epoch),
    closed: false,
    unit: async (work) => {
      try {
        const { value, after } = await units.run(() => runUnit(ws, work))
        for (const step of after) step()
        return value
      } catch (error) {
        throw ws.closed ? workspaceGone(name) : error
      }
    },
  }
  const saved = savedClock(db)
  if (saved !== undefined) ws.clock.restore(saved)
  if (config.clock !== null) ws.clock.setMode(config.clock)
  db.transaction(() => {
    writeMeta(db, 'epoch', String(epoch))
    if (fresh) seedAccounts(unitNow(ws))
    armAtStart(unitNow(ws))
  })
  reloadExpecting(db, ws.memory.expecting)
  return ws
}

/** A unit inside a transaction that is open already: only for opening and resetting, which no other unit may overtake. */
export function unitNow(ws: Workspace): Unit {
  return runUnit(ws, (unit) => unit).value
}

function runUnit<T>(ws: Workspace, work: (unit: Unit) => T): { value: T; after: (() => void)[] } {
  const after: (() => void)[] = []
  const { ids, access, expecting } = ws.memory
  const unit: Unit = {
    db: ws.db,
    atMs: ws.clock.now(),
    wallMs: ws.clock.wall(),
    ids,
    config: ws.config,
    access,
    expecting,
    scenarios: ws.scenarios,
    treatment: null,
    after: (step) => after.push(step),
    wakeAt: (dueAtMs) => after.push(() => ws.scheduler.nudge(dueAtMs)),
    change(change) {
      after.push(() => ws.bus.publish(change))
      if (expecting.size > 0) wakeExpecting(unit, change)
    },
    attempt(part) {
      const kept = after.length
      try {
        return ws.db.transaction(part)
      } catch (error) {
        after.length = kept
        forgetRows(ws.db)
        throw error
      }
    },
  }
  return { value: work(unit), after }
}
