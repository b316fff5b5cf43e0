/** The sections that consist of test files. The test runner runs them with full figures, and their notes go into the report. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { leftOut } from './left-out.mjs'
import { resultsFolder, storeResult } from './result.mjs'

const suite = 'test/vitest.config.ts'
const alone = 'test/torture/vitest.config.ts'

/** `parts` run in this order. `seeds` are the environment variables that take the seed. */
export const trials = {
  kill: { seeds: ['KILL_SEED'], parts: [{ config: suite, files: ['test/runtime/kill.test.ts'] }] },
  races: { seeds: [], parts: [{ config: suite, files: ['test/platform/races.test.ts'] }] },
  fuzz: { seeds: ['FUZZ_SEED'], parts: [{ config: alone, files: ['fuzz'] }] },
  hostile: {
    seeds: ['FUZZ_SEED'],
    parts: [
      {
        config: suite,
        files: ['platform/fuzz', 'control/fuzz', 'scenarios/hostile', 'house/expressions', 'platform/uploads'].map(
          (name) => `test/${name}.test.ts`,
        ),
      },
    ],
  },
  damage: {
    seeds: ['DAMAGE_SEED'],
    parts: [
      { config: alone, files: ['damage'] },
      {
        config: suite,
        files: [
          'runtime/full-disk',
          'runtime/store-refuses',
          'runtime/units-of-work',
          'control/snapshots-damaged',
          'control/snapshots-files',
          'cli/start-errors',
        ].map((name) => `test/${name}.test.ts`),
      },
    ],
  },
  receivers: {
    seeds: [],
    parts: [
      {
        config: suite,
        files: [
          'webhooks/rate-window',
          'webhooks/send',
          'webhooks/tls',
          'webhooks/addresses',
          'webhooks/slow-receivers',
          'certify/hostile-receivers',
          'webhooks/delivery',
          'webhooks/retry',
        ].map((name) => `test/${name}.test.ts`),
      },
    ],
  },
  many: {
    seeds: [],
    parts: [
      {
        config: suite,
        files: ['runtime/many-workspaces', 'runtime/isolation', 'control/waiting', 'control/search'].map(
          (name) => `test/${name}.test.ts`,
        ),
      },
    ],
  },
  commands: {
    seeds: [],
    parts: [
      {
        config: suite,
        files: ['cli/usage', 'cli/follow', 'cli/examples', 'cli/start-errors', 'control/sample-data'].map(
          (name) => `test/${name}.test.ts`,
        ),
      },
    ],
  },
  faults: {
    seeds: [],
    parts: [
      {
        config: suite,
        files: ['certify/receiver', 'certify/client', 'certify/surfaces', 'control/snapshots-large'].map(
          (name) => `test/${name}.test.ts`,
        ),
      },
    ],
  },
  compare: {
    seeds: ['COMPARE_SEED'],
    parts: [
      {
        config: suite,
        files: ['compare/scenarios', 'compare/calibrate', 'compare/deviations', 'record/secrets'].map(
          (name) => `test/${name}.test.ts`,
        ),
      },
    ],
  },
  audit: {
    seeds: ['AUDIT_SEED'],
    parts: [{ config: suite, files: ['auditor', 'auditor-faults'].map((name) => `test/control/${name}.test.ts`) }],
  },
  books: {
    seeds: ['BOOKS_SEED'],
    parts: [
      {
        config: suite,
        files: ['certify/books', 'certify/books-months', 'certify/books-files', 'control/statement'].map(
          (name) => `test/${name}.test.ts`,
        ),
      },
    ],
  },
  chaos: {
    seeds: [],
    parts: [
      {
        config: suite,
        files: ['control/chaos', 'certify/chaos', 'certify/shop'].map((name) => `test/${name}.test.ts`),
      },
    ],
  },
  shops: {
    seeds: [],
    parts: [{ config: suite, files: ['test/certify/shop-surfaces.test.ts'] }],
  },
  pages: {
    seeds: [],
    parts: [
      {
        config: suite,
        files: ['dashboard/views', 'dashboard/security', 'platform/pay-page'].map((name) => `test/${name}.test.ts`),
      },
    ],
  },
  long: { seeds: [], hasFewFiguresInSelection: true, parts: [{ config: suite, files: leftOut }] },
  soak: { seeds: [], parts: [{ config: alone, files: ['soak'] }] },
}

/** Runs a section and returns whether it passed. `seconds` limits the time. */
export async function runTrial(section, { seed, seconds, isShort = false }) {
  const { seeds, parts, hasFewFiguresInSelection = false } = trials[section]
  const notes = join(resultsFolder, `${section}.notes`)
  mkdirSync(resultsFolder, { recursive: true })
  rmSync(notes, { force: true })
  const env = {
    ...process.env,
    TEST_FIGURES: isShort && hasFewFiguresInSelection ? 'few' : 'full',
    TORTURE_NOTES: notes,
    ...Object.fromEntries(seeds.map((name) => [name, String(seed)])),
    ...(seconds === undefined ? {} : { TRIAL_SECONDS: String(seconds), TORTURE_MINUTES: String(seconds / 60) }),
  }
  const startedMs = performance.now()
  let [passed, failed, hasEnded] = [0, [], true]
  for (const part of parts) {
    const reported = await runTests(part, env, join(resultsFolder, `${section}.tests`))
    passed += reported.passed
    failed = [...failed, ...reported.failed]
    hasEnded &&= reported.hasEnded
  }
  const tookMs = Math.round(performance.now() - startedMs)
  const figures = { tests: passed, tookMs, notes: readNotes(notes), ...(failed.length === 0 ? {} : { failed }) }
  return storeResult({ section, seed, figures, verdict: hasEnded && failed.length === 0 ? 'passed' : 'failed' })
}

async function runTests({ config, files }, env, output) {
  rmSync(output, { force: true })
  const names = ['default', 'test/support/failures.ts', 'json'].map((name) => `--reporter=${name}`)
  const reporters = [...names, `--outputFile.json=${output}`]
  const child = spawn('npx', ['vitest', 'run', '--config', config, ...reporters, ...files], { stdio: 'inherit', env })
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
    const last = new Map(lines.map((line) => [line.replaceAll(/\d[\d.]*/g, '#').slice(0, 25), line]))
    return [...last.values()]
  } catch {
    return []
  }
}
