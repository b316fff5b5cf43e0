/**
 * A process that runs bundled test files repeatedly. The bundles contain all mutants, of which one is on at a time. Prints lines of JSON.
 * `--reach FILES` prints the mutants that each test reaches. `--of FILE` reads mutants with their tests as JSON,
 * `[[7, [["cashin", ["a title", …]], …]], …]`, and prints a verdict for each mutant; titles `null` means all tests of the file.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { constants, Script } from 'node:vm'
import { switchOf } from './mutant-switch.mjs'

const require = createRequire(import.meta.url)
/** Resolves the packages that vitest consists of. */
const { resolve } = createRequire(require.resolve('vitest/package.json'))
const runner = await import(pathToFileURL(resolve('@vitest/runner')))
const matchers = await import(pathToFileURL(resolve('@vitest/expect')))
const { chai, getState, JestAsymmetricMatchers, JestChaiExpect, JestExtend, setState } = matchers

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    /** Names of test files, separated by commas. */
    reach: { type: 'string' },
    of: { type: 'string' },
  },
})

/** The mutant that is on, and the one whose tests are running. */
let active = 0
let tested = 0
/** The mutants that each running test has reached, by title. Mutants reached outside tests belong to the whole file. */
const underWay = new Map()
let whole = new Set()
function pass(id) {
  if (underWay.size === 0) whole.add(id)
  for (const passed of underWay.values()) passed.add(id)
}
globalThis.__mutant = switchOf((id) => id === active, values.reach === undefined ? undefined : pass)

/** Worker threads of the tests write the mutants that they reach into this file. */
const reachedInThreads = join(values.folder, `reached-${process.pid}`)
function takeReachedInThreads() {
  const ids = readFileSync(reachedInThreads, 'utf8').split('\n').filter(Boolean)
  writeFileSync(reachedInThreads, '')
  for (const id of ids) pass(Number(id))
}
if (values.reach !== undefined) {
  writeFileSync(reachedInThreads, '')
  process.env.TORTURE_REACHED = reachedInThreads
}

// The random tests reach the same mutants each time, and take seconds.
process.env.TEST_SEED = '1'
process.env.RECORD_EXCHANGES = '100'

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)
function newExpect() {
  const expect = (value, message) => chai.expect(value, message)
  Object.assign(expect, chai.expect)
  expect.getState = () => getState(expect)
  expect.setState = (state) => setState(state, expect)
  expect.extend = (matchers) => chai.expect.extend(expect, matchers)
  expect.setState({ assertionCalls: 0, isExpectingAssertions: false, testPath: '' })
  return expect
}

/** The part of vitest's fake timers that behaviour tests use: the date. */
const vi = {
  useFakeTimers: ({ now }) => mock.timers.enable({ apis: ['Date'], now }),
  setSystemTime: (now) => mock.timers.setTime(now),
  useRealTimers: () => mock.timers.reset(),
}

const plainFetch = globalThis.fetch
const scripts = new Map()

/** Reads a bundle once and evaluates it again for each run, so that no state of the last mutant is left. */
function evaluate(name) {
  const filename = join(values.folder, `${name}.cjs`)
  const script =
    scripts.get(name) ??
    new Script(`(function (exports, require, module) {${readFileSync(filename, 'utf8')}\n})`, {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    })
  scripts.set(name, script)
  globalThis.fetch = plainFetch
  mock.timers.reset()
  process.removeAllListeners('warning')
  const module = { exports: {} }
  const modules = { vitest: { ...runner, expect: newExpect(), vi } }
  script.runInThisContext()(module.exports, (id) => modules[id] ?? require(id), module)
}

let failed = null
let failedTitle = null
const fail = (text) => {
  failed ??= String(text).split('\n')[0].slice(0, 160)
}
// Each evaluation of a bundle adds its listeners.
process.setMaxListeners(0)
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// The output of tests must not mix with the lines of JSON.
for (const name of ['log', 'info', 'warn', 'error']) console[name] = () => {}

