/** The sections that consist of test files. The test runner runs them with full figures, and their notes go into the report. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder, storeResult } from './result.mjs'
import { trials } from './trial-files.mjs'

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
  const all = [...reporters, ...flags, ...files]
  const child = spawn('npx', ['vitest', 'run', '--config', config, ...all], { stdio: 'inherit', env })
  const code = await new Promise((done) => child.on('close', done))
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(output, 'utf8'))
    const results = testResults.flatMap(({ assertionResults }) => assertionResults)
    const failed = results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
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
