/** Mutation testing of money, delivery, recorder and judges: makes small changes of the source and checks that the simulation or a test notices each. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSimulation } from './build.mjs'
import { equivalentMutants } from './equivalent-mutants.mjs'
import { batches, runLines, testBatch } from './mutant-process.mjs'
import { partOf, readPart, storedRows } from './mutant-results.mjs'
import { runTestsOn, testsOf } from './mutants-by-tests.mjs'
import { mutate } from './mutator.mjs'
import { hashOf } from './result.mjs'

/** `true` means all files of a folder. */
const subjects = {
  money: {
    'src/core/ledger': ['ledger', 'pricing'],
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
  },
  delivery: {
    'src/core/webhooks': ['outbox'],
    'src/core/delivery': ['deliveries', 'queue'],
    'src/core/jobs': ['jobs'],
    'src/core/clock': ['advance', 'scheduler'],
    'src/store': ['unit-of-work'],
  },
  recorder: { 'src/features/record/redact': true, 'src/features/record/file': true, 'src/features/record/proxy': true },
  judges: {
    'src/features/compare/judge': true,
    'src/features/certify/books': ['assign', 'columns', 'entries', 'judge', 'read-amount', 'subjects', 'table'],
    'src/features/certify/receiver/checks': true,
    'src/features/certify/client': ['calls', 'check-calls', 'check-retries'],
  },
}
const filesIn = (folder, names) =>
  names === true
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${folder}/${name}`)
    : names.map((name) => `${folder}/${name}.ts`)
const filesOf = (folders) => Object.entries(folders).flatMap(([folder, names]) => filesIn(folder, names))
const files = Object.values(subjects).flatMap(filesOf)
/** Features are no part of the simulation. */
const isSimulated = ({ file }) => !file.startsWith('src/features/')
/**
 * What the results of a part depend on: all of them on its files and on how mutants are made and simulated (`source`), and what a
 * test has found on its file and the tables beside it. Null without Git.
 */
function digestOf(part) {
  const runner = ['mutator', 'mutant-switch', 'suite'].map((name) => `test/torture/${name}.mjs`)
  const source = hashOf([...files.filter((file) => partOf({ file }) === part), ...runner, 'test/torture/simulation'])
  if (source === null) return null
  const tablesOf = new Map()
  const hashOfTest = (name) => {
    const file = `test/${name}.test.ts`
    const folder = dirname(file)
    if (!tablesOf.has(folder)) tablesOf.set(folder, hashOf([`${folder}/*.ts`, ':!*.test.ts']))
    return createHash('sha256')
      .update(`${hashOf([file])} ${tablesOf.get(folder)}`)
      .digest('base64url')
      .slice(0, 8)
  }
  const tests = testsOf(part).map((name) => [name, hashOfTest(name)])
  return { source: source.slice(0, 16), tests: Object.fromEntries(tests) }
}
/** The histories that are played to find which mutants they reach. */
const reachHistories = 60
/** The most histories that a mutant is tested with. */
const mostHistories = 12
/** A process hangs if it prints nothing for this many times the longest history. */
const patience = 10

/** The judges have most of the mutants, and a test of them plays and judges whole recordings. So a sample of each file is tested. */
const sampled = 'judges'
const sampledOfFile = 40

/**
 * Tests `ofEachFile` mutants of each file (default: all, and of the judges a sample), drawn by the file's text or by the seed: first with
 * the simulation, then the unnoticed ones with behavior tests; those that a test noticed before, with this test first. `continues` takes over
 * the results of the same source with the same tests. `isRetry` tests what is left of earlier runs. Returns `{seed, mutants, chosen,
 * rows, broken, bySubject, byPart}`. `broken` are test files that fail without a mutant; then no mutant is tested with them. Each row is a
 * mutant with its `verdict`: `killed` (`test` names what noticed it), `survived`, `unreached`, or `explained` (`why` says why nothing can
 * notice it). Rows are missing if the time limit `minutes` left out mutants. `bySubject` has a row of counts for each subject, `byPart` one
 * for each folder.
 */
