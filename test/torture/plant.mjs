/** Plants each fault in turn and lets the simulation look for it; prints what found it and how fast. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildSimulation } from './build.mjs'
import { plants } from './plants.mjs'

/** For each, so long at most. */
const seconds = 60

/** Which were found: `{name, found, tookMs, by}`. A fault whose place is no more is an error. */
export async function findPlants(seed, only = plants) {
  const rows = []
  for (const plant of only) {
    const file = join(process.cwd(), 'node_modules/.torture/planted.mjs')
    await buildSimulation(file, [planting(plant)])
    const args = [
      file,
      '--seed',
      String(seed),
      '--seconds',
      String(seconds),
      '--operations',
      '1e9',
      '--shrink',
      '0',
      '--quiet',
    ]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    const line = stdout.trim().split('\n').at(-1) ?? ''
    if (!line.startsWith('{')) throw new Error(`the simulation broke with ${plant.name}: ${stderr.slice(-2000)}`)
    const { tookMs, message = null } = JSON.parse(line)
    const row = { name: plant.name, found: status === 1, tookMs, by: message?.split('\n')[0].slice(0, 160) ?? null }
    console.error(
      `${row.found ? 'found' : 'NOT FOUND'} after ${(tookMs / 1000).toFixed(1)} s: ${row.name}${row.by === null ? '' : `\n      ${row.by}`}`,
    )
    rows.push(row)
  }
  return rows
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
            `the place for "${name}" stands ${text.split(find).length - 1} times in ${file}: mend the plant`,
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
