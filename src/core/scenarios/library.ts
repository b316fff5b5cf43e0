/** The available scenarios: uploaded, from the folder, built-in. If names are equal, the first of these wins. */
import { asc, eq, ne, sql } from 'drizzle-orm'
import { nearest } from '../../base/text.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Scenario } from '../../protocol/scenario/file.js'
import type { Db } from '../../store/db.js'
import { scenarios } from '../../store/schema.js'
import { clearRowCache } from '../../store/unit-of-work.js'
import type { LibraryEntry, ScenarioSource } from '../unit/scenario-source.js'
import type { Unit } from '../unit/unit.js'
import type { ReportedMistakes } from './mistakes.js'

/** The result of reading a file. */
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

function uploaded(db: Db): LibraryEntry[] {
  return db.orm
    .select()
    .from(scenarios)
    .orderBy(asc(scenarios.name))
    .all()
    .map((row) => ({ scenario: row.definition, origin: 'uploaded' }))
}

export function findScenario(library: Library, name: string): LibraryEntry | undefined {
  const row = library.db.orm.select().from(scenarios).where(eq(scenarios.name, name)).get()
  if (row !== undefined) return { scenario: row.definition, origin: 'uploaded' }
  return library.scenarios.find(name)
}

/** Throws 404 NOT_FOUND with the most similar name. */
export function requireScenario(library: Library, name: string): LibraryEntry {
  const entry = findScenario(library, name)
  if (entry !== undefined) return entry
  const { message, guess } = unknownScenario(library, name)
  if (guess !== null) throw new ApiError('NOT_FOUND', { scenario: name, did_you_mean: guess }, { message })
  throw new ApiError(
    'NOT_FOUND',
    { scenario: name },
    { message: `${message}. The command scenario list shows all scenarios.` },
  )
}

export function unknownScenario(library: Library, name: string): { message: string; guess: string | null } {
  const guess = nearest(
    name,
    listScenarios(library).map((entry) => entry.scenario.name),
  )
  return { message: `There is no scenario ${name}${guess === null ? '' : `; did you mean ${guess}?`}`, guess }
}

/** Limited, because every listing reads all of them. */
const uploadLimits = { count: 500, characters: 4_000_000 }

/**
 * Stores a scenario, replacing an uploaded one of that name and hiding a built-in one. Throws 422 INVALID_VALUE if the
 * workspace has too many, or too large ones.
 */
export function uploadScenario(unit: Unit, scenario: Scenario): LibraryEntry {
  const others = unit.db.orm
    .select({
      count: sql<number>`count(*)`,
      characters: sql<number>`coalesce(sum(length(${scenarios.definition})), 0)`,
    })
    .from(scenarios)
    .where(ne(scenarios.name, scenario.name))
    .get()
  const characters = (others?.characters ?? 0) + JSON.stringify(scenario).length
  if ((others?.count ?? 0) >= uploadLimits.count || characters > uploadLimits.characters)
    throw new ApiError(
      'INVALID_VALUE',
      {
        field: 'scenario',
        rule: 'the limit of uploaded scenarios is reached; delete some first',
        limits: uploadLimits,
      },
      {
        message: `A workspace stores at most ${uploadLimits.count} uploaded scenarios with ${uploadLimits.characters} characters in total. Delete some, or load them from a folder with --scenarios.`,
      },
    )
  unit.db.orm
    .insert(scenarios)
    .values({ name: scenario.name, definition: scenario, createdAtMs: unit.atMs })
    .onConflictDoUpdate({ target: scenarios.name, set: { definition: scenario, createdAtMs: unit.atMs } })
    .run()
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
      { message: `${name} was not uploaded, so it cannot be deleted.` },
    )
  unit.db.orm.delete(scenarios).where(eq(scenarios.name, name)).run()
  clearRowCache(unit.db)
  unit.publishChange({ type: 'workspace', id: name, status: 'scenario_deleted' })
}
