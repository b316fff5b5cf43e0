/** Mutation testing of the money and delivery core: small changes of its source, and whether the simulation, or else a test, notices each. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSimulation } from './build.mjs'
import { batches, runLines, tryBatch } from './mutant-process.mjs'
import { tryTests } from './mutants-by-tests.mjs'
import { keptRows } from './mutants-kept.mjs'
import { mutate } from './mutator.mjs'
import { survivors } from './survivors.mjs'

const folders = {
  'src/core/ledger': ['exchange', 'ledger', 'pricing'],
  'src/core/operations': [
    'cashin',
    'cashout',
    'conversion',
    'dispute',
    'transactions',
    'transfer',
    'transition',
    'wallet',
  ],
  'src/core/webhooks': ['outbox'],
  'src/core/delivery': ['deliveries', 'dispatch-state', 'dispatcher', 'queue', 'rate-window'],
  'src/core/jobs': ['advance', 'jobs'],
  'src/core/clock': ['advance', 'scheduler'],
  'src/store': ['unit-of-work'],
}
const files = Object.entries(folders).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}.ts`))
/** So many histories show which mutants they come across; a mutant is tried with so many of those that come across it. */
const [shown, tried] = [60, 12]
/** A process that falls silent for so many times the longest history of all hangs. */
const patience = 10

/**
 * `most` of them, chosen by the seed: first by the simulation, then, what it passes by, by the tests of behaviour. With `goesOn` only those
 * that the last run left over or had not come to, where the simulation had its turn by the tests alone. `{mutants, rows}`, each row
 * a mutant with its `verdict`: `killed` and `with` what, `survived`, `unreached` by any of them, or `explained` with `why`. Where there are only
 * so many `minutes`, those that the tests have not come to are `untried`.
 */
export async function tryMutants({
  seed,
  workers,
  most,
  only,
  minutes = Infinity,
  goesOn = false,
  tell = console.error,
}) {
  const endMs = performance.now() + minutes * 60_000
  const hasTime = () => performance.now() < endMs
  const { mutants, sourceOf } = mutate(files.filter((file) => only === undefined || file.includes(only)))
  const { rows, keep, takeOver } = keptRows(mutants)
  if (goesOn) takeOver()
  const chosen = sample(mutants, most, seed)
  const fresh = chosen.filter(({ id }) => !rows.has(id))
  await trySimulation(fresh, {
    sourceOf,
    seed,
    workers,
    hasTime,
    tell,
    done: (row) => keep({ ...row, with: 'simulation' }),
  })
  const left = [...rows.values()]
    .filter((row) => row.verdict !== 'killed' && reasonFor(row) === undefined)
    // What no test was tried on yet comes first.
    .sort((a, b) => Number(a.with === 'tests') - Number(b.with === 'tests'))
  tell(`${fresh.length} by the simulation, ${left.length} by tests`)
  await tryTests(left, {
    sourceOf,
    workers,
    hasTime,
    tell,
    done(row) {
      keep({ ...row, with: 'tests' })
      const { verdict, file, line, kind, was, by } = row
      tell(
        `${verdict === 'killed' ? 'killed' : verdict.toUpperCase()} ${file}:${line} ${kind}: ${was}${verdict === 'killed' ? ` (${by})` : ''}`,
      )
    },
  })
  const isTried = (row) => ['killed', 'explained'].includes(row.verdict) || row.with === 'tests'
  const tried = [...rows.values()].map(explained).filter(isTried)
  return { mutants: mutants.length, rows: tried.sort((a, b) => a.id - b.id), untried: rows.size - tried.length }
}

/** Why nobody could notice it, where that is so. */
function explained(row) {
  const why = row.verdict === 'killed' ? undefined : reasonFor(row)
  return why === undefined ? row : { ...row, verdict: 'explained', why }
}

async function trySimulation(chosen, { sourceOf, seed, workers, hasTime, tell, done }) {
  if (chosen.length === 0) return
  const bundle = join(process.cwd(), 'node_modules/.torture/mutants.mjs')
  await buildSimulation(bundle, [inPlace(sourceOf)], 'mutants')
  const { seedsOf, longestMs } = await reach(bundle, seed)
  // What is worked out at the start is come across before the first history.
  const isReached = ({ id, isEarly }) => isEarly || seedsOf.has(id)
  for (const one of chosen) if (!isReached(one)) done({ ...one, verdict: 'unreached' })
  const [early, late] = [true, false].map((is) => chosen.filter((one) => isReached(one) && one.isEarly === is))
  // What is worked out at the start needs a process of its own.
  const waiting = [...early.map((one) => [one]), ...batches(late, 25)]
  let count = 0
  const argsOf = (left) => {
    const isEarly = left[0].isEarly ? ['--early', left[0].id] : []
    const cases = left.map(({ id }) => [
      id,
      (seedsOf.get(id) ?? Array.from({ length: tried }, (_, nth) => seed + nth)).slice(0, tried),
    ])
    return [bundle, ...isEarly, '--of', JSON.stringify(cases)]
  }
  const heard = (row) => {
    done(row)
    if (++count % 50 === 0) tell(`${count} of ${early.length + late.length}`)
  }
  const work = async () => {
    for (let batch = waiting.shift(); batch !== undefined && hasTime(); batch = waiting.shift())
      await tryBatch(batch, argsOf, heard, patience * longestMs)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

const reasonFor = (row) =>
  survivors.find(
    ({ file, kind = row.kind, was, at = '' }) =>
      row.file.endsWith(file) && row.kind === kind && row.was.includes(was) && lineOf(row).includes(at),
  )?.why

const lineOf = ({ file, line }) => readFileSync(file, 'utf8').split('\n')[line - 1] ?? ''

function sample(mutants, most, seed) {
  const lot = ({ id }) => createHash('sha256').update(`${seed} ${id}`).digest('hex')
  const drawn = mutants.map((one) => ({ one, lot: lot(one) })).sort((a, b) => (a.lot < b.lot ? -1 : 1))
  return drawn
    .slice(0, most)
    .map(({ one }) => one)
    .sort((a, b) => a.id - b.id)
}

/** By mutant, the seeds of the histories that come across it; and how long one of them took at most, the start of the process with the first. */
async function reach(bundle, first) {
  const seedsOf = new Map()
  let seen = 0
  let longestMs = 0
  let lastMs = performance.now()
  await runLines([bundle, '--reach', '--seed', first, '--histories', shown], ({ seed, passed, noticed }) => {
    if (noticed !== null) throw new Error(`seed ${seed}: noticed without a change: ${noticed}`)
    seen++
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
    for (const id of passed) seedsOf.set(id, [...(seedsOf.get(id) ?? []), seed])
  })
  if (seen !== shown) throw new Error('the simulation with mutants in it does not run')
  return { seedsOf, longestMs }
}

const inPlace = (sourceOf) => ({
  name: 'mutants',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = sourceOf(path)
      return contents === undefined ? null : { contents, loader: 'ts' }
    })
  },
})
