/**
 * A unit of work and a workspace as the code of the core sees them. A unit reads, decides and writes, and is committed
 * completely or not at all. It can run more than once before it is committed (`store/unit-of-work.ts`), so effects
 * outside the database use `after` or are reverted with `undo`. The methods of the unit do so.
 */

import { type Clock, type ClockMode, type ClockState, createClock } from '../../base/clock.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { AttemptOutcome } from '../../protocol/platform/failures.js'
import type { Scenario } from '../../protocol/scenario/file.js'
import type { DeliveryFaults } from '../../protocol/scenario/steps.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { WireFormat } from '../../protocol/settings/wire-format.js'
import { storedJson } from '../../store/columns.js'
import { type Db, readMeta, writeMeta } from '../../store/db.js'
import type { Scope } from '../../store/unit-of-work.js'
import { type Bus, type Change, type Ids, type Memory, type Slot, StateSlots } from './memory.js'

const pattern = /^[a-z0-9][a-z0-9_-]{0,49}$/
const rule = 'must be 1 to 50 of a-z, 0-9, hyphen and underscore, and begin with a letter or digit'

export const isName = (text: string): boolean => pattern.test(text)

/** Throws 422 INVALID_VALUE. */
export function requireName(text: string): string {
  if (isName(text)) return text
  throw new ApiError('INVALID_VALUE', { field: 'name', rule }, { message: `name ${rule}.` })
}

export interface LibraryEntry {
  scenario: Scenario
  origin: 'built-in' | 'folder' | 'uploaded'
  /** The file it was read from. */
  file?: string
}

export interface ScenarioSource {
  /** Returns the built-in scenarios, then the scenarios of the folder. Called on demand. */
  entries(): readonly LibraryEntry[]
  /** Returns the scenario with this name. The folder takes precedence over the built-in ones. */
  find(name: string): LibraryEntry | undefined
  /** Scenarios to arm at every start and after every reset. */
  arm: readonly string[]
}

export const noScenarios: ScenarioSource = { entries: () => [], find: () => undefined, arm: [] }

/** The request: the exact text of the body, and every header but Content-Length. */
export interface SendRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** A GET sends no body. Default: POST, the only method for webhooks. */
  method?: 'GET' | 'POST'
  /** Sends the body in two parts, as slow or broken networks do. */
  splitBody?: SplitBody
}

/** The first part ends before byte `atByte`. After `pauseMs` the rest follows, or the connection is closed. */
export interface SplitBody {
  atByte: number
  pauseMs: number
  end: 'rest' | 'break'
}

/** The outcome of a delivery that was sent. */
export type Outcome = Exclude<AttemptOutcome, 'no_url'>

/** `status` and `responseBody` are null without a response; `detail` explains the outcome. */
export interface SendResult {
  outcome: Outcome
  status: number | null
  responseBody: string | null
  durationMs: number
  detail: string | null
}

/** Progress of a send, for a caller that has others waiting behind it. */
export interface SendProgress {
  /** Called when later sends can no longer overtake it: it is sent on an open connection, or answered on a new one. */
  sent: () => void
  /** Called once if there is no response within 100 ms. */
  slow: () => void
}

/** Never rejects. */
export type Send = (request: SendRequest, progress?: SendProgress) => Promise<SendResult>

export interface Unit extends Scope {
  readonly db: Db
  /** The business time of the whole unit, read once. */
  readonly atMs: number
  /** The real time, read once, for signatures and nonces only (decision 5). */
  readonly wallMs: number
  readonly ids: Ids
  readonly config: Config
  /** Rewrites events as the settings choose; null if all settings have their defaults. */
  readonly wireFormat: WireFormat | null
  /** The state in memory. */
  readonly memory: Memory
  readonly scenarios: ScenarioSource
  /** How the events of this unit are delivered, if a scenario changes it. */
  deliveryFaults: DeliveryFaults | null
  /** Publishes the change once this unit is committed. */
  publishChange(change: Change): void
  /** Wakes the scheduler at that time. The alarm is set once this unit is committed. */
  wakeAt(dueAtMs: number): void
}

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

/** `work` runs while no transaction is open and the effects of earlier commits are complete. */
export function betweenUnits<T>(ws: Workspace, work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    ws.db.afterTurn(() => {
      try {
        if (ws.closed) throw workspaceDeletedError(ws.name)
        resolve(work())
      } catch (error) {
        reject(
          ws.db.isUnavailable(error)
            ? new ApiError('SERVICE_UNAVAILABLE', { reason: error instanceof Error ? error.message : 'unknown' })
            : error,
        )
      }
    })
  })
}

export function saveClock(db: Db, clock: Clock): void {
  writeMeta(db, 'clock', JSON.stringify(clock.state()))
}

export function savedClock(db: Db): ClockState | undefined {
  const saved = readMeta(db, 'clock')
  return saved === undefined ? undefined : storedJson(saved)
}

/** Returns the clock that the database stores, in the requested mode. */
export function clockOf(db: Db, wall: () => number, mode: ClockMode | null): Clock {
  const saved = savedClock(db)
  const clock = createClock(wall, { mode: 'realtime', offsetMs: 0, frozenAtMs: null })
  if (saved !== undefined) clock.restore(saved)
  if (mode !== null) clock.setMode(mode)
  return clock
}
