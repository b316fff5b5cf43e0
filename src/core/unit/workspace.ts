/** A workspace: one database, one clock, one queue, and their state in memory. */
import type { Clock } from '../../base/clock.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { WireFormat } from '../../protocol/settings/wire-format.js'
import type { Db } from '../../store/db.js'
import { type Bus, type Memory, type Slot, StateSlots } from './memory.js'
import type { ScenarioSource } from './scenario-source.js'
import type { Send } from './send-port.js'
import type { Unit } from './unit.js'

/** Sets when the runtime next runs due jobs (business time), or never (null). Replaces the earlier time. */
export type Wake = (atMs: number | null) => void

/**
 * Calls back once after `delayMs` of real time; returns a function that cancels it. For waiting callers, never for
 * business events.
 */
export type Alarm = (delayMs: number, callback: () => void) => () => void

export interface Workspace {
  readonly name: string
  readonly config: Config
  /** Rewrites responses and events as the settings choose; null if all settings have their defaults. */
  readonly wireFormat: WireFormat | null
  readonly db: Db
  readonly clock: Clock
  readonly send: Send
  readonly alarm: Alarm
  readonly wake: Wake
  /** Called before each step of a long advance. Returns null to continue at once, else a promise to wait for. */
  readonly pauseAdvance: () => Promise<void> | null
  readonly bus: Bus
  /** State that outlives a reset or a restore. */
  readonly state: WorkspaceState
  readonly scenarios: ScenarioSource
  /** A new object after each reset or restore. Work that started before must not write to the new object. */
  memory: Memory
  closed: boolean
  /** Runs a unit of work, completely or not at all. It runs at the end of this event-loop turn, together with others. */
  unit<T>(work: (unit: Unit) => T): Promise<T>
}

/** Key of a state that lasts as long as the workspace is open. `begin` creates the state on first use. */
export type WorkspaceSlot<State> = Slot<Workspace, State>

export class WorkspaceState extends StateSlots<Workspace> {
  readonly #workspace: () => Workspace

  constructor(workspace: () => Workspace) {
    super()
    this.#workspace = workspace
  }

  protected override owner(): Workspace {
    return this.#workspace()
  }
}

/** Error for work that is still running in a workspace when it is deleted. */
export const workspaceDeletedError = (name: string) =>
  new ApiError('NOT_FOUND', { workspace: name }, { message: `The workspace ${name} has been deleted.` })
