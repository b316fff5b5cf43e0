/** What a workspace gets from its runtime: scenarios, sending, waiting; the names that it accepts, and the clock that its database stores. */
import { type Clock, type ClockMode, type ClockState, createClock } from '../../base/clock.js'
import { invalid } from '../../protocol/platform/errors.js'
import type { AttemptOutcome } from '../../protocol/platform/failures.js'
import type { Scenario } from '../../protocol/scenario/file.js'
import { storedJson } from '../../store/columns.js'
import { type Db, readMeta, writeMeta } from '../../store/db.js'

/** Names of workspaces and snapshots are distinct on every file system. */
const pattern = /^[a-z0-9][a-z0-9_-]{0,49}$/
const rule = 'must be 1 to 50 of a-z, 0-9, hyphen and underscore, and begin with a letter or digit'

export const isName = (text: string): boolean => pattern.test(text)

/** Throws 422 INVALID_VALUE. */
export function requireName(text: string): string {
  if (isName(text)) return text
  throw invalid('name', rule)
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

/** Sets when the runtime next runs due jobs (business time), or never (null). Replaces the earlier time. */
export type Wake = (atMs: number | null) => void

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
