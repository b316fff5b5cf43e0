/**
 * The available scenarios (uploaded, from the folder, built-in; the first of a name wins), which of them are armed,
 * which one a call triggers, and the runs that wait for a condition.
 */
import { isoUtc } from '../../base/iso.js'
import { didYouMean, nearest } from '../../base/text.js'
import type { Endpoint } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { type On, type Scenario, type Step, stepKey } from '../../protocol/scenario/file.js'
import type { RunState } from '../../store/columns.js'
import { type Db, reader, runner } from '../../store/db.js'
import { appender, finder, selector, updater, upserter } from '../../store/rows.js'
import { arms, runs, scenarios } from '../../store/schema.js'
import { clearRowCache, getOrCacheRow } from '../../store/unit-of-work.js'
import { accountOf } from '../auth/authenticate.js'
import { schedule } from '../jobs/jobs.js'
import type { LibraryEntry, ScenarioSource } from '../unit/ports.js'
import type { Change, MemorySlot, Unit } from '../unit/unit.js'
import type { ReportedMistakes } from './check.js'
import { satisfiesAll } from './references.js'

type ArmRow = typeof arms.$inferSelect
type ArmedScenario = Omit<ArmRow, 'seq'>

const insertArm = appender(arms)
const updateArm = updater(arms, ['remaining'])
const deleteArm = reader('delete from arms where scenario = ? and account_seq is ? returning seq')
const deleteArmsOf = reader('delete from arms where scenario = ? returning seq')
const deleteUsedArm = runner('delete from arms where seq = ?')
const allScenarios = selector(scenarios, 'order by name')
const scenarioNamed = finder(scenarios, 'where name = ?')
const putScenario = upserter(scenarios)
const removeScenario = runner('delete from scenarios where name = ?')
const sizeWithout = reader<{ count: number; characters: number }>(
  'select count(*) as count, coalesce(sum(length(definition)), 0) as characters from scenarios where name <> ?',
)

/** Arms a scenario, replacing an earlier arm of it for the same account. Throws 422 INVALID_VALUE if it has no `on`. */
export function armScenario(unit: Unit, name: string, times: number | null, accountSeq: number | null): ArmedScenario {
  const { scenario } = requireScenario(unit, name)
  if (scenario.on === undefined && scenario.outcomes === undefined)
    throw new ApiError(
      'INVALID_VALUE',
      { field: 'scenario', rule: 'has no "on:", so it cannot be armed; run it instead' },
      `${name} has no "on:", so it cannot be armed. Run it, or request it with the header ${requestHeaders.scenario}.`,
    )
  const arm = { scenario: name, accountSeq, remaining: times ?? scenario.times ?? null, createdAtMs: unit.atMs }
  deleteArm(unit.db, name, accountSeq)
  insertArm(unit.db, arm)
  publishChange(unit, name, 'armed')
  return arm
}

/** Returns the number of deleted arms. */
export function disarmScenario(unit: Unit, name: string, accountSeq?: number): number {
  const disarmed = accountSeq === undefined ? deleteArmsOf(unit.db, name) : deleteArm(unit.db, name, accountSeq)
  if (disarmed.length > 0) publishChange(unit, name, 'disarmed')
  return disarmed.length
}

/** The sandbox was started with `arm` for a scenario that does not exist. */
export class UnknownArm extends Error {}

/** Arms the scenarios that are configured for the start. Throws `UnknownArm`. */
export function armAtStart(unit: Unit): void {
  for (const name of unit.scenarios.arm) {
    if (findScenario(unit, name) === undefined) throw new UnknownArm(unknownScenario(unit, name).message)
    armScenario(unit, name, null, null)
  }
}

function publishChange(unit: Unit, name: string, status: string): void {
  clearRowCache(unit.db)
  unit.publishChange({ type: 'workspace', id: name, status })
}

export const armedScenariosOf = selector(arms, 'where scenario = ? order by seq desc')

export function armedScenarioFields(db: Db, arm: ArmedScenario) {
  return {
    scenario: arm.scenario,
    account: arm.accountSeq === null ? null : accountOf(db, arm.accountSeq).username,
    times: arm.remaining,
    armed_at: isoUtc(arm.createdAtMs),
  }
}

/** What the choice of a scenario needs to know about a call. */
export interface ScenarioCall {
  endpoint: Endpoint
  accountSeq: number
  /** `X-Sandbox-Scenario`. */
  header: string | null
  fields: Record<string, unknown>
}

export interface ScenarioMatch {
  scenario: Scenario
  steps: Step[]
  startedBy: 'armed' | 'header'
  /** What the request log reports about the choice. */
  notes: string[]
}

