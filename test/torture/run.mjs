/**
 * `npm run torture`: the long tests. `--only SECTION` runs one section, `--minutes N` limits the time, `--seed N` repeats a run,
 * and `--selection` runs a few minutes of the random tests. `--release` runs all sections at full size, side by side where they
 * allow it. It can be interrupted, and called again it does not repeat what has passed on this source; `--minutes N` sets the
 * length of a part that an interruption loses.
 * For the simulation: `--operations N`, `--workers N`, `--plant NAME` (a fault of plants.mjs).
 * For the mutants: `--mutants N` of each file (default: all, and of the judges a sample), `--in FILE`, `--go-on`, which takes over
 * the stored results of folders whose source and tests are the same, and `--retry`, which tests what is left of earlier runs and stores no result.
 */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isFullRun, writeReport } from './report.mjs'
import { addsUp, isOfThisSource, resultOf, resultsFolder, storeResult } from './result.mjs'
import { trials } from './trial-files.mjs'
import { runTrial } from './trials.mjs'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string' },
    selection: { type: 'boolean', default: false },
    release: { type: 'boolean', default: false },
    seed: { type: 'string' },
    operations: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: String(cpus().length) },
    plant: { type: 'string' },
    mutants: { type: 'string' },
    in: { type: 'string' },
    'go-on': { type: 'boolean', default: false },
    retry: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
const workers = Number(values.workers)
/** The share of each section in the time of a selection. The long tests have no time limit. */
const selection = { simulate: 0.3, kill: 0.3, fuzz: 0.3, races: 0.1, long: 0 }
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
const secondsOf = (name) => {
  if (minutes === undefined || name === 'long') return undefined
  return 60 * minutes * (values.selection ? selection[name] : 1)
}
const tests = Object.keys(trials).map((name) => [
  name,
  () => runTrial(name, { seed, seconds: secondsOf(name), isShort: values.selection }),
])
/** The longest come first, so that `--release` leaves no core idle at the end; the mutants take hours, so they come last. */
const sections = {
  ...Object.fromEntries(tests),
  workerd,
  drivers,
  simulate,
  plants,
  backlog,
  tenants,
  release,
  mutants,
}

/** Sections that use all cores, or measure time. `--release` runs the others side by side first. */
const onAllCores = ['soak', 'simulate', 'plants', 'fuzz', 'backlog', 'tenants', 'release', 'mutants']

const all = Object.keys(values.selection ? selection : sections)
const chosen = values.only === undefined ? all : [values.only]
for (const name of chosen)
  if (!(name in sections)) throw new Error(`unknown section "${name}"; use one of ${all.join(', ')}`)
