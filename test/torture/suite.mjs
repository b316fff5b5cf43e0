/**
 * A process that runs bundled test files repeatedly. The bundles contain all mutants, of which one is on at a time. Prints lines of JSON.
 * `--reach NAME` prints the mutants that each test of a file reaches. `--of FILE` reads mutants with their tests as JSON,
 * `[[7, [["cashin", ["a title", …]], …], "cashin: a title"], …]`, and prints a verdict for each mutant; titles `null` means all tests of
 * the file, and the text at the end is the test that is tried first.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { constants, Script } from 'node:vm'
import { Worker } from 'node:worker_threads'
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
    reach: { type: 'string' },
    of: { type: 'string' },
  },
})

/** The mutant that is on, and the one whose tests are running. */
let active = 0
let tested = 0
/** The mutants that each running test has reached, by title. Mutants reached outside tests belong to the whole file. */
const underWay = new Map()
const whole = new Set()
/** For each mutant how often it was asked, since a test began or ended, whether it changes something; so often is taken for a yes. */
const asked = []
const mostAsked = 2000
function pass(id) {
  if (asked[id] === Infinity) return
  asked[id] = Infinity
  if (underWay.size === 0) whole.add(id)
  for (const passed of underWay.values()) passed.add(id)
}
function isAsked(id) {
  asked[id] = (asked[id] ?? 0) + 1
  if (asked[id] === mostAsked) pass(id)
  return asked[id] < mostAsked
}
/** No test executes one mutant so often, because that alone takes longer than a test: then it runs in an endless loop. */
const mostExecuted = 100_000_000
let executed = 0
function isOn(id) {
  if (id !== active) return false
  if (++executed > mostExecuted) {
    fail('the mutant runs without end')
    throw new Error('the mutant runs without end')
  }
  return true
}
globalThis.__mutant = values.reach === undefined ? switchOf(isOn) : switchOf(() => false, pass, isAsked)

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

const progress = new Int32Array(new SharedArrayBuffer(4))
const print = (line) => {
  progress[0]++
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Ends a process whose test uses the processor for ten times as long as any test does: an endless loop, which lets no timer of its own thread ring. */
const endEndless = `const { progress } = require('node:worker_threads').workerData
let [before, atUs] = [-1, 0]
setInterval(() => {
  const { user, system } = process.cpuUsage()
  if (progress[0] !== before) [before, atUs] = [progress[0], user + system]
  else if (user + system - atUs > 60_000_000) process.kill(process.pid, 'SIGKILL')
}, 1000)`
if (values.of !== undefined) new Worker(endEndless, { eval: true, workerData: { progress } }).unref()

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
// The run that started this process has ended.
process.stdout.on('error', () => process.exit())
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

/** How long a test may take, by the name of its file. */
let limits = new Map()

/** Returns the first failure, or null. `titles` selects tests; null means all. */
async function runFile(name, { titles = null, began = () => {}, ended = () => {} } = {}) {
  failed = null
  failedTitle = null
  executed = 0
  // Without a mutant no test hangs, however busy the machine is.
  config.testTimeout = values.of === undefined ? 600_000 : limits.get(name)
  const files = await runner.startTests([`/${name}`], {
    config,
    importFile: () => evaluate(name),
    onBeforeRunTask(test) {
      executed = 0
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

const runAlone = (name, title) => runFile(name, { titles: new Set([title]) })
const keyOf = (name, title) => `${name}: ${title}`

/** Whether a test passes alone without a mutant. Then the tests before it do not matter. */
async function passesAlone(name, title) {
  const key = keyOf(name, title)
  if (!passing.has(key)) {
    switchOn(0)
    passing.set(key, (await runAlone(name, title)) === null)
    switchOn(tested)
  }
  return passing.get(key)
}

function switchOn(id) {
  active = id
  // For the worker threads of the tests.
  process.env.TORTURE_MUTANT = String(id)
}

if (values.reach !== undefined) {
  const name = values.reach
  const tests = []
  const startedMs = performance.now()
  const beganMs = new Map()
  let slowestMs = 0
  const by = await runFile(name, {
    began(title) {
      asked.length = 0
      underWay.set(title, new Set())
      beganMs.set(title, performance.now())
    },
    ended(title) {
      takeReachedInThreads()
      slowestMs = Math.max(slowestMs, performance.now() - beganMs.get(title))
      tests.push([title, [...(underWay.get(title) ?? [])]])
      underWay.delete(title)
      asked.length = 0
    },
  })
  const tookMs = Math.round(performance.now() - startedMs)
  print({ name, whole: [...whole], tests, tookMs, slowestMs: Math.round(slowestMs), by })
}
/** The tests that noticed the last mutants, newest first. A mutant beside them is probably noticed by the same test. */
let lastNoticing = []

/** Returns what noticed the mutant that is on, or null. A test that waits ten times as long as any of its file does hangs. */
async function findFailure(files, hint) {
  const hinted = files.flatMap(([name, titles]) => {
    const title = hint.startsWith(`${name}: `) ? hint.slice(name.length + 2) : undefined
    return title !== undefined && titles?.includes(title) !== false ? { name, title } : []
  })
  limits = new Map(files.map(([name, , slowestMs]) => [name, 10_000 + 10 * slowestMs]))
  const likely = lastNoticing.filter(({ name, title }) =>
    files.some(([file, titles]) => file === name && (titles === null || titles.includes(title))),
  )
  for (const { name, title } of [...hinted, ...likely.slice(0, mostLikely)]) {
    const by = await runAlone(name, title)
    if (by !== null && failedTitle === title && (await passesAlone(name, title))) return { name, title, by }
  }
  for (const [name, titles] of files) {
    let by = await runFile(name, { titles: titles === null ? null : new Set(titles) })
    // A selected test may fail only because the tests before it were skipped; then the whole file decides.
    const title = failedTitle
    const isAlone = by !== null && title !== null && (await runAlone(name, title)) !== null
    if (by !== null && titles !== null && !(isAlone && (await passesAlone(name, title)))) by = await runFile(name)
    if (by !== null) return { name, title, by }
  }
  return null
}

for (const [id, files, hint] of values.of === undefined ? [] : JSON.parse(readFileSync(values.of, 'utf8'))) {
  print({ id, verdict: 'testing' })
  tested = id
  switchOn(id)
  const startedUs = cpuUs()
  const failure = await findFailure(files, hint)
  const cpuMs = Math.round((cpuUs() - startedUs) / 1000)
  if (failure === null) {
    print({ id, verdict: 'survived', cpuMs })
    continue
  }
  const { name, title, by } = failure
  if (title !== null) lastNoticing = [failure, ...lastNoticing.filter((one) => one.title !== title)].slice(0, 20)
  print({ id, verdict: 'killed', test: title === null ? name : keyOf(name, title), by, cpuMs })
}
process.exit(0)
