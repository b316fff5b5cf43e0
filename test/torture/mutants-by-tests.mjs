/** Runs behaviour tests on the mutants that the simulation does not notice: for each mutant the tests that reach it, until one fails. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { doors } from '../../scripts/build-program.mjs'
import { batches, runLines, testBatch } from './mutant-process.mjs'
import { switchOf } from './mutant-switch.mjs'

const deliveryTests = [
  'webhooks/delivery-queue',
  'webhooks/delivery',
  'webhooks/retry',
  'runtime/store-refuses',
  'control/stream',
  'control/activity',
  'webhooks/slow-receivers',
  'scenarios/webhooks',
]
const clockTests = [
  'control/clock',
  'control/clock-advance',
  'control/waiting',
  'control/stream',
  'runtime/store-refuses',
  'runtime/full-disk',
]
const named = (folder, names) => names.map((name) => `${folder}/${name}`)

/**
 * For each part of the source: the tests that run in one process, take seconds, and measure no time. Those about a folder (`first`)
 * run first, after the test that has the source file's name.
 */
const parts = {
  'src/features/record/': {
    tests: named('record', [
      'secrets',
      'redact-details',
      'personal-values',
      'pseudonyms',
      'passing',
      'undocumented',
      'random-secrets',
      'hostile',
      'command',
      'own-number',
    ]),
    first: {
      redact: named('record', [
        'redact-details',
        'undocumented',
        'personal-values',
        'pseudonyms',
        'secrets',
        'random-secrets',
      ]),
      file: named('record', ['own-number', 'redact-details', 'passing', 'hostile', 'command', 'secrets']),
      proxy: named('record', ['passing', 'hostile', 'command', 'secrets']),
    },
  },
  'src/features/compare/': {
    tests: named('compare', [
      'judge-details',
      'agreement',
      'right',
      'money',
      'missing',
      'deviations',
      'hostile',
      'record/live',
      'calibrate',
    ]),
    first: { judge: named('compare', ['judge-details', 'money', 'right', 'missing', 'deviations']) },
  },
  'src/features/certify/books/': {
    tests: named('certify', ['books', 'books-details', 'books-files', 'books-layouts', 'books-windows']),
    first: { books: named('certify', ['books-details', 'books-layouts', 'books-files', 'books-windows', 'books']) },
  },
  'src/features/certify/': {
    tests: named('certify', [
      'client-findings',
      'chaos',
      'client',
      'logged-calls',
      'receiver-edges',
      'receiver-details',
      'receiver',
      'hostile-receivers',
      'verdict',
    ]),
    first: {
      client: named('certify', ['client-findings', 'client', 'logged-calls', 'chaos']),
      checks: ['certify/receiver-edges', 'certify/receiver-details', 'certify/receiver', 'certify/hostile-receivers'],
    },
  },
  'src/': {
    tests: [
      ...named('platform', ['account', 'amounts', 'assumed-settings', 'cashin', 'cashin-rules', 'cashout']),
      ...named('platform', ['conversions', 'daily-limits', 'decided-cases', 'disputes']),
      ...named('platform', ['idempotency', 'ledger', 'order-of-checks', 'properties', 'races', 'transaction-list']),
      ...named('platform', ['transfers', 'wallets']),
      ...named('control', [
        'actions',
        'activity',
        'clock',
        'clock-advance',
        'counts',
        'metrics',
        'search',
        'snapshots',
        'snapshots-damaged',
        'stream',
        'trigger-create',
        'waiting',
      ]),
      ...named('webhooks', ['delivery', 'delivery-queue', 'events', 'rate-window', 'retry', 'slow-receivers']),
      ...named('scenarios', ['armed', 'faults', 'steps', 'webhooks']),
      // A receiver is certified with webhooks that lack a header.
      'certify/receiver-edges',
      ...named('runtime', ['durability', 'full-disk', 'query-plans', 'store-refuses', 'units-of-work']),
    ],
    first: {
      ledger: named('platform', ['ledger', 'amounts', 'conversions', 'cashin-rules']),
      operations: ['control/actions', 'webhooks/events', 'control/activity', 'control/stream'],
      webhooks: deliveryTests,
      delivery: deliveryTests,
      jobs: clockTests,
      clock: clockTests,
      store: ['runtime/units-of-work', 'runtime/store-refuses', 'runtime/full-disk', 'control/snapshots-damaged'],
    },
  },
}
const partOf = (file) => Object.entries(parts).find(([path]) => `${file}/`.startsWith(path))[1]
/** The names of the tests about a folder of the source. */
export const testsOf = (part) => partOf(part).tests
const folder = join(process.cwd(), 'node_modules/.torture/suite')
/** Without a mutant no test hangs, however busy the machine is. */
const patienceMs = 600_000