interface Candidate {
  arm: ArmRow
  scenario: Scenario
}

/**
 * Returns the scenario that applies to this call, and decrements its remaining uses; null if none applies. Throws 422
 * INVALID_VALUE if the header names no scenario.
 */
export function interceptCall(unit: Unit, call: ScenarioCall): ScenarioMatch | null {
  const armed = getOrCacheRow(unit.db, 'arms', () => candidates(unit)).flatMap((one) => {
    if (one.arm.accountSeq !== null && one.arm.accountSeq !== call.accountSeq) return []
    const steps = stepsFor(one.scenario, call, true)
    return steps === null ? [] : [{ ...one, steps }]
  })
  if (call.header !== null) return interceptByHeader(unit, call, call.header, armed)
  const [winner, ...others] = armed
  if (winner === undefined) return null
  countUse(unit, winner.arm)
  const { scenario, steps } = winner
  const names = [...new Set(others.map((one) => one.scenario.name))]
  const notes = names.length === 0 ? [] : [`armed: ${scenario.name} (newest) overrides ${names.join(', ')}`]
  return { scenario, steps, startedBy: 'armed', notes }
}

const allArms = selector(arms, 'order by seq desc')

/** Returns the armed scenarios, newest first. */
function candidates(unit: Unit): Candidate[] {
  const rows = allArms(unit.db)
  return rows.flatMap((arm) => {
    const scenario = findScenario(unit, arm.scenario)?.scenario
    return scenario === undefined ? [] : [{ arm, scenario }]
  })
}

function interceptByHeader(unit: Unit, call: ScenarioCall, name: string, armed: readonly Candidate[]): ScenarioMatch {
  const scenario = findScenario(unit, name)?.scenario
  const field = requestHeaders.scenario
  if (scenario === undefined) {
    const { message, guess } = unknownScenario(unit, name)
    const hint = guess === null ? {} : { did_you_mean: guess }
    throw new ApiError('INVALID_VALUE', { field, rule: 'must be the name of a scenario', ...hint }, message)
  }
  const steps = stepsFor(scenario, call, false)
  if (steps === null) {
    const expected = scenario.on?.operation ?? 'one of the operations in its `outcomes`'
    const rule = `the scenario ${name} is for ${expected}, not for this call`
    throw new ApiError('INVALID_VALUE', { field, rule }, `${field}: ${rule}.`)
  }
  const names = [...new Set(armed.map((one) => one.scenario.name))]
  const notes = names.length === 0 ? [] : [`header: ${name} overrides ${names.join(', ')} (armed)`]
  return { scenario, steps, startedBy: 'header', notes }
}

/**
 * Returns the steps that a call leads to, or null. If the header names the scenario, `where` only
 * selects among `outcomes`.
 */
function stepsFor(scenario: Scenario, call: ScenarioCall, withWhere: boolean): Step[] | null {
  const fits = (on: On, where: boolean) => {
    const { operation, method, path } = call.endpoint
    return (
      (operation === on.operation || `${method} ${path}` === on.operation) &&
      (!where || satisfiesAll(call.fields, on.where))
    )
  }
  if (scenario.outcomes !== undefined) {
    const outcome = scenario.outcomes.find((one) => fits(one.on, true))
    if (outcome !== undefined) return outcome.steps
    return !withWhere && scenario.outcomes.some((one) => fits(one.on, false)) ? [] : null
  }
  if (scenario.on === undefined) return withWhere ? null : (scenario.steps ?? [])
  return fits(scenario.on, withWhere) ? (scenario.steps ?? []) : null
}

function countUse(unit: Unit, { seq, remaining }: ArmRow): void {
  if (remaining === null) return
  if (remaining <= 1) deleteUsedArm(unit.db, seq)
  else updateArm(unit.db, seq, { remaining: remaining - 1 })
  clearRowCache(unit.db)
}

/** The objects that each waiting run depends on, by run id; null if any change can be relevant. */
type WaitingRuns = Map<string, ReadonlySet<string> | null>

/** Runs whose current step waits for a condition. Relevant changes wake them. */
export const waitingRuns: MemorySlot<WaitingRuns> = { begin: ({ db }) => readExpecting(db) }

const wakingTypes: readonly Change['type'][] = ['transaction', 'dispute', 'wallet', 'webhook', 'account']

export function wakeWaitingRuns(unit: Unit, change: Change): void {
  const runs = unit.memory.of(waitingRuns)
  if (runs.size === 0 || !wakingTypes.includes(change.type)) return
  const about = change.type === 'webhook' ? String(change.subject) : change.id
  for (const [id, objects] of runs)
    if (objects === null || objects.has(about)) schedule(unit, 'scenario', unit.atMs, id)
}

