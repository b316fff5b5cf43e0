/** The bundled scenarios, parsed on demand. */

import bundled from 'bundled:scenarios'
import { rowAt } from '../../base/keys.js'
import type { LibraryEntry, ScenarioSource } from '../../core/unit/scenario-source.js'
import { readScenarioText } from '../shared/scenario-text.js'

const entries = new Map<string, LibraryEntry>()

/** A built-in scenario has the name of its file. */
function builtIn(name: string): LibraryEntry | undefined {
  const known = entries.get(name)
  if (known !== undefined) return known
  const file = `${name}.yaml`
  const text = rowAt(bundled, file)
  const scenario = text === undefined ? null : readScenarioText(text).scenario
  if (scenario === null) return undefined
  const entry: LibraryEntry = { scenario, origin: 'built-in', file }
  entries.set(name, entry)
  return entry
}

export const bundledScenarios = (arm: readonly string[]): ScenarioSource => ({
  arm,
  entries: () => Object.keys(bundled).flatMap((file) => builtIn(file.replace(/\.yaml$/, '')) ?? []),
  find: builtIn,
})
