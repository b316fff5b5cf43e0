/** Runs the simulation on all cores: each of n workers plays every n-th history. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildSimulation } from './build.mjs'
import { buildPlanted } from './plant.mjs'
import { plants } from './plants.mjs'
import { isOfThisSource, testedVersion } from './result.mjs'

const progressEveryMs = 10_000
/** Fewer operations do not meet the rare rows, so they leave the table of a longer run. */
const leastForReach = 100_000
const reachedFile = join(import.meta.dirname, 'reached.json')

/** Returns `{operations, histories, workers, cpuMs, tookMs, verdict}`. Prints a violation with the command that repeats it. */
export async function simulate({ seed, operations, minutes, workers, plant, storesReach }) {
  const file = await built(plant)
  const startedMs = performance.now()
  const count = operations === 1 ? 1 : workers
  const reported = new Map()
  const records = Array.from({ length: count }, (_, index) => `${file}.${index}.records`)
  for (const one of records) rmSync(one, { force: true })
  const children = Array.from({ length: count }, (_, index) => {
    const args = ['--seed', seed + index, '--stride', count, '--operations', Math.ceil(operations / count)]
    const more = plant === undefined ? ['--records', records[index]] : ['--plant', plant]
    return spawn(
      process.execPath,
      ['--enable-source-maps', file, ...args, '--seconds', minutes * 60, ...more].map(String),
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
  })
  const sum = (name) => [...reported.values()].reduce((total, line) => total + line[name], 0)
  const progress = setInterval(() => {
    const seconds = (performance.now() - startedMs) / 1000
    console.error(`${sum('operations')} operations, ${Math.round(sum('operations') / seconds)} a second`)
  }, progressEveryMs)
  const codes = await Promise.all(
    children.map(async (child, index) => {
      createInterface(child.stdout).on('line', (line) => {
        reported.set(index, JSON.parse(line))
        // The first violation ends the run; its worker prints the history.
        if (reported.get(index).verdict === 'violated') for (const other of children) if (other !== child) other.kill()
      })
      return new Promise((done) => child.on('close', done))
    }),
  )
  clearInterval(progress)
  const figures = { operations: sum('operations'), histories: sum('histories'), workers: count }
  const played = codes.every((code) => code === 0) ? 'passed' : 'violated'
  const audited = plant === undefined && played === 'passed' ? audit(records, file) : {}
  const verdict = audited.findings > 0 ? 'the auditor found differences' : played
  const reached = [...reported.values()].flatMap((line) => line.reached ?? [])
  if (verdict === 'passed' && plant === undefined && storesReach) writeReached(reached, figures)
  return { ...figures, ...audited, cpuMs: sum('cpuMs'), tookMs: Math.round(performance.now() - startedMs), verdict }
}

/** Lets the auditor judge the records of all workers. Returns `{audited, answers, webhooks, findings}`; `audited` counts histories. */
function audit(records, file) {
  const texts = records.flatMap((one) => {
    try {
      return [readFileSync(one)]
    } catch {
      return []
    }
  })
  const all = `${file}.records`
  writeFileSync(all, Buffer.concat(texts))
  const auditor = join(import.meta.dirname, 'auditor/audit.py')
  const { stdout } = spawnSync('python3', [auditor, '--records', all], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { records: audited, answers, webhooks, findings } = JSON.parse(stdout)
  return { audited, answers, webhooks, findings }
}

/**
 * Adds up what the workers have met, and writes it beside the report: for each row its count, and the rows that it was never met
 * with. Runs of the same source add up.
 */
function writeReached(reports, { operations, histories }) {
  const stored = JSON.parse(readFileSync(reachedFile, 'utf8'))
  const before = isOfThisSource({ section: 'simulate', ...stored }) ? stored : { operations: 0, histories: 0, rows: [] }
  if (before.operations + operations < leastForReach) return
  const [{ rows }] = reports
  const metBefore = rows.map((_, at) => before.rows[at]?.met ?? 0)
  const counts = rows.map((_, at) => reports.reduce((sum, one) => sum + one.counts[at], metBefore[at]))
  const pairs = new Set()
  for (const [one, other] of reports.flatMap((report) => report.pairs))
    pairs.add(`${one} ${other}`).add(`${other} ${one}`)
  const isMetWith = (at, other) =>
    pairs.has(`${at} ${other}`) ||
    (metBefore[at] > 0 && metBefore[other] > 0 && !before.rows[at].without.includes(rows[other]))
  const table = rows.map((row, at) => ({
    row,
    met: counts[at],
    without: rows.filter((_, other) => counts[at] > 0 && counts[other] > 0 && at !== other && !isMetWith(at, other)),
  }))
  const { commit, isChanged } = testedVersion
  const sums = { operations: before.operations + operations, histories: before.histories + histories }
  const head = JSON.stringify({ commit, isChanged, ...sums }).slice(0, -1)
  writeFileSync(reachedFile, `${head},"rows":[\n${table.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`)
}

async function built(plant) {
  if (plant !== undefined) {
    const found = plants.find(({ name }) => name === plant)
    if (found === undefined)
      throw new Error(`unknown fault "${plant}"; use one of: ${plants.map(({ name }) => name).join('; ')}`)
    return buildPlanted(found)
  }
  // Within node_modules, so that the import of the database driver resolves.
  const file = join(process.cwd(), 'node_modules/.torture/simulation.mjs')
  await buildSimulation(file)
  return file
}