const running = selector(runs, `where status = 'running'`)

const readExpecting = (db: Db): WaitingRuns =>
  new Map(
    running(db)
      .filter((run) => run.state.expecting)
      .map((run) => [run.id, objectsOf(run)]),
  )

/**
 * Returns the objects whose changes can fulfill the current step. Null means any object: a balance depends on all
 * objects of an account, and an id can belong to another run.
 */
export function objectsOf({ state, steps }: { state: RunState; steps: readonly Step[] }): ReadonlySet<string> | null {
  const step = steps[state.currentStep]
  if (step === undefined || stepKey(step) !== 'expect') return null
  const { balance, id } = step.expect as { balance?: unknown; id?: unknown }
  return balance !== undefined || id !== undefined || state.objects.length === 0 ? null : new Set(state.objects)
}

export type ReadScenario = { scenario: Scenario; mistakes: null } | ({ scenario: null } & ReportedMistakes)

/** Provides scenarios: a workspace, or a unit of work in it. */
interface Library {
  readonly db: Db
  readonly scenarios: ScenarioSource
}

/** Returns all scenarios, sorted by name. */
export function listScenarios(library: Library): LibraryEntry[] {
  const byName = new Map<string, LibraryEntry>()
  for (const entry of [...library.scenarios.entries(), ...uploaded(library.db)]) byName.set(entry.scenario.name, entry)
  return [...byName.values()].sort((a, b) => (a.scenario.name < b.scenario.name ? -1 : 1))
}

const uploaded = (db: Db): LibraryEntry[] =>
  allScenarios(db).map((row) => ({ scenario: row.definition, origin: 'uploaded' }))

export function findScenario(library: Library, name: string): LibraryEntry | undefined {
  const row = scenarioNamed(library.db, name)
  if (row !== undefined) return { scenario: row.definition, origin: 'uploaded' }
  return library.scenarios.find(name)
}

/** Throws 404 NOT_FOUND with the most similar name. */
export function requireScenario(library: Library, name: string): LibraryEntry {
  const entry = findScenario(library, name)
  if (entry !== undefined) return entry
  const { message, guess } = unknownScenario(library, name)
  if (guess !== null) throw new ApiError('NOT_FOUND', { scenario: name, did_you_mean: guess }, message)
  throw new ApiError('NOT_FOUND', { scenario: name }, `${message}. The command scenario list shows all scenarios.`)
}

export function unknownScenario(library: Library, name: string): { message: string; guess: string | null } {
  const guess = nearest(
    name,
    listScenarios(library).map((entry) => entry.scenario.name),
  )
  return { message: `There is no scenario ${name}${didYouMean(guess)}`, guess }
}

/** Limited, because every listing reads all of them. */
const uploadLimits = { count: 500, characters: 4_000_000 }

/**
 * Stores a scenario, replacing an uploaded one of that name and hiding a built-in one. Throws 422 INVALID_VALUE if the
 * workspace has too many, or too large ones.
 */
export function uploadScenario(unit: Unit, scenario: Scenario): LibraryEntry {
  const [others] = sizeWithout(unit.db, scenario.name)
  const characters = (others?.characters ?? 0) + JSON.stringify(scenario).length
  if ((others?.count ?? 0) >= uploadLimits.count || characters > uploadLimits.characters)
    throw new ApiError(
      'INVALID_VALUE',
      {
        field: 'scenario',
        rule: 'the limit of uploaded scenarios is reached; delete some first',
        limits: uploadLimits,
      },
      `A workspace stores at most ${uploadLimits.count} uploaded scenarios with ${uploadLimits.characters} characters in total. Delete some, or load them from a folder with --scenarios.`,
    )
  putScenario(unit.db, { name: scenario.name, definition: scenario, createdAtMs: unit.atMs })
  clearRowCache(unit.db)
  unit.publishChange({ type: 'workspace', id: scenario.name, status: 'scenario_uploaded' })
  return { scenario, origin: 'uploaded' }
}

/** Throws 404 NOT_FOUND, or 422 INVALID_VALUE for one that was not uploaded. */
export function deleteScenario(unit: Unit, name: string): void {
  const entry = requireScenario(unit, name)
  if (entry.origin !== 'uploaded')
    throw new ApiError(
      'INVALID_VALUE',
      {
        field: 'name',
        rule: `is ${entry.origin === 'folder' ? 'in the scenario folder' : 'built in'}: only uploaded scenarios can be deleted`,
      },
      `${name} was not uploaded, so it cannot be deleted.`,
    )
  removeScenario(unit.db, name)
  clearRowCache(unit.db)
  unit.publishChange({ type: 'workspace', id: name, status: 'scenario_deleted' })
}
