/** `npm run torture`: the promises at full figures. `--only simulate|plants|languages|certify|drivers`, `--minutes N`, `--seed N`, `--operations N`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSimulation } from './build.mjs'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string' },
    operations: { type: 'string', default: '1000000' },
  },
})

const sections = { simulate, plants, languages, certify, drivers }
const chosen = values.only === undefined ? Object.keys(sections) : [values.only]
for (const name of chosen)
  if (!(name in sections)) throw new Error(`there is no ${name}: ${Object.keys(sections).join(', ')}`)
const failed = []
for (const name of chosen) if (!(await sections[name]())) failed.push(name)
process.exitCode = failed.length === 0 ? 0 : 1

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

async function plants() {
  const { findPlants } = await import('./plant.mjs')
  const rows = await findPlants(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`${rows.filter(({ found }) => found).length} of ${rows.length} planted faults found`)
  return rows.every(({ found }) => found)
}

async function simulate() {
  // Beside the packages, so that the driver of the database is found.
  const file = join(process.cwd(), 'node_modules/.torture/simulation.mjs')
  await buildSimulation(file)
  const seed = values.seed === undefined ? [] : ['--seed', values.seed]
  const seconds = String(Number(values.minutes) * 60)
  const args = ['--enable-source-maps', file, '--operations', values.operations, '--seconds', seconds, ...seed]
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0
}

/** The pages for every language, each by its own test runner: one that is not installed is a failure here. */
function languages() {
  const args = ['vitest', 'run', '--config', 'test/vitest.config.ts', 'test/languages.test.ts']
  return spawnSync('npx', args, { stdio: 'inherit', env: { ...process.env, ALL_LANGUAGES: '1' } }).status === 0
}

/** Those who are right, certified a hundred times each: none of them is ever accused. */
function certify() {
  const args = [
    'vitest',
    'run',
    '--config',
    'test/vitest.config.ts',
    'test/certify-receiver.test.ts',
    'test/certify-client.test.ts',
  ]
  const only = ['--testNamePattern', 'certified in full']
  return (
    spawnSync('npx', [...args, ...only], { stdio: 'inherit', env: { ...process.env, CERTIFY_RUNS: '100' } }).status ===
    0
  )
}
