/**
 * `npm run torture`: the promises at full figures, each section by `--only NAME`; `--minutes N`, `--seed N`, and a few minutes of all that chance finds by `--selection`.
 * The simulation: `--operations N`, `--workers N`, `--plant NAME`; the mutants: `--mutants N`, `--in FILE`, `--go-on` with those that the last
 * run of the same source left over or had not come to.
 */
import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { writeReport } from './report.mjs'
import { keepResult } from './result.mjs'
import { runTrial, trials } from './trials.mjs'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string' },
    selection: { type: 'boolean', default: false },
    seed: { type: 'string' },
    operations: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: String(cpus().length) },
    plant: { type: 'string' },
    mutants: { type: 'string', default: '1e9' },
    in: { type: 'string' },
    'go-on': { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const workers = Number(values.workers)
/** Of a hundred mutants that are reached at least so many have to be noticed. */
const leastKilled = 90

/** The share of the time that each has in a selection. The long tests, with the shops, have no such bound. */
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
const sections = {
  simulate,
  plants,
  mutants,
  ...Object.fromEntries(tests),
  backlog,
  certify,
  languages,
  packages,
  runners,
  drivers,
  workerd,
  release,
}

const all = Object.keys(values.selection ? selection : sections)
const chosen = values.only === undefined ? all : [values.only]
for (const name of chosen) if (!(name in sections)) throw new Error(`there is no ${name}: ${all.join(', ')}`)
console.error(`seed ${seed}`)
const failed = []
for (const name of chosen) {
  console.error(`\n${name}`)
  if (!(await sections[name]())) failed.push(name)
  if (!values.selection) writeReport()
}
console.error(failed.length === 0 ? `held: ${chosen.join(', ')}` : `BROKEN: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Webhooks under load: none gets older than promised, and none is left when the load has ended. */
async function backlog() {
  const { webhooksUnderLoad } = await import('../../bench/backlog.mjs')
  const figures = await webhooksUnderLoad(secondsOf('backlog') ?? 60)
  console.log(JSON.stringify(figures))
  const isHeld = figures.oldestMs <= 1000 && figures.unsentLater === 0
  return keepResult({ section: 'backlog', seed, figures, verdict: isHeld ? 'held' : 'broken' })
}

/** All tests of behaviour by the newest Node, its databases opened by `node:sqlite`. */
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

/** The tests of behaviour under the runtime of Durable Objects, and its alarms where the object sleeps, or its process was killed. */
async function workerd() {
  const { buildWorkers } = await import('../../scripts/build-workers.mjs')
  const { runOnWorkers } = await import('../support/on-workers.mjs')
  const { alarmsRing } = await import('./alarms.mjs')
  await buildWorkers()
  const ring = await alarmsRing()
  return runOnWorkers('inherit') && ring
}

/** The tarball and the executable of the last commit. */
async function release() {
  const { releaseHolds } = await import('./release.mjs')
  return releaseHolds()
}

async function plants() {
  const { findPlants } = await import('./plant.mjs')
  const rows = await findPlants({ seed, workers })
  const found = rows.filter((row) => row.found).length
  console.log(`${found} of ${rows.length} planted faults found`)
  return keepResult({
    section: 'plants',
    seed,
    figures: { planted: rows.length, found, rows },
    verdict: found === rows.length ? 'held' : 'not all found',
  })
}

async function mutants() {
  const { tryMutants } = await import('./mutants.mjs')
  const given = { most: Number(values.mutants), only: values.in, minutes, goesOn: values['go-on'] }
  const { mutants, rows, untried } = await tryMutants({ seed, workers, ...given })
  const those = (verdict) => rows.filter((row) => row.verdict === verdict)
  const [killed, left] = [those('killed'), [...those('survived'), ...those('unreached')]]
  const by = (name) => killed.filter((row) => row.with === name).length
  // What there was no time for counts as passed by.
  const score = Math.round((1000 * killed.length) / Math.max(1, killed.length + left.length + untried)) / 10
  const counts = { mutants, tried: rows.length, simulation: by('simulation'), tests: by('tests') }
  const figures = { ...counts, explained: those('explained').length, left: left.length, score }
  const brief = ({ file, line, kind, was }) => ({ place: `${file.replace('src/', '')}:${line}`, change: kind, was })
  const explained = those('explained').map((row) => ({ ...brief(row), why: row.why }))
  console.log(JSON.stringify(figures))
  console.table(explained)
  return keepResult({
    section: 'mutants',
    seed,
    figures: {
      ...figures,
      survivors: left.map((row) => ({ ...brief(row), verdict: row.verdict })),
      equivalents: explained,
    },
    verdict: score >= leastKilled ? 'held' : `only ${score} % were noticed`,
  })
}

async function simulate() {
  const { simulate } = await import('./simulate.mjs')
  const given = { seed, workers, operations: Number(values.operations), minutes: (secondsOf('simulate') ?? 3600) / 60 }
  const { verdict, ...figures } = await simulate({ ...given, plant: values.plant })
  console.log(`${verdict}: ${JSON.stringify(figures)}`)
  // What was planted is no news.
  if (values.plant !== undefined) return verdict === 'held'
  return keepResult({ section: 'simulate', seed, figures, verdict })
}

/** The pages for every language, each by its own test runner: one that is not installed is a failure here. */
function languages() {
  return inAllLanguages('test/house/languages.test.ts')
}

/** The tests of all packages, each by its own test runner. */
function packages() {
  return inAllLanguages('test/packages/packages.test.ts')
}

function inAllLanguages(file) {
  const args = ['vitest', 'run', '--config', 'test/vitest.config.ts', file]
  const env = { ...process.env, ALL_LANGUAGES: '1', TEST_FIGURES: 'full' }
  return spawnSync('npx', args, { stdio: 'inherit', env }).status === 0
}

/** The fixtures by all four test runners: those that are not among the packages are fetched. */
function runners() {
  const args = ['vitest', 'run', '--config', 'test/vitest.config.ts', 'test/library/runners.test.ts']
  return spawnSync('npx', args, { stdio: 'inherit', env: { ...process.env, ALL_RUNNERS: '1' } }).status === 0
}

/** Those who are right, certified a hundred times each: none of them is ever accused. */
function certify() {
  const args = [
    'vitest',
    'run',
    '--config',
    'test/vitest.config.ts',
    'test/certify/receiver.test.ts',
    'test/certify/client.test.ts',
  ]
  // A line for each: it takes a quarter of an hour.
  const only = ['--testNamePattern', 'passes every requirement', '--reporter', 'verbose']
  return (
    spawnSync('npx', [...args, ...only], { stdio: 'inherit', env: { ...process.env, CERTIFY_RUNS: '100' } }).status ===
    0
  )
}
