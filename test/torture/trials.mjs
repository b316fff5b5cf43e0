/** The sections that consist of test files. The test runner runs them with full figures, and their notes go into the report. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { leftOut, trialFiles } from './left-out.mjs'
import { resultsFolder, storeResult } from './result.mjs'

const suite = 'test/vitest.config.ts'
const alone = 'test/torture/vitest.config.ts'

const inSuite = (...names) => ({ config: suite, files: names.map((name) => `test/${name}.test.ts`) })

/** The longest come first. `parts` run in this order. `flags` are options of the test runner, `seeds` the environment variables that take the seed; `env` are others. */
const sections = {
  soak: { parts: [{ config: alone, files: ['soak'] }] },
  kill: { seeds: ['KILL_SEED'], parts: [inSuite('runtime/kill')] },
  certify: {
    env: { CERTIFY_RUNS: '100' },
    // A slow receiver takes minutes.
    flags: ['--testNamePattern=passes every requirement', '--testTimeout=1800000'],
    parts: [inSuite('certify/receiver', 'certify/client')],
  },
  chaos: { parts: [inSuite('control/chaos', 'certify/chaos', 'certify/shop')] },
  audit: { seeds: ['AUDIT_SEED'], parts: [inSuite('control/auditor', 'control/auditor-faults')] },
  damage: {
    seeds: ['DAMAGE_SEED'],
    parts: [
      { config: alone, files: ['damage'] },
      inSuite(
        'runtime/full-disk',
        'runtime/store-refuses',
        'runtime/units-of-work',
        'control/snapshots-damaged',
        'control/snapshots-files',
        'cli/start-errors',
      ),
    ],
  },
  races: { parts: [inSuite('platform/races')] },
  fuzz: { seeds: ['FUZZ_SEED'], parts: [{ config: alone, files: ['fuzz'] }] },
  hostile: {
    seeds: ['FUZZ_SEED'],
    parts: [inSuite('platform/fuzz', 'control/fuzz', 'scenarios/hostile', 'house/expressions', 'platform/uploads')],
  },
  receivers: {
    parts: [
      inSuite(
        'webhooks/rate-window',
        'webhooks/send',
        'webhooks/tls',
        'webhooks/addresses',
        'webhooks/slow-receivers',
        'certify/hostile-receivers',
        'webhooks/delivery',
        'webhooks/retry',
      ),
    ],
  },
  many: { parts: [inSuite('runtime/many-workspaces', 'runtime/isolation', 'control/waiting', 'control/search')] },
  commands: {
    parts: [inSuite('cli/usage', 'cli/follow', 'cli/examples', 'cli/start-errors', 'control/sample-data')],
  },
  faults: { parts: [inSuite('certify/receiver', 'certify/client', 'certify/surfaces', 'control/snapshots-large')] },
  compare: {
    seeds: ['COMPARE_SEED'],
    parts: [inSuite('compare/scenarios', 'compare/calibrate', 'compare/deviations', 'record/secrets')],
  },
  books: {
    seeds: ['BOOKS_SEED'],
    parts: [inSuite('certify/books', 'certify/books-months', 'certify/books-files', 'control/statement')],
  },
  shops: { parts: [inSuite('certify/shop-surfaces')] },
  pages: { parts: [inSuite('dashboard/views', 'dashboard/security', 'platform/pay-page')] },
  // A missing test runner of a language is a failure.
  languages: { env: { ALL_LANGUAGES: '1' }, parts: [inSuite('house/languages')] },
  packages: { env: { ALL_LANGUAGES: '1' }, parts: [inSuite('packages/killed', 'packages/packages')] },
  // Missing test runners of Node are fetched.
  runners: { env: { ALL_RUNNERS: '1' }, parts: [inSuite('library/runners')] },
}
const elsewhere = Object.values(sections).flatMap(({ parts }) => parts.flatMap(({ files }) => files))

export const trials = {
  ...sections,
  /** A selection runs no section of its own for most of these files. */
  long: {
    parts: [{ config: suite, files: leftOut.filter((file) => !elsewhere.includes(file)) }],
    partsOfSelection: [{ config: suite, files: leftOut.filter((file) => !trialFiles.includes(file)) }],
  },
}

/** Runs a section and returns whether it passed. `seconds` limits the time. */
export async function runTrial(section, { seed, seconds, isShort = false }) {
  const { seeds = [], env: own, flags = [], parts, partsOfSelection } = trials[section]
  const notes = join(resultsFolder, `${section}.notes`)
  mkdirSync(resultsFolder, { recursive: true })
  rmSync(notes, { force: true })
  const env = {
    ...process.env,
    ...own,
    TEST_FIGURES: isShort && partsOfSelection !== undefined ? 'few' : 'full',
    TORTURE_NOTES: notes,
    ...Object.fromEntries(seeds.map((name) => [name, String(seed)])),
    ...(seconds === undefined ? {} : { TRIAL_SECONDS: String(seconds), TORTURE_MINUTES: String(seconds / 60) }),
  }
  const startedMs = performance.now()
  let [passed, failed, hasEnded] = [0, [], true]
  for (const part of (isShort && partsOfSelection) || parts) {
    const reported = await runTests({ ...part, flags }, env, join(resultsFolder, `${section}.tests`))
    passed += reported.passed
    failed = [...failed, ...reported.failed]
    hasEnded &&= reported.hasEnded
  }
  const tookMs = Math.round(performance.now() - startedMs)
  const figures = { tests: passed, tookMs, notes: readNotes(notes), ...(failed.length === 0 ? {} : { failed }) }
  return storeResult({ section, seed, figures, verdict: hasEnded && failed.length === 0 ? 'passed' : 'failed' })
}

async function runTests({ config, files, flags }, env, output) {
  rmSync(output, { force: true })
  const names = ['default', 'test/support/failures.ts', 'json'].map((name) => `--reporter=${name}`)
  const reporters = [...names, `--outputFile.json=${output}`]
  const child = spawn('npx', ['vitest', 'run', '--config', config, ...reporters, ...flags, ...files], {
    stdio: 'inherit',
    env,
  })
  const code = await new Promise((done) => child.on('close', done))
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(output, 'utf8'))
    const all = testResults.flatMap(({ assertionResults }) => assertionResults)
    const failed = all.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
    return { passed: numPassedTests, failed, hasEnded: code === 0 || failed.length > 0 }
  } catch {
    return { passed: 0, failed: [], hasEnded: false }
  }
}

/** Tests note their progress every minute. The report shows the last of the notes that begin alike. */
function readNotes(file) {
  try {
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    const last = new Map(lines.map((line) => [line.replaceAll(/\d[\d.]*/g, '#').slice(0, 30), line]))
    return [...last.values()]
  } catch {
    return []
  }
}
