/** Mutation testing of the money and delivery core: small changes of its source, and whether the simulation notices each. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildSimulation } from './build.mjs'
import { mutate } from './mutator.mjs'
import { survivors } from './survivors.mjs'

const folders = {
  'src/core/ledger': ['amounts', 'exchange', 'ledger', 'pricing'],
  'src/core/operations': [
    'cashin',
    'cashout',
    'conversion',
    'dispute',
    'idempotency',
    'split',
    'transfer',
    'transition',
    'wallet',
  ],
  'src/core/webhooks': ['deliveries', 'dispatch-state', 'dispatcher', 'lanes', 'outbox', 'window'],
  'src/core/scheduler': ['jobs', 'scheduler', 'scheduler-state', 'walk'],
  'src/store': ['unit-of-work'],
}
const files = Object.entries(folders).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}.ts`))
const silenceMs = 60_000
/** A mutant is tried with so many histories; so many show which mutants they pass by. */
const [tried, shown] = [20, 60]

/** `most` of them, chosen by the seed. `{mutants, rows}`, each row a mutant with its `verdict`: killed, survived, unreached, or explained with `why`. */
export async function tryMutants({ seed, workers, most, only, tell = console.error }) {
  const { mutants, sourceOf } = mutate(files.filter((file) => only === undefined || file.includes(only)))
  const bundle = join(process.cwd(), 'node_modules/.torture/mutants.mjs')
  await buildSimulation(bundle, [inPlace(sourceOf)], 'mutants')
  const passed = new Set(await reach(bundle, seed))
  const isReached = ({ id, isEarly }) => isEarly || passed.has(id)
  const chosen = sample(mutants, most, seed)
  const rows = new Map(chosen.filter((one) => !isReached(one)).map((one) => [one.id, { ...one, verdict: 'unreached' }]))
  const [early, late] = [true, false].map((is) => chosen.filter((one) => isReached(one) && one.isEarly === is))
  // What is worked out at the start needs a process of its own.
  const waiting = [...early.map((one) => [one]), ...batches(late, 25)]
  const done = (row) => {
    const why = row.verdict === 'survived' ? reasonFor(row) : undefined
    rows.set(row.id, why === undefined ? row : { ...row, verdict: 'explained', why })
    if (row.verdict === 'survived')
      tell(
        `${why === undefined ? 'SURVIVED' : 'explained'} ${row.file}:${row.line} ${row.kind}: ${row.was}${why === undefined ? '' : ` (${why})`}`,
      )
    if (rows.size % 50 === 0) tell(`${rows.size} of ${chosen.length}`)
  }
  const work = async () => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift())
      await tryBatch(bundle, seed, batch, done)
  }
  await Promise.all(Array.from({ length: workers }, work))
  return { mutants: mutants.length, rows: [...rows.values()].sort((a, b) => a.id - b.id) }
}

const reasonFor = ({ file, kind, was }) =>
  survivors.find(
    (one) => file.endsWith(one.file) && (one.kind === undefined || one.kind === kind) && was.includes(one.was),
  )?.why

function sample(mutants, most, seed) {
  const lot = ({ id }) => createHash('sha256').update(`${seed} ${id}`).digest('hex')
  const drawn = mutants.map((one) => ({ one, lot: lot(one) })).sort((a, b) => (a.lot < b.lot ? -1 : 1))
  return drawn
    .slice(0, most)
    .map(({ one }) => one)
    .sort((a, b) => a.id - b.id)
}

function batches(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
}

async function reach(bundle, seed) {
  let passed
  await run(bundle, ['--reach', '--seed', seed, '--histories', shown], (line) => {
    passed = line.passed
    if (line.noticed.length > 0) throw new Error(`noticed without a change: ${line.noticed.join('; ')}`)
  })
  if (passed === undefined) throw new Error('the simulation with mutants in it does not run')
  return passed
}

/** One that falls silent, or ends the process, has been noticed too; those behind it go on in another. */
async function tryBatch(bundle, seed, batch, done) {
  let left = batch
  while (left.length > 0) {
    const ids = left.map(({ id }) => id)
    let at = ids[0]
    const early = left[0].isEarly ? ['--early', at] : []
    await run(bundle, [...early, '--of', ids.join(','), '--seed', seed, '--histories', tried], (line) => {
      at = line.id
      if (line.verdict === 'trying') return
      done({ ...left.find(({ id }) => id === line.id), ...line })
      at = ids[ids.indexOf(line.id) + 1]
    })
    const next = ids.indexOf(at)
    if (next < 0) return
    done({ ...left[next], verdict: 'killed', by: 'it hung, or ended the process' })
    left = left.slice(next + 1)
  }
}

async function run(bundle, args, onLine) {
  const child = spawn(process.execPath, ['--max-old-space-size=1024', bundle, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const kill = () => child.kill('SIGKILL')
  let timer = setTimeout(kill, silenceMs * 10)
  createInterface(child.stdout).on('line', (line) => {
    clearTimeout(timer)
    timer = setTimeout(kill, silenceMs)
    onLine(JSON.parse(line))
  })
  await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(timer)
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
