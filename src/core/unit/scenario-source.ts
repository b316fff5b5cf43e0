/** The interface through which a runtime provides scenarios, already parsed. */
import type { Scenario } from '../../protocol/scenario/file.js'

export interface LibraryEntry {
  scenario: Scenario
  origin: 'built-in' | 'folder' | 'uploaded'
  /** The file it was read from. */
  file?: string
}

export interface ScenarioSource {
  /** Built-in scenarios first, then those of the folder. Called on demand. */
  entries(): readonly LibraryEntry[]
  /** If both have the name, returns the one of the folder. */
  find(name: string): LibraryEntry | undefined
  /** Scenarios to arm at every start and after every reset. */
  arm: readonly string[]
}

export const noScenarios: ScenarioSource = { entries: () => [], find: () => undefined, arm: [] }
