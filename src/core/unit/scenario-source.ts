/** The interface through which a runtime provides scenarios, already parsed. */
import type { Scenario } from '../../protocol/scenario/file.js'

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
