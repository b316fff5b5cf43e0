/** Plants each fault in turn and lets the simulation look for it; tells what found it and how fast. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildSimulation } from './build.mjs'
import { plants } from './plants.mjs'

/** Of the processor's time, so that a busy machine finds as much as a quiet one. */
const seconds = 60

/** So many at a time. Which were found: `{name, found, cpuMs, tookMs, by}`. */
export async function findPlants({ seed, workers, only = plants, tell = console.error }) {
  const waiting = [...only]
  const rows = []
  const work = async () => {
    for (let plant = waiting.shift(); plant !== undefined; plant = waiting.shift()) {
      const row = await lookFor(plant, seed)
      rows.push(row)
      tell(
        `${row.found ? 'found' : 'NOT FOUND'} after ${(row.cpuMs / 1000).toFixed(1)} s: ${row.name}${row.by === null ? '' : `\n      ${row.by}`}`,
      )
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return rows
}

async function lookFor(plant, seed) {
  const file = await buildPlanted(plant)
  const args = [file, '--seed', String(seed), '--cpu-seconds', String(seconds), '--operations', '1e9', '--shrink', '0']
  const child = spawn(process.execPath, [...args, '--quiet'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (texts[name] += chunk))
  await new Promise((done) => child.on('close', done))
  const line = texts.stdout.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`the simulation broke with ${plant.name}: ${texts.stderr.slice(-2000)}`)
  const { tookMs, cpuMs, verdict, message = null } = JSON.parse(line)
  return {
    name: plant.name,
    found: verdict === 'violated',
    tookMs,
    cpuMs,
    by: message?.replaceAll('\n', ' | ').slice(0, 200) ?? null,
  }
}

/** The simulation with that fault in it; a fault whose place is no more is an error. */
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
            `the place for "${name}" stands ${text.split(find).length - 1} times in ${file}: fix the plant`,
          )
        done = true
        return { contents: text.replace(find, () => put), loader: 'ts' }
      })
      build.onEnd(() => {
        if (!done) throw new Error(`${file} of "${name}" is not part of the simulation`)
      })
    },
  }
}