const config = {
  root: process.cwd(),
  setupFiles: [],
  passWithNoTests: false,
  allowOnly: false,
  sequence: { seed: 1, hooks: 'stack', setupFiles: 'list' },
  maxConcurrency: 8,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  retry: 0,
  tags: [],
  strictTags: false,
}

/** Returns the first failure, or null. `titles` selects tests; null means all. */
async function runFile(name, { titles = null, began = () => {}, ended = () => {} } = {}) {
  failed = null
  failedTitle = null
  const files = await runner.startTests([`/${name}`], {
    config,
    importFile: () => evaluate(name),
    onBeforeRunTask(test) {
      if (failed !== null || titles?.has(test.fullTestName) === false) test.mode = 'skip'
      else began(test.fullTestName)
    },
    onAfterRunTask(test) {
      ended(test.fullTestName)
      // Reports progress, because a file may take minutes on a busy machine.
      print({ id: tested, verdict: 'testing' })
      if (test.result?.state !== 'fail') return
      failedTitle ??= test.fullTestName
      fail(`${test.name}: ${test.result.errors?.[0]?.message}`)
    },
  })
  for (const { result } of files) if (result?.state === 'fail') fail(result.errors?.[0]?.message ?? 'a hook failed')
  return failed
}

/** So many of the tests that noticed the last mutants run before the others. */
const mostLikely = 3
const cpuUs = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
const passing = new Map()

/** Whether a test fails alone with the mutant, and not without it. Then the tests before it do not matter. */
async function dependsOnMutant(name, title) {
  const alone = () => runFile(name, { titles: new Set([title]) })
  if ((await alone()) === null) return false
  const key = `${name} ${title}`
  if (!passing.has(key)) {
    switchOn(0)
    passing.set(key, (await alone()) === null)
    switchOn(tested)
  }
  return passing.get(key)
}

function switchOn(id) {
  active = id
  // For the worker threads of the tests.
  process.env.TORTURE_MUTANT = String(id)
}

for (const name of values.reach?.split(',') ?? []) {
  whole = new Set()
  const tests = []
  const startedMs = performance.now()
  const by = await runFile(name, {
    began: (title) => underWay.set(title, new Set()),
    ended(title) {
      takeReachedInThreads()
      tests.push([title, [...(underWay.get(title) ?? [])]])
      underWay.delete(title)
    },
  })
  print({ name, whole: [...whole], tests, tookMs: Math.round(performance.now() - startedMs), by })
}
/** The tests that noticed the last mutants, newest first. A mutant beside them is probably noticed by the same test. */
let lastNoticing = []

/** Returns what noticed the mutant that is on, or null. */
async function findFailure(files) {
  const likely = lastNoticing.filter(({ name, title }) =>
    files.some(([file, titles]) => file === name && (titles === null || titles.includes(title))),
  )
  for (const { name, title } of likely.slice(0, mostLikely)) {
    const by = await runFile(name, { titles: new Set([title]) })
    if (by !== null && failedTitle === title && (await dependsOnMutant(name, title))) return { name, title, by }
  }
  for (const [name, titles] of files) {
    let by = await runFile(name, { titles: titles === null ? null : new Set(titles) })
    // A selected test may fail only because the tests before it were skipped; then the whole file decides.
    const title = failedTitle
    if (by !== null && titles !== null && (title === null || !(await dependsOnMutant(name, title))))
      by = await runFile(name)
    if (by !== null) return { name, title, by }
  }
  return null
}

for (const [id, files] of values.of === undefined ? [] : JSON.parse(readFileSync(values.of, 'utf8'))) {
  print({ id, verdict: 'testing' })
  tested = id
  switchOn(id)
  const startedUs = cpuUs()
  const failure = await findFailure(files)
  const cpuMs = Math.round((cpuUs() - startedUs) / 1000)
  if (failure === null) {
    print({ id, verdict: 'survived', cpuMs })
    continue
  }
  const { name, title, by } = failure
  if (title !== null) lastNoticing = [failure, ...lastNoticing.filter((one) => one.title !== title)].slice(0, 20)
  print({ id, verdict: 'killed', by: `${name}: ${by}`, cpuMs })
}
process.exit(0)