export async function testMutants({
  seed: given,
  workers,
  ofEachFile,
  only,
  minutes = Infinity,
  continues = false,
  isRetry = false,
  print = console.error,
}) {
  const endMs = performance.now() + minutes * 60_000
  const hasTime = () => performance.now() < endMs
  // The same for the same source, so that a run that continues has the same histories.
  const seed = given ?? Number.parseInt(hashOf(files)?.slice(0, 7) ?? '1', 16)
  print(`seed ${seed}`)
  const isWanted = ({ file }) => only === undefined || file.includes(only)
  // The results of a folder are stored together.
  const parts = new Set(
    files
      .map((file) => ({ file }))
      .filter(isWanted)
      .map(partOf),
  )
  const { mutants: all, sourceOf } = mutate(files.filter((file) => parts.has(partOf({ file }))))
  const mutants = all.filter(isWanted)
  const chosen = sample(mutants, ofEachFile, given)
  const { rows, hintOf, store, load } = storedRows(all, digestOf)
  if (continues || isRetry) load({ isRetry })
  const isNoticedByTest = (one) => hintOf(one)?.startsWith('simulation') === false
  const rest = { sourceOf, seed, workers, hasTime, print, hintOf }
  const simulated = chosen.filter((one) => isSimulated(one) && !rows.has(one.id) && !isNoticedByTest(one))
  await simulateMutants(simulated, { ...rest, done: (row) => store({ ...row, with: 'simulation' }) })
  const isTested = (row) => row.verdict === 'killed' || row.with === 'tests' || reasonFor(row) !== undefined
  const unnoticed = () => chosen.map((one) => rows.get(one.id) ?? one).filter((row) => row.verdict !== 'killed')
  const left = unnoticed().filter((row) => !isTested(row))
  print(`${simulated.length} with the simulation, ${left.length} with tests`)
  const broken = await runTestsOn(left, {
    ...rest,
    done(row) {
      store({ ...row, with: 'tests' })
      const { verdict, file, line, kind, was, test } = row
      print(
        `${verdict === 'killed' ? 'killed' : verdict.toUpperCase()} ${file}:${line} ${kind}: ${was}${verdict === 'killed' ? ` (${test})` : ''}`,
      )
    },
  })
  // A test that noticed these before does not any more.
  const tried = unnoticed().filter((row) => isSimulated(row) && row.with === 'tests' && isNoticedByTest(row))
  const storeNoticed = (row) => row.verdict === 'killed' && store({ ...row, with: 'simulation' })
  await simulateMutants(tried, { ...rest, done: storeNoticed })
  const found = chosen.map((one) => withReason(rows.get(one.id) ?? one)).filter(isTested)
  const counts = { mutants: mutants.length, chosen: chosen.length }
  return { seed, ...counts, rows: found, broken, bySubject: bySubject(mutants, found), byPart: byPart(chosen, found) }
}

function countsOf(all, rows) {
  const count = (...verdicts) => rows.filter(({ verdict }) => verdicts.includes(verdict)).length
  const counts = { noticed: count('killed'), explained: count('explained'), left: count('survived', 'unreached') }
  return { mutants: all.length, tested: rows.length, ...counts }
}

function bySubject(mutants, rows) {
  return Object.entries(subjects).flatMap(([subject, folders]) => {
    const names = new Set(filesOf(folders))
    const own = rows.filter(({ file }) => names.has(file))
    return own.length === 0
      ? []
      : [
          {
            subject,
            ...countsOf(
              mutants.filter(({ file }) => names.has(file)),
              own,
            ),
          },
        ]
  })
}

/** `triedAt` is the commit for which the results of a folder count. */
function byPart(chosen, rows) {
  return [...new Set(chosen.map(partOf))].map((part) => {
    const of = (list) => list.filter((one) => partOf(one) === part)
    const { commit = null, isChanged = false } = readPart(part) ?? {}
    const triedAt = commit === null ? 'no commit' : `${commit}${isChanged ? ' with changes' : ''}`
    return { part: part.replace('src/', ''), ...countsOf(of(chosen), of(rows)), triedAt }
  })
}

