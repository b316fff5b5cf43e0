/** Stores the result of each section as JSON for the report: `{section, at, commit, version, node, seed, figures, verdict}`. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Results of a selection have their own folder, because the report does not contain them. */
export const resultsFolder = join(
  process.cwd(),
  'node_modules/.torture',
  process.argv.includes('--selection') ? 'selection' : 'results',
)

const git = (...args) => {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

/** The version under test, read at the start because the folder may change during the run. */
export const testedVersion = {
  commit: git('rev-parse', '--short', 'HEAD') || null,
  /** Whether the working tree differs from the commit. REPORT.md does not count, because the run writes it. */
  isChanged: git('status', '--porcelain', '--untracked-files=no', '--', ':!test/torture/REPORT.md') !== '',
  version: JSON.parse(readFileSync('package.json', 'utf8')).version,
  node: process.version,
}

/** Returns the last result of a section; undefined if there is none. */
export function resultOf(section) {
  const file = join(resultsFolder, `${section}.json`)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Whether a result is of the source that is tested now. */
export const isOfThisCommit = ({ commit, isChanged }) =>
  commit !== null && commit === testedVersion.commit && !isChanged && !testedVersion.isChanged

/** `figures` are measured values by name; a list of rows becomes a table. `verdict` is `passed` or says what failed. Returns whether it passed. */
export function storeResult({ section, seed = null, figures, verdict }) {
  mkdirSync(resultsFolder, { recursive: true })
  const row = { section, at: new Date().toISOString(), ...testedVersion, seed, figures, verdict }
  writeFileSync(join(resultsFolder, `${section}.json`), `${JSON.stringify(row, null, 2)}\n`)
  return verdict === 'passed'
}
