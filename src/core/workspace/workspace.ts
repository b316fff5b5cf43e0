/** A workspace: one database, one clock, one queue, and everything that the sandbox keeps in memory about them. */
import { type Clock, createClock } from '../../base/clock.js'
import { isoUtc } from '../../base/iso.js'
import { ApiError } from '../../protocol/api/errors.js'
import type { Treatment } from '../../protocol/scenario/steps.js'
import { type Db, migrate, readMeta, writeMeta } from '../../store/db.js'
import { forgetRows } from '../../store/row-cache.js'
import { createUnits } from '../../store/unit-of-work.js'
import { type AccessState, createAccessState } from '../access/access-state.js'
import { armAtStart } from '../scenarios/arms.js'
import { type Expecting, reloadExpecting, wakeExpecting } from '../scenarios/expecting.js'
import { noScenarios, type ScenarioSource } from '../scenarios/library.js'
import { createSchedulerState, type SchedulerState } from '../scheduler/scheduler-state.js'
import { createDispatchState, type DispatchState } from '../webhooks/dispatch-state.js'
import { createInboxes, type Inboxes } from '../webhooks/inbox.js'
import type { Send } from '../webhooks/send-port.js'
import { type Bus, type Change, createBus } from './bus.js'
import type { Config } from './config.js'
import { createIds, type Ids } from './ids.js'
import { createMemoryImages, type Images } from './images.js'
import { createJournal, type Journal } from './request-log.js'
import { seedAccounts } from './seed.js'

/** What a runtime provides: database, time, network, alarm. */
export interface Ports {
  db: Db
  /** Epoch milliseconds of real time. */
  wall: () => number
  send: Send
  /** Calls `tick` at that business moment, or never for null; the last call counts. */
  wake: (atMs: number | null) => void
  /** Calls back after so many milliseconds of real time; returns how to call it off. For callers that wait, never for business. */
  alarm: (delayMs: number, ring: () => void) => () => void
  /** None where absent. */
  scenarios?: ScenarioSource
  /** Where snapshots are kept; in memory where absent. */
  images?: Images
}

export interface Workspace {
  readonly name: string
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly send: Send
  readonly alarm: Ports['alarm']
  readonly bus: Bus
  readonly images: Images
  readonly inbox: Inboxes
  readonly journal: Journal
  readonly access: AccessState
  dispatch: DispatchState
  readonly scheduler: SchedulerState
  readonly scenarios: ScenarioSource
  /** Runs whose step at hand waits for something to come true: looked at again after every change. */
  readonly expecting: Expecting
  ids: Ids
  closed: boolean
  /** Grows with each reset or restore: what was begun before it must not be finished after it. */
  generation: number
  /** One unit of work: read, decide, write, all or nothing. Runs at the end of this event-loop turn, together with others. */
  unit<T>(work: (unit: Unit) => T): Promise<T>
}

export interface Unit {
  readonly ws: Workspace
  readonly db: Db
  /** The one reading of the business clock for the whole unit. */
  readonly atMs: number
  /** How every event of this unit is to be delivered, while a scenario says so. */
  treatment: Treatment | null
  /** Runs once this unit is committed. */
  after(work: () => void): void
  /** Published once this unit is committed. */
  change(change: Change): void
  /** A part that may fail by itself: what it wrote and announced is undone, the throw goes on, the rest of the unit stands. */
  attempt<T>(work: () => T): T
}

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
    inbox: createInboxes(),
    journal: createJournal(),
    access: createAccessState(),
    dispatch: createDispatchState(),
    scheduler: createSchedulerState(ports.wake),
    scenarios: ports.scenarios ?? noScenarios,
    expecting: new Map(),
    ids: createIds(db, config.seed, epoch),
    closed: false,
    generation: 0,
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
  const saved = readMeta(db, 'clock')
  if (saved !== undefined) ws.clock.restore(JSON.parse(saved))
  if (config.clock !== null) ws.clock.setMode(config.clock)
  db.transaction(() => {
    writeMeta(db, 'epoch', String(epoch))
    if (fresh) seedAccounts(unitNow(ws))
    armAtStart(unitNow(ws))
  })
  reloadExpecting(ws)
  return ws
}

/** What those get who were still at work in a workspace when it was dropped. */
export const workspaceGone = (name: string) =>
  new ApiError('NOT_FOUND', { workspace: name }, { message: `The workspace ${name} has been dropped.` })

/** A unit inside a transaction that is open already: only for opening and resetting, which no other unit may overtake. */
export function unitNow(ws: Workspace): Unit {
  return runUnit(ws, (unit) => unit).value
}

function runUnit<T>(ws: Workspace, work: (unit: Unit) => T): { value: T; after: (() => void)[] } {
  const after: (() => void)[] = []
  const unit: Unit = {
    ws,
    db: ws.db,
    atMs: ws.clock.now(),
    after: (step) => after.push(step),
    treatment: null,
    change(change) {
      after.push(() => ws.bus.publish(change))
      if (ws.expecting.size > 0) wakeExpecting(unit, change)
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

/** Keeps the clock's new state, and tells of it. */
export function keepClock(unit: Unit): void {
  const { clock, name } = unit.ws
  saveClock(unit)
  unit.change({ type: 'clock', id: name, now: isoUtc(clock.now()), mode: clock.state().mode })
}

/** Keeps the clock across restarts and in snapshots. */
export function saveClock(unit: Unit): void {
  writeMeta(unit.db, 'clock', JSON.stringify(unit.ws.clock.state()))
}
