/**
 * A process that runs files of tests again and again, bundled with all changes of the source in them, one of which is on at a time.
 * `--reach`: which changes each test comes across, one file after the other. `--of FILE`: tries what stands there, as JSON, `[[7, [["cashin",
 * ["a title", …]], …]], …]`: each change with those tests of those files, or with all of a file where there are no titles. One line of JSON each.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { constants, Script } from 'node:vm'

const require = createRequire(import.meta.url)
/** What the test runner itself is made of. */
const { resolve } = createRequire(require.resolve('vitest/package.json'))
const runner = await import(pathToFileURL(resolve('@vitest/runner')))
const matchers = await import(pathToFileURL(resolve('@vitest/expect')))
const { chai, getState, JestAsymmetricMatchers, JestChaiExpect, JestExtend, setState } = matchers

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    /** Names of test files. */
    reach: { type: 'string' },
    of: { type: 'string' },
  },
})

let active = 0
/** By title, which of them each test that is under way comes across; those that come while none is, concern the whole file. */
const underWay = new Map()
let whole = new Set()
globalThis.__mutant =
  values.reach === undefined
    ? (id) => id === active
    : (id) => {
        if (underWay.size === 0) whole.add(id)
        for (const passed of underWay.values()) passed.add(id)
        return false
      }

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

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

/** Of the fake timers what tests of behaviour use: the date. */
const vi = {
  useFakeTimers: ({ now }) => mock.timers.enable({ apis: ['Date'], now }),
  setSystemTime: (now) => mock.timers.setTime(now),
  useRealTimers: () => mock.timers.reset(),
}

const plainFetch = globalThis.fetch
const scripts = new Map()

/** Its text is read once, and worked through anew each time: nothing is left of the change before. */
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
  const module = { exports: {} }
  const given = { vitest: { ...runner, expect: newExpect(), vi } }
  script.runInThisContext()(module.exports, (id) => given[id] ?? require(id), module)
}

let failed = null
const fail = (text) => {
  failed ??= String(text).split('\n')[0].slice(0, 160)
}
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// What tests print stands in nobody's way.
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

/** What failed first, or null; `titles` are the tests that count, where not all do. */
async function runFile(name, { titles = null, began = () => {}, ended = () => {} } = {}) {
  failed = null
  const files = await runner.startTests([`/${name}`], {
    config,
    importFile: () => evaluate(name),
    onBeforeRunTask(test) {
      if (failed !== null || titles?.has(test.fullTestName) === false) test.mode = 'skip'
      else began(test.fullTestName)
    },
    onAfterRunTask(test) {
      ended(test.fullTestName)
      // It reports where it is: a file may take minutes on a busy machine.
      if (active !== 0) tell({ id: active, verdict: 'trying' })
      if (test.result?.state === 'fail') fail(`${test.name}: ${test.result.errors?.[0]?.message}`)
    },
  })
  for (const { result } of files) if (result?.state === 'fail') fail(result.errors?.[0]?.message ?? 'a hook failed')
  return failed
}

for (const name of values.reach?.split(',') ?? []) {
  whole = new Set()
  const tests = []
  const startedMs = performance.now()
  const by = await runFile(name, {
    began: (title) => underWay.set(title, new Set()),
    ended(title) {
      tests.push([title, [...(underWay.get(title) ?? [])]])
      underWay.delete(title)
    },
  })
  tell({ name, whole: [...whole], tests, tookMs: Math.round(performance.now() - startedMs), by })
}
for (const [id, files] of values.of === undefined ? [] : JSON.parse(readFileSync(values.of, 'utf8'))) {
  tell({ id, verdict: 'trying' })
  active = id
  let found = null
  for (const [name, titles] of files) {
    let by = await runFile(name, { titles: titles === null ? null : new Set(titles) })
    // One that fails where those before it are left out may only have missed them.
    if (by !== null && titles !== null) by = await runFile(name)
    if (by === null) continue
    found = { name, by }
    break
  }
  tell({ id, ...(found === null ? { verdict: 'survived' } : { verdict: 'killed', by: `${found.name}: ${found.by}` }) })
}
process.exit(0)
