/** Runs behaviour tests on the mutants that the simulation does not notice: for each mutant the tests that reach it, until one fails. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { batches, runLines, testBatch } from './mutant-process.mjs'

/** Tests that run in one process, take seconds, and measure no time. */
const tests = [
  ...[
    'platform/account',
    'control/actions',
    'control/activity',
    'platform/amounts',
    'platform/cashin',
    'platform/cashin-rules',
    'platform/cashout',
    'control/clock',
    'platform/conversions',
  ],
  ...[
    'webhooks/delivery',
    'platform/disputes',
    'runtime/durability',
    'webhooks/events',
    'platform/idempotency',
    'webhooks/slow-receivers',
    'webhooks/delivery-queue',
    'platform/ledger',
    'platform/order-of-checks',
    'runtime/query-plans',
  ],
  ...[
    'platform/properties',
    'platform/races',
    'webhooks/rate-window',
    'webhooks/retry',
    'scenarios/steps',
    'control/search',
    'runtime/store-refuses',
  ],
  ...[
    'scenarios/armed',
    'scenarios/faults',
    'scenarios/webhooks',
    'control/snapshots',
    'runtime/full-disk',
    'control/stream',
  ],
  ...[
    'platform/transaction-list',
    'platform/transfers',
    'control/trigger-create',
    'runtime/units-of-work',
    'platform/wallets',
    'control/waiting',
  ],
]
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
const clockTests = ['control/clock', 'control/waiting', 'control/stream', 'runtime/store-refuses', 'runtime/full-disk']
/** The tests about a source folder. They run first, after the test that has the source file's name. */
const testsOfFolder = {
  ledger: ['platform/ledger', 'platform/amounts', 'platform/conversions', 'platform/cashin-rules', 'control/activity'],
  operations: ['control/actions', 'webhooks/events', 'control/activity', 'control/stream'],
  webhooks: deliveryTests,
  delivery: deliveryTests,
  jobs: clockTests,
  clock: clockTests,
  store: ['runtime/units-of-work', 'runtime/store-refuses', 'runtime/full-disk'],
}
const folder = join(process.cwd(), 'node_modules/.torture/suite')

/** `rows` are the mutants that the simulation did not notice. Calls `done` with each and its verdict: `killed`, `survived` or `unreached`. */
export async function runTestsOn(rows, { sourceOf, workers, hasTime, done, print }) {
  if (rows.length === 0 || !hasTime()) return
  mkdirSync(folder, { recursive: true })
  await Promise.all(tests.map((name) => bundle(name, sourceOf)))
  const reached = await reach(print)
  const plan = rows.map((row) => ({ row, files: filesFor(row, reached) }))
  for (const { row, files } of plan) if (files.length === 0) done({ ...row, verdict: 'unreached' })
  const filesOf = new Map(plan.map(({ row, files }) => [row.id, files]))
  const waiting = batches(
    plan.filter(({ files }) => files.length > 0).map(({ row }) => row),
    5,
  )
  let count = 0
  const argsOf = (left) => {
    const file = join(folder, `${++count}.json`)
    writeFileSync(file, JSON.stringify(left.map(({ id }) => [id, filesOf.get(id)])))
    return suite('--of', file)
  }
  const work = async () => {
    for (let batch = waiting.shift(); batch !== undefined && hasTime(); batch = waiting.shift())
      await testBatch(batch, argsOf, done)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

const suite = (...args) => [join(import.meta.dirname, 'suite.mjs'), '--folder', folder, ...args]

/**
 * Returns the mutants that each test reaches: `[{name, whole: Set, tests: [[title, Set], …], tookMs}]`. `whole` are those reached outside tests.
 * A file that fails without a mutant is printed and skipped.
 */
async function reach(print) {
  const found = []
  const all = new Set()
  let last
  await runLines(suite('--reach', tests.join(',')), ({ name, whole, tests, tookMs, by }) => {
    last = name
    if (by !== null) return print(`${name} fails without a mutant and is skipped: ${by}`)
    for (const id of [whole, ...tests.map(([, passed]) => passed)].flat()) all.add(id)
    found.push({ name, whole: new Set(whole), tests: tests.map(([title, passed]) => [title, new Set(passed)]), tookMs })
  })
  if (last !== tests.at(-1)) throw new Error(`the tests stopped after ${last}`)
  print(`${found.length} of ${tests.length} test files reach ${all.size} mutants`)
  return found
}

/** Returns `[[file, titles or null], …]`: the tests that reach a mutant, first those about its source file, then the fastest. `null` means all titles. */
function filesFor({ id, file }, reached) {
  const [folder, name] = file.split('/').slice(-2)
  const topic = name.replace(/s?\.ts$/, '')
  const namesakes = reached.map((one) => one.name).filter((one) => basename(one).startsWith(topic))
  const first = [...namesakes, ...testsOfFolder[folder]]
  const found = reached.flatMap(({ name, whole, tests, tookMs }) => {
    if (whole.has(id)) return [{ name, titles: null, costMs: tookMs }]
    const titles = tests.filter(([, passed]) => passed.has(id)).map(([title]) => title)
    return titles.length === 0 ? [] : [{ name, titles, costMs: (tookMs * titles.length) / tests.length }]
  })
  const rank = ({ name, costMs }) => (first.includes(name) ? first.indexOf(name) - first.length : costMs)
  return found.sort((a, b) => rank(a) - rank(b)).map(({ name, titles }) => [name, titles])
}

async function bundle(name, sourceOf) {
  const contents = `import './test/support/control-answers.ts'\nimport './test/${name}.test.ts'`
  await build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: ['better-sqlite3', 'vitest'],
    outfile: join(folder, `${name}.cjs`),
    logLevel: 'error',
    plugins: [
      {
        name: 'mutants',
        setup(building) {
          building.onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) =>
            path.includes('node_modules')
              ? null
              : {
                  loader: path.endsWith('ts') ? 'ts' : 'js',
                  contents: inOneFile(sourceOf(path) ?? readFileSync(path, 'utf8'), path),
                },
          )
        },
      },
    ],
  })
}

/** Makes a module work inside a bundle: inserts its own path, and removes the start of scripts. */
const inOneFile = (text, path) =>
  text
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
    .replace(/^if \(process\.argv\[1\].*$/m, '')
