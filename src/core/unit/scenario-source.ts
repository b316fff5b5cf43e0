/** The port through which a runtime hands over the scenarios that it knows: they arrive parsed. */
import type { Scenario } from '../../protocol/scenario/file.js'

export interface LibraryEntry {
  scenario: Scenario
  origin: 'built-in' | 'folder' | 'uploaded'
  /** Where it was read from. */
  file?: string
}

export interface ScenarioSource {
  /** Built-in ones first, then those of the folder. Called when they are needed. */
  entries(): readonly LibraryEntry[]
  /** Of two with one name, that of the folder. */
  find(name: string): LibraryEntry | undefined
  /** Armed at every start and after every reset. */
  arm: readonly string[]
}

export const noScenarios: ScenarioSource = { entries: () => [], find: () => undefined, arm: [] }
