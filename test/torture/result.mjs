/** What each section has found, kept as JSON for the report: `{section, at, commit, version, node, seed, figures, verdict}`. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A selection is no part of the report. */
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

/** What is tried: taken down as it begins, since the folder may change meanwhile. */
const tried = {
  commit: git('rev-parse', '--short', 'HEAD') || null,
  /** What is run differs from that commit. The report is written by the run itself. */
  isChanged: git('status', '--porcelain', '--untracked-files=no', '--', ':!test/torture/REPORT.md') !== '',
  version: JSON.parse(readFileSync('package.json', 'utf8')).version,
  node: process.version,
}

/** `figures` is what it measured, as names and values (a list of rows is kept as it is); `verdict` is `held` or says what did not. */
export function keepResult({ section, seed = null, figures, verdict }) {
  mkdirSync(resultsFolder, { recursive: true })
  const row = { section, at: new Date().toISOString(), ...tried, seed, figures, verdict }
  writeFileSync(join(resultsFolder, `${section}.json`), `${JSON.stringify(row, null, 2)}\n`)
  return verdict === 'held'
}