/** Marks an equivalent mutant as explained. */
function withReason(row) {
  const why = row.verdict === 'killed' ? undefined : reasonFor(row)
  return why === undefined ? row : { ...row, verdict: 'explained', why }
}

async function simulateMutants(chosen, { sourceOf, seed, workers, hasTime, print, hintOf, done }) {
  if (chosen.length === 0) return
  const bundle = join(process.cwd(), 'node_modules/.torture/mutants.mjs')
  await buildSimulation(bundle, [inPlace(sourceOf)], 'mutants')
  const { seedsOf, longestMs } = await reach(bundle, seed)
  /** The history that noticed a mutant before. */
  const hintedSeeds = (one) =>
    hintOf(one)
      ?.match(/(?<=^simulation )\d+$/)
      ?.map(Number) ?? []
  // Code outside functions runs when the module loads, before the first history.
  const isReached = (one) => one.isEarly || seedsOf.has(one.id) || hintedSeeds(one).length > 0
  for (const one of chosen) if (!isReached(one)) done({ ...one, verdict: 'unreached' })
  const [early, late] = [true, false].map((is) => chosen.filter((one) => isReached(one) && one.isEarly === is))
  // Mutants outside functions each need their own process.
  const waiting = [...early.map((one) => [one]), ...batches(late, 25)]
  let count = 0
  const argsOf = (left) => {
    const isEarly = left[0].isEarly ? ['--early', left[0].id] : []
    const cases = left.map((one) => {
      const others = seedsOf.get(one.id) ?? Array.from({ length: mostHistories }, (_, nth) => seed + nth)
      return [one.id, [...hintedSeeds(one), ...others.slice(0, mostHistories)]]
    })
    return [bundle, ...isEarly, '--of', JSON.stringify(cases)]
  }
  const onRow = (row) => {
    done(row)
    if (++count % 50 === 0) print(`${count} of ${early.length + late.length}`)
  }
  const work = async () => {
    for (let batch = waiting.shift(); batch !== undefined && hasTime(); batch = waiting.shift())
      await testBatch(batch, argsOf, onRow, patience * longestMs)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

const reasonFor = (row) =>
  equivalentMutants.find(
    ({ file, kind = row.kind, was, at = '' }) =>
      row.file.endsWith(file) && row.kind === kind && row.was.includes(was) && lineOf(row).includes(at),
  )?.why

const lineOf = ({ file, line }) => readFileSync(file, 'utf8').split('\n')[line - 1] ?? ''

/** The sample of a file stays while its text stays. */
function sample(mutants, ofEachFile, seed) {
  const isSampled = new Set(filesOf(subjects[sampled]))
  const texts = new Map(mutants.map(({ file }) => [file, seed ?? hashOf([file])]))
  const lot = ({ file, line, kind, was }) =>
    createHash('sha256')
      .update(`${texts.get(file)} ${file}:${line} ${kind} ${was}`)
      .digest('hex')
  const drawn = mutants.map((one) => ({ one, lot: lot(one) })).sort((a, b) => (a.lot < b.lot ? -1 : 1))
  const counts = new Map()
  const isDrawn = ({ one: { file } }) => {
    counts.set(file, (counts.get(file) ?? 0) + 1)
    return counts.get(file) <= (ofEachFile ?? (isSampled.has(file) ? sampledOfFile : Infinity))
  }
  return drawn
    .filter(isDrawn)
    .map(({ one }) => one)
    .sort((a, b) => a.id - b.id)
}

/** Returns the seeds of the histories that reach each mutant, and the longest time of a history; the first includes the start of the process. */
async function reach(bundle, first) {
  const seedsOf = new Map()
  let count = 0
  let longestMs = 0
  let lastMs = performance.now()
  await runLines([bundle, '--reach', '--seed', first, '--histories', reachHistories], ({ seed, passed, noticed }) => {
    if (noticed !== null) throw new Error(`seed ${seed} fails without a mutant: ${noticed}`)
    count++
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
    for (const id of passed) seedsOf.set(id, [...(seedsOf.get(id) ?? []), seed])
  })
  if (count !== reachHistories) throw new Error('the simulation with mutants does not run')
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