/**
 * `rows` are the mutants that the simulation did not notice, `hintOf` returns what noticed one last. Calls `done` with each and its
 * verdict: `killed`, `survived` or `unreached`. Returns the test files that fail without a mutant; with them it tests none.
 */
export async function runTestsOn(rows, options) {
  const broken = []
  // Part by part, so that an interruption loses little.
  for (const part of new Set(rows.map(({ file }) => partOf(file)))) {
    const own = rows.filter(({ file }) => partOf(file) === part)
    if (options.hasTime()) broken.push(...(await runPart(part, own, options)))
  }
  return broken
}

async function runPart({ tests }, rows, { sourceOf, workers, hasTime, done, print, hintOf }) {
  mkdirSync(folder, { recursive: true })
  const plugins = [withEffects, inMutants(sourceOf)]
  // One at a time for each worker, because a bundle takes 300 MB while it is made.
  const prepared = [...tests]
  const files = [...new Set(rows.map(({ file }) => file))]
  const prepare = async () => {
    for (let name = prepared.shift(); name !== undefined; name = prepared.shift()) await bundle(name, files, plugins)
  }
  await bundleProgram(plugins)
  await Promise.all(Array.from({ length: workers }, prepare))
  const unread = [...tests]
  const reached = []
  const read = async () => {
    for (let name = unread.shift(); name !== undefined; name = unread.shift()) reached.push(await reach(name))
  }
  await Promise.all(Array.from({ length: workers }, read))
  const broken = reached.filter(({ by }) => by !== null)
  for (const { name, by } of broken) print(`${name} fails without a mutant: ${by}`)
  if (broken.length > 0) return broken.map(({ name }) => name)
  const count = new Set(
    reached.flatMap(({ whole, tests }) => [whole, ...tests.map(([, passed]) => passed)].flatMap((all) => [...all])),
  ).size
  print(`${tests.length} test files reach ${count} mutants`)
  const plan = rows.map((row) => ({ row, files: filesFor(row, reached), hint: hintOf(row) ?? '' }))
  for (const { row, files } of plan) if (files.length === 0) done({ ...row, verdict: 'unreached' })
  const planOf = new Map(plan.map((one) => [one.row.id, one]))
  // Mutants with the same hint stand together, so that their test passes without a mutant only once.
  const sorted = plan
    .filter(({ files }) => files.length > 0)
    .sort((a, b) => (a.hint < b.hint ? -1 : a.hint > b.hint ? 1 : a.row.id - b.row.id))
    .map(({ row }) => row)
  // A mutant that nothing notices takes minutes, so a few of them need all workers.
  const waiting = batches(sorted, Math.min(25, Math.ceil(sorted.length / workers / 4)))
  let lists = 0
  const argsOf = (left) => {
    const file = join(folder, `${++lists}.json`)
    const cases = left.map(({ id }) => [id, planOf.get(id).files, planOf.get(id).hint])
    writeFileSync(file, JSON.stringify(cases))
    return suite('--of', file)
  }
  const work = async () => {
    for (let batch = waiting.shift(); batch !== undefined && hasTime(); batch = waiting.shift())
      await testBatch(batch, argsOf, done)
  }
  await Promise.all(Array.from({ length: workers }, work))
  return []
}

const suite = (...args) => [join(import.meta.dirname, 'suite.mjs'), '--folder', folder, ...args]

/**
 * Returns the mutants that each test of a file reaches: `{name, whole: Set, tests: [[title, Set], …], tookMs, slowestMs, by}`. `whole` are those
 * reached outside tests; `by` says why a file fails without a mutant, or is null.
 */
async function reach(file) {
  let found
  const onLine = ({ name, whole, tests, ...rest }) => {
    // A line without a name only shows progress.
    if (name === undefined) return
    const passed = tests.map(([title, passed]) => [title, new Set(passed)])
    found = { name, whole: new Set(whole), tests: passed, ...rest }
  }
  await runLines(suite('--reach', file), onLine, patienceMs)
  if (found === undefined) throw new Error(`the tests of ${file} stopped`)
  return found
}

