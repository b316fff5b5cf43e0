/** Stores the result of each section as JSON for the report: `{section, at, commit, version, node, machine, seed, figures, verdict}`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { testsOf } from './trial-files.mjs'

const isSelection = process.argv.includes('--selection')
/** Output of the sections. */
export const resultsFolder = join(process.cwd(), 'node_modules/.torture', isSelection ? 'selection' : 'results')
/** The report contains these results, so they are stored beside it. Those of a selection are not. */
export const storedFolder = isSelection ? resultsFolder : join(import.meta.dirname, 'results')

const git = (...args) => {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

const trialFile = (name) => `test/torture/${name}.trial.ts`
/** What results depend on: everything but texts, pictures, what the sections write, how tests are started and results stored, and the trials of one section each. */
const testedFiles = [
  '.',
  ...['*.md', 'docs/images', 'test/torture/reached.json', 'test/torture/results'].map((name) => `:!${name}`),
  ...['trials', 'result', 'report'].map((name) => `:!test/torture/${name}.mjs`),
  `:!${trialFile('*')}`,
]
const ofMutants = ['*mutant*', 'mutator.mjs', 'suite.mjs'].map((name) => `:!test/torture/${name}`)
/** A section that runs few tests or none depends on no others, and on nothing of the mutants. */
const withoutTests = [...testedFiles, ':!test/**/*.test.ts', ...ofMutants]

/** The version under test, read at the start because the folder may change during the run. */
export const testedVersion = {
  commit: git('rev-parse', '--short', 'HEAD') || null,
  /** Whether the tested files differ from the commit. */
  isChanged: git('status', '--porcelain', '--untracked-files=no', '--', ...testedFiles) !== '',
  version: JSON.parse(readFileSync('package.json', 'utf8')).version,
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0].model.trim()}`,
}

/** A hash of files as they are now, by patterns of Git; null without Git. */
export function hashOf(patterns) {
  const names = git('ls-files', '-z', '--', ...patterns).split('\0')
  if (names.length < 2) return null
  const hash = createHash('sha256')
  for (const name of names.filter((name) => existsSync(name)))
    hash.update(`${name}\0`).update(readFileSync(name)).update('\0')
  return hash.digest('hex')
}

const fileOf = (section) => join(storedFolder, `${section}.json`)

/** Returns the result of a section; undefined if there is none. */
export function resultOf(section) {
  const file = fileOf(section)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

const differences = new Map()

/** Whether files differ between a commit and the one that is tested now. */
function differ(commit, patterns) {
  const key = JSON.stringify([commit, patterns])
  if (!differences.has(key)) {
    const { status } = spawnSync('git', ['diff', '--quiet', commit, testedVersion.commit, '--', ...patterns])
    differences.set(key, status !== 0)
  }
  return differences.get(key)
}

function isOfTestedCommit({ section, commit }) {
  const tests = testsOf(section)
  if (tests === undefined) return !differ(commit, testedFiles)
  const own = tests.map((name) => (name.includes('/') ? name : trialFile(name)))
  return !differ(commit, withoutTests) && (own.length === 0 || !differ(commit, own))
}

/** Whether a result is of the source that is tested now: what the section runs has not changed. */
export const isOfThisSource = (result) =>
  ![result, testedVersion].some(({ commit, isChanged }) => commit === null || isChanged) && isOfTestedCommit(result)

/** Sections with random input, whose runs on the same source add up. */
const sections = ['simulate', 'kill', 'races', 'fuzz', 'damage', 'audit']
export const addsUp = (section) => sections.includes(section)

/** A failure stays until the source has changed. */
function sumOf(one, other) {
  const figures = { ...one.figures, ...other.figures }
  for (const [name, value] of Object.entries(one.figures)) {
    if (typeof value === 'number' && name !== 'workers') figures[name] = value + (other.figures[name] ?? 0)
    if (Array.isArray(value)) figures[name] = [...value, ...(other.figures[name] ?? [])]
  }
  const verdict = one.verdict === 'passed' ? other.verdict : one.verdict
  return { ...other, seed: `${one.seed}, ${other.seed}`, figures, verdict }
}

/** `figures` are measured values by name; a list of rows becomes a table. `verdict` is `passed` or says what failed. Returns whether it passed. */
export function storeResult({ section, seed = null, figures, verdict }) {
  mkdirSync(storedFolder, { recursive: true })
  const run = { section, at: new Date().toISOString(), ...testedVersion, seed, figures, verdict }
  const before = resultOf(section)
  const row = before !== undefined && addsUp(section) && isOfThisSource(before) ? sumOf(before, run) : run
  writeFileSync(fileOf(section), `${JSON.stringify(row, null, 2)}\n`)
  return verdict === 'passed'
}
