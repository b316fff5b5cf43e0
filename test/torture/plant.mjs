/** Plants each fault in turn and runs the simulation until it finds the fault. Reports what found it and how fast. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildSimulation } from './build.mjs'
import { plants } from './plants.mjs'

/** A limit in CPU time, so that a busy machine finds as much as an idle one. */
const cpuSeconds = 60

/** Plants `workers` faults at a time. Returns a row for each: `{name, found, cpuMs, tookMs, by}`. */
export async function findPlants({ seed, workers, only = plants, print = console.error }) {
  const waiting = [...only]
  const rows = []
  const work = async () => {
    for (let plant = waiting.shift(); plant !== undefined; plant = waiting.shift()) {
      const row = await lookFor(plant, seed)
      rows.push(row)
      print(
        `${row.found ? 'found' : 'NOT FOUND'} after ${(row.cpuMs / 1000).toFixed(1)} s: ${row.name}${row.by === null ? '' : `\n      ${row.by}`}`,
      )
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return rows
}

async function lookFor(plant, seed) {
  const file = await buildPlanted(plant)
  const args = [
    file,
    '--seed',
    String(seed),
    '--cpu-seconds',
    String(cpuSeconds),
    '--operations',
    '1e9',
    '--shrink',
    '0',
  ]
  const child = spawn(process.execPath, [...args, '--quiet'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (texts[name] += chunk))
  await new Promise((done) => child.on('close', done))
  const line = texts.stdout.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{'))
    throw new Error(`the simulation crashed with the fault "${plant.name}": ${texts.stderr.slice(-2000)}`)
  const { tookMs, cpuMs, verdict, message = null } = JSON.parse(line)
  return {
    name: plant.name,
    found: verdict === 'violated',
    tookMs,
    cpuMs,
    by: message?.replaceAll('\n', ' | ').slice(0, 200) ?? null,
  }
}

/** Builds the simulation with a fault. Throws if the source no longer contains the fault's place exactly once. */
export async function buildPlanted(plant) {
  const file = join(process.cwd(), `node_modules/.torture/planted-${plant.name.replaceAll(' ', '-')}.mjs`)
  await buildSimulation(file, [planting(plant)])
  return file
}

function planting({ name, file, find, put }) {
  return {
    name: 'plant',
    setup(build) {
      let done = false
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== resolve(file)) return null
        const text = readFileSync(path, 'utf8')
        if (text.split(find).length !== 2)
          throw new Error(
            `the place of the fault "${name}" occurs ${text.split(find).length - 1} times in ${file}; it must occur once: change its row in plants.mjs`,
          )
        done = true
        return { contents: text.replace(find, () => put), loader: 'ts' }
      })
      build.onEnd(() => {
        if (!done) throw new Error(`${file} of the fault "${name}" is not part of the simulation`)
      })
    },
  }
}