const running = new Set()
const failed = values.release ? await runRelease() : await runChosen()
console.error(failed.length === 0 ? `passed: ${chosen.join(', ')}` : `FAILED: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Returns the sections that failed. */
async function runChosen() {
  console.error(`seed ${seed}`)
  const failed = []
  for (const name of chosen) {
    console.error(`\n${name}`)
    if (!(await run(name))) failed.push(name)
    if (!values.selection && values.plant === undefined) writeReport()
  }
  return failed
}

/** Runs each section that has not passed in full yet in a process of its own. Returns the sections that failed. */
async function runRelease() {
  const left = chosen.filter((name) => !hasPassed(name))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => endAll(signal))
  const failed = []
  const inTurn = async (names) => {
    for (let name = names.shift(); name !== undefined; name = names.shift())
      if (!(await runUntilFull(name))) failed.push(name)
  }
  const shared = left.filter((name) => !onAllCores.includes(name))
  // These often wait, so there is one more than cores.
  await Promise.all(Array.from({ length: workers + 1 }, () => inTurn(shared)))
  await inTurn(left.filter((name) => onAllCores.includes(name)))
  return failed
}

function endAll(signal) {
  for (const { pid } of running) process.kill(-pid, signal)
  console.error('interrupted; the same command continues')
  process.exit(130)
}

/** Runs a random section in parts of ten minutes, so that an interruption loses little. Returns whether it passed. */
async function runUntilFull(name) {
  const args = ['--only', name]
  if (addsUp(name)) args.push('--minutes', String(minutes ?? 10))
  if (name === 'mutants') args.push('--go-on')
  // Each part has its own seed.
  const { TEST_SEED, ...env } = process.env
  mkdirSync(resultsFolder, { recursive: true })
  const log = join(resultsFolder, `${name}.log`)
  do {
    console.error(`${name}: started; its output is in ${log}`)
    const output = openSync(log, 'w')
    // In a group of its own, so that an interruption ends the test runner and its sandboxes too.
    const options = { stdio: ['ignore', output, output], env, detached: true }
    const child = spawn(process.execPath, [import.meta.filename, ...args], options)
    running.add(child)
    const code = await new Promise((done) => child.once('close', done))
    running.delete(child)
    closeSync(output)
    writeReport()
    const isPassed = code === 0 && resultOf(name)?.verdict === 'passed'
    console.error(`${name}: ${!isPassed ? 'FAILED' : hasPassed(name) ? 'passed in full' : 'passed a part'}`)
    if (!isPassed) return false
    // With changed files, parts do not add up.
  } while (addsUp(name) && isOfThisSource(resultOf(name)) && !hasPassed(name))
  return true
}

function hasPassed(name) {
  const result = resultOf(name)
  return result?.verdict === 'passed' && isOfThisSource(result) && isFullRun(result)
}

/** Runs a section and returns whether it passed. A section without figures of its own gets a result too. */
async function run(name) {
  const [startedMs, before] = [performance.now(), resultOf(name)?.at]
  const isPassed = await sections[name]()
  if (resultOf(name)?.at !== before || values.plant !== undefined) return isPassed
  const figures = { tookMs: Math.round(performance.now() - startedMs) }
  return storeResult({ section: name, figures, verdict: isPassed ? 'passed' : 'failed' })
}

/** Webhooks under load: each is sent within a second, and none is left a second after the load has ended. */
async function backlog() {
  const { webhooksUnderLoad } = await import('../../bench/backlog.mjs')
  const figures = await webhooksUnderLoad(secondsOf('backlog') ?? 60)
  console.log(JSON.stringify(figures))
  const isPassed = figures.oldestMs <= 1000 && figures.unsentLater === 0
  return storeResult({ section: 'backlog', seed, figures, verdict: isPassed ? 'passed' : 'failed' })
}

/** Ten workspaces, ten thousand of which few are busy, and Durable Objects, whose memory a local workerd keeps. */
async function tenants() {
  const { manyTenants } = await import('../../bench/tenants.mjs')
  const rows = [await manyTenants(10, 10)]
  rows.push(await manyTenants(10_000, 200), await manyTenants(1000, 200, 'workerd'))
  console.table(rows)
  const isPassed = rows.every(
    (row) =>
      row.missed === 0 &&
      Math.max(row.afterKillMs, row.afterStopMs) <= 5000 &&
      (row.host === 'workerd' || row.idleMb <= 400),
  )
  return storeResult({ section: 'tenants', figures: { rows }, verdict: isPassed ? 'passed' : 'failed' })
}

/** Runs all behaviour tests on the newest Node with `node:sqlite` as the database driver. */
async function drivers() {
  const { newerNode, runTests, withinBetterSqlite3 } = await import('../support/newer-node.mjs')
  return (
    runTests(
      newerNode(),
      withinBetterSqlite3.flatMap((file) => ['--exclude', file]),
      'inherit',
    ).status === 0
  )
}

/** Runs the behaviour tests under workerd, and tests the alarms of an object that sleeps or whose process was killed. */
async function workerd() {
  const { buildWorkers } = await import('../../scripts/build-workers.mjs')
  const { runOnWorkers } = await import('../support/on-workers.mjs')
  const { testAlarms } = await import('./alarms.mjs')
  await buildWorkers()
  const hasAlarms = await testAlarms()
  return runOnWorkers('inherit') && hasAlarms
}

/** Checks the tarball and the executable of the last commit. */
async function release() {
  const { checkRelease } = await import('./release.mjs')
  return checkRelease()
}

async function plants() {
  const { findPlants } = await import('./plant.mjs')
  const rows = await findPlants({ seed, workers })
  const found = rows.filter((row) => row.found).length
  console.log(`${found} of ${rows.length} planted faults found`)
  return storeResult({
    section: 'plants',
    seed,
    figures: { planted: rows.length, found, rows },
    verdict: found === rows.length ? 'passed' : 'not all found',
  })
}

async function mutants() {
  const { testMutants } = await import('./mutants.mjs')
  const isGiven = values.seed !== undefined || process.env.TEST_SEED !== undefined
  const options = {
    ...{ workers, minutes, only: values.in, continues: values['go-on'], isRetry: values.retry },
    ...(isGiven ? { seed } : {}),
    ...(values.mutants === undefined ? {} : { ofEachFile: Number(values.mutants) }),
  }
  const { mutants, chosen, rows, broken, bySubject, byPart, ...drawn } = await testMutants(options)
  const withVerdict = (...verdicts) => rows.filter(({ verdict }) => verdicts.includes(verdict))
  const [killed, left] = [withVerdict('killed'), withVerdict('survived', 'unreached')]
  const killedBy = (name) => killed.filter((row) => row.with === name).length
  const counts = { mutants, chosen, tested: rows.length, simulation: killedBy('simulation'), tests: killedBy('tests') }
  const figures = { ...counts, explained: withVerdict('explained').length, left: left.length }
  const brief = ({ file, line, kind, was }) => ({ place: `${file.replace('src/', '')}:${line}`, change: kind, was })
  const explained = withVerdict('explained').map((row) => ({ ...brief(row), why: row.why }))
  const survivors = left.map((row) => ({ ...brief(row), verdict: row.verdict }))
  const mistakes = [
    ...(broken.length === 0 ? [] : [`fail without a change: ${broken.join(', ')}`]),
    ...(left.length === 0 ? [] : [`${left.length} changes are neither noticed nor explained`]),
  ]
  console.log(JSON.stringify(figures))
  for (const table of [bySubject, byPart, explained, survivors]) console.table(table)
  for (const mistake of mistakes) console.error(mistake)
  if (values.retry) return mistakes.length === 0
  return storeResult({
    section: 'mutants',
    seed: drawn.seed,
    figures: { ...figures, subjects: bySubject, parts: byPart, survivors, equivalents: explained },
    verdict: mistakes.join('; ') || 'passed',
  })
}

async function simulate() {
  const { simulate } = await import('./simulate.mjs')
  const options = {
    seed,
    workers,
    operations: Number(values.operations),
    minutes: (secondsOf('simulate') ?? 3600) / 60,
    // A selection changes no file of the project.
    storesReach: !values.selection,
  }
  const { verdict, ...figures } = await simulate({ ...options, plant: values.plant })
  console.log(`${verdict}: ${JSON.stringify(figures)}`)
  // A planted fault is no result for the report.
  if (values.plant !== undefined) return verdict === 'passed'
  return storeResult({ section: 'simulate', seed, figures, verdict })
}