/** Returns `[[file, titles or null, slowestMs], …]`: the tests that reach a mutant, first those about its source file, then the fastest. `null` means all titles. */
function filesFor({ id, file }, reached) {
  const part = partOf(file)
  const [folder, name] = file.split('/').slice(-2)
  const topic = name.replace(/s?\.ts$/, '')
  const own = reached.filter((one) => part.tests.includes(one.name))
  const namesakes = own.map((one) => one.name).filter((one) => basename(one).startsWith(topic))
  const first = [...namesakes, ...part.first[folder]]
  const found = own.flatMap(({ name, whole, tests, tookMs, slowestMs }) => {
    if (whole.has(id)) return [{ name, titles: null, costMs: tookMs, slowestMs }]
    const titles = tests.filter(([, passed]) => passed.has(id)).map(([title]) => title)
    return titles.length === 0 ? [] : [{ name, titles, costMs: (tookMs * titles.length) / tests.length, slowestMs }]
  })
  const rank = ({ name, costMs }) => (first.includes(name) ? first.indexOf(name) - first.length : costMs)
  return found.sort((a, b) => rank(a) - rank(b)).map(({ name, titles, slowestMs }) => [name, titles, slowestMs])
}

/**
 * A feature is loaded by the first test that uses it, but what its modules do when they load matters to all that follow. So `files`
 * are loaded before the tests.
 */
function bundle(name, files, plugins) {
  const loaded = files.map((file, index) => `import * as module${index} from './${file}'`)
  const modules = files.map((_, index) => `module${index}`)
  const tests = `import './test/support/control-answers.ts'\nimport './test/${name}.test.ts'`
  return bundleOf(name, `${loaded.join('\n')}\n${tests}\nglobalThis.__loaded = [${modules}]`, { plugins })
}

/** Defines the switch of mutants in the program's processes and worker threads, which have only the environment in common with the tests. */
const inProgram = `globalThis.__mutant ??= (() => {
  const { TORTURE_MUTANT, TORTURE_REACHED: file } = process.env
  const [active, seen, unwritten] = [Number(TORTURE_MUTANT), new Set(), []]
  function pass(id) {
    if (seen.has(id)) return
    seen.add(id)
    unwritten.push(id)
    try {
      require('node:fs').appendFileSync(file, '\\n' + unwritten.join('\\n') + '\\n')
      unwritten.length = 0
    } catch {
      // A test limits the size of the files of a process, for a while.
    }
  }
  return (${switchOf})((id) => file === undefined && id === active, file === undefined ? undefined : pass, (id) => !seen.has(id))
})()`

/** The program with mutants. The tests start it, and recordings are redacted and judged in its worker threads. */
const program = 'node_modules/.torture/program'
function bundleProgram(plugins) {
  cpSync('bin', join(program, 'bin'), { recursive: true })
  return bundleOf('../program/dist/program', doors, { banner: { js: inProgram }, plugins })
}

const bundleOf = (name, contents, options) =>
  build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: ['better-sqlite3', 'esbuild', 'typescript', 'vitest'],
    outfile: join(folder, `${name}.cjs`),
    logLevel: 'error',
    ...options,
  })

/** The package says that its modules have no side effects, but test files consist of nothing else. */
const withEffects = {
  name: 'tests have side effects',
  setup(building) {
    building.onResolve({ filter: /^\./ }, async ({ path, pluginData, resolveDir, ...how }) => {
      if (pluginData === withEffects || !/\/test(\/|$)/.test(join(resolveDir, path))) return null
      const found = await building.resolve(path, { ...how, resolveDir, pluginData: withEffects })
      return { ...found, sideEffects: true }
    })
  },
}

/** The bundles contain the same files, so each file is changed once. */
const inMutants = (sourceOf) => {
  const loaded = new Map()
  const load = (path) =>
    path.includes('node_modules')
      ? null
      : {
          loader: path.endsWith('ts') ? 'ts' : 'js',
          contents: inOneFile(sourceOf(path) ?? readFileSync(path, 'utf8'), path),
        }
  return {
    name: 'mutants',
    setup(building) {
      building.onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
        if (!loaded.has(path)) loaded.set(path, load(path))
        return loaded.get(path)
      })
    },
  }
}

/** Makes a module work inside a bundle: inserts its own path, removes the start of scripts, and names the program with mutants. */
const inOneFile = (text, path) =>
  text
    .replace("builtFile = 'dist/", `builtFile = '${program}/dist/`)
    .replace("join(root, 'bin/", `join(root, '${program}/bin/`)
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
    .replace(/^if \(process\.argv\[1\].*$/m, '')
