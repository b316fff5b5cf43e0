/** Scenario files on disk: the files of the package, and the files in a folder that the user names. */

import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { LocatedMistake } from '../../core/scenarios/check.js'
import type { LibraryEntry, ScenarioSource } from '../../core/unit/ports.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import type { Scenario } from '../../protocol/scenario/file.js'
import { builtInScenarios, readScenarioText } from '../shared/scenario-text.js'
import { readInputFile } from './files/input.js'
import { program } from './program.js'

interface FileMistake extends LocatedMistake {
  file: string
}

type ReadFile = { file: string } & (
  | { scenario: Scenario; mistakes: null }
  | { scenario: null; mistakes: FileMistake[]; more: number }
)

/** Reads one file. Throws `UnusableFile` if it cannot be read at all. */
export function readScenarioFile(file: string): ReadFile {
  const bytes = readInputFile('scenario', file)
  if (bytes.length > bodyLimits.scenarioBytes) return tooLarge(file, bytes.length)
  const result = readScenarioText(bytes.toString('utf8'))
  if (result.mistakes === null) return { file, scenario: result.scenario, mistakes: null }
  const { mistakes, more } = result
  return { file, scenario: null, mistakes: mistakes.map((mistake) => ({ file, ...mistake })), more }
}

function tooLarge(file: string, size: number): ReadFile {
  const message = `is ${size} bytes long; a scenario file has at most ${bodyLimits.scenarioBytes}`
  return { file, scenario: null, mistakes: [{ file, line: 1, column: 1, path: '', message }], more: 0 }
}

/** Returns the scenario files of a folder, sorted by name. Throws if the folder does not exist. */
function scenarioFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /\.(ya?ml|json)$/i.test(name) && !name.endsWith('.schema.json'))
    .sort()
    .map((name) => join(folder, name))
}

/** Formats one line for each mistake, then the number of further mistakes. */
export const mistakeLines = ({ mistakes, more }: { mistakes: readonly FileMistake[]; more: number }): string[] => [
  ...mistakes.map(mistakeLine),
  ...(more === 0 ? [] : [`and ${more} more`]),
]

/** Formats as `file:line:column path message`, like a compiler. */
function mistakeLine({ file, line, column, path, message }: FileMistake): string {
  return `${file}:${line ?? 1}:${column ?? 1}: ${path === '' ? '' : `${path}: `}${message}`
}

/** Explains in one line with the remedy why a folder of scenarios cannot be used. */
export class UnusableScenarios extends Error {}

/** Reads a whole folder. Throws `UnusableScenarios` if it is missing, a file has a mistake, or two files have one name. */
function readScenarioFolder(folder: string): LibraryEntry[] {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found === undefined) throw unusable(`the scenario folder ${folder} does not exist`)
  if (!found.isDirectory()) throw unusable(`the scenario folder ${folder} is a file`)
  const result = scenarioFilesIn(folder).map(readScenarioFile)
  const wrong = result.filter((one) => one.mistakes !== null)
  const [first] = wrong.flatMap((one) => one.mistakes)
  if (first !== undefined) {
    const others = wrong.reduce((sum, one) => sum + one.mistakes.length + one.more, -1)
    const more = others > 0 ? ` (and ${others} more: payments-sandbox scenario validate ${first.file})` : ''
    throw new UnusableScenarios(`${mistakeLine(first)}${more}`)
  }
  const files = new Map<string, string>()
  return result.flatMap(({ file, scenario }) => {
    if (scenario === null) return []
    const other = files.get(scenario.name)
    if (other !== undefined)
      throw new UnusableScenarios(`${file} and ${other} are both named ${scenario.name}: rename one`)
    files.set(scenario.name, file)
    return [{ scenario, origin: 'folder', file }]
  })
}

const unusable = (what: string) => new UnusableScenarios(`${what}: name another with --scenarios`)

export interface ScenarioFiles extends ScenarioSource {
  /**
   * Reads the built-in scenarios, one in each turn of the event loop: called when the dashboard is opened, which may
   * show them next.
   */
  readAhead(): void
}

/**
 * The scenarios of a sandbox. The user's folder is read immediately, so that a mistake fails the start; built-in ones
 * are read on demand.
 */
export function scenarioSource(folder: string | null, arm: readonly string[]): ScenarioFiles {
  const folderScenarios = folder === null ? [] : readScenarioFolder(folder)
  let all: LibraryEntry[] | undefined
  let isReadAhead = false
  return {
    arm,
    entries() {
      all ??= [...builtInNames().flatMap((name) => builtIn(name) ?? []), ...folderScenarios]
      return all
    },
    find(name) {
      const found = folderScenarios.find((entry) => entry.scenario.name === name)
      return found !== undefined || !/^[a-z0-9-]{1,80}$/.test(name) ? found : builtIn(name)
    },
    readAhead() {
      if (isReadAhead) return
      isReadAhead = true
      const names = builtInNames()
      const next = () => {
        const name = names.shift()
        if (name === undefined) return
        builtIn(name)
        setImmediate(next)
      }
      setImmediate(next)
    },
  }
}

const builtInFolder = 'scenarios'

/** Returns the names of the built-in scenarios. Throws if the package is incomplete. */
export function builtInNames(): string[] {
  const files = program.namesIn(builtInFolder).filter((name) => name.endsWith('.yaml'))
  if (files.length === 0) throw new Error('the built-in scenarios are missing: the package is incomplete')
  return files.map((file) => basename(file, '.yaml'))
}

const builtIn = builtInScenarios(
  (name) => `${builtInFolder}/${name}.yaml`,
  (file) => program.read(file),
)
