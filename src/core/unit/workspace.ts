/** A workspace as its rooms see it: one database, one clock, one queue, and what is kept in memory about them. */
import type { Clock } from '../../base/clock.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { Db } from '../../store/db.js'
import type { Bus } from './bus.js'
import { type Memory, type Slot, Slots } from './memory.js'
import type { ScenarioSource } from './scenario-source.js'
import type { Send } from './send-port.js'
import type { Unit } from './unit.js'

/** Calls `tick` at that business moment, or never for null; the last call counts. */
export type Wake = (atMs: number | null) => void

/** Calls back once after `delayMs` of real time; returns a function that cancels it. For callers that wait, never for business. */
export type Alarm = (delayMs: number, ring: () => void) => () => void

export interface Workspace {
  readonly name: string
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly send: Send
  readonly alarm: Alarm
  readonly wake: Wake
  /** Asked before each step of a long advance: null to continue at once, else settles when it may. */
  readonly mayGoOn: () => Promise<void> | null
  readonly bus: Bus
  /** State of rooms that outlives a reset or a restore. */
  readonly rooms: Rooms
  readonly scenarios: ScenarioSource
  /** Another object after each reset or restore: what was begun under an earlier one must not be finished under this. */
  memory: Memory
  closed: boolean
  /** One unit of work: read, decide, write, all or nothing. Runs at the end of this event-loop turn, together with others. */
  unit<T>(work: (unit: Unit) => T): Promise<T>
}

/** State of a room that lasts as long as the workspace is open. */
export type RoomSlot<State> = Slot<Workspace, State>

export class Rooms extends Slots<Workspace> {
  readonly #workspace: () => Workspace

  constructor(workspace: () => Workspace) {
    super()
    this.#workspace = workspace
  }

  protected override owner(): Workspace {
    return this.#workspace()
  }
}

/** Thrown for work that is still under way in a workspace when it is deleted. */
export const workspaceGone = (name: string) =>
  new ApiError('NOT_FOUND', { workspace: name }, { message: `The workspace ${name} has been dropped.` })
