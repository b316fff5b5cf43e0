/** A workspace: one database, one clock, one queue, and everything that the sandbox keeps in memory about them. */
import type { Clock } from '../../base/clock.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { Db } from '../../store/db.js'
import type { Awaited } from '../delivery/awaited.js'
import type { SchedulerState } from '../jobs/scheduler-state.js'
import type { Images, SnapshotStore } from '../snapshots/images.js'
import type { Carried } from '../workspace/carried.js'
import type { Bus } from './bus.js'
import type { Memory } from './memory.js'
import type { ScenarioSource } from './scenario-source.js'
import type { Send } from './send-port.js'
import type { Unit } from './unit.js'

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
  /** Asked before each step of a long advance: null to go on at once, else settles when it may. Goes on at once by default. */
  mayGoOn?: () => Promise<void> | null
  /** None where absent. */
  scenarios?: ScenarioSource
  /** Where snapshots are stored as bytes; in memory if omitted. */
  images?: Images
  /** What stores snapshots in another way than as bytes. */
  snapshots?: SnapshotStore
  /** What an empty database begins as, and a reset comes back to; newly made where absent. */
  origin?: Uint8Array | null
  /** Of one that was put to sleep: where it fits, the workspace goes on as if it had been awake all the time; else it starts. */
  carried?: Carried | null
}

export interface Workspace {
  readonly name: string
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly send: Send
  readonly alarm: Ports['alarm']
  readonly mayGoOn: () => Promise<void> | null
  readonly bus: Bus
  readonly snapshots: SnapshotStore
  readonly origin: Uint8Array | null
  readonly scheduler: SchedulerState
  /** Those who wait for an event. */
  readonly awaited: Awaited
  readonly scenarios: ScenarioSource
  /** Another object after each reset or restore: what was begun under an earlier one must not be finished under this. */
  memory: Memory
  closed: boolean
  /** One unit of work: read, decide, write, all or nothing. Runs at the end of this event-loop turn, together with others. */
  unit<T>(work: (unit: Unit) => T): Promise<T>
}

/** What those get who were still at work in a workspace when it was dropped. */
export const workspaceGone = (name: string) =>
  new ApiError('NOT_FOUND', { workspace: name }, { message: `The workspace ${name} has been dropped.` })
