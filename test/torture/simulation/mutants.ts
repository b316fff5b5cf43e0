/**
 * Plays histories with one change of the source switched on after the other, and tells of each whether anything was noticed.
 * `--of '[[3, [17, 21]], …]'` tries each with the histories of those seeds; `--reach` tells which each history comes across. One line of JSON each,
 * before and after.
 */

import { parseArgs } from 'node:util'
import { changes } from './changes.js'
import { historyOf, play } from './simulate.js'

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: '[]' },
    /** The one that is on from the very start. */
    early: { type: 'string' },
    reach: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '60' },
  },
})
// The verdict says what breaks inside.
console.error = () => {}
process.on('uncaughtException', () => {})
process.on('unhandledRejection', () => {})

const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

if (values.reach) {
  const first = Number(values.seed)
  for (let seed = first; seed < first + Number(values.histories); seed++) {
    changes.passed.clear()
    // With nothing changed nothing may be noticed either.
    const noticed = await play(seed, historyOf(seed))
    tell({ seed, passed: [...changes.passed], noticed })
  }
}
const cases: [id: number, seeds: number[]][] = JSON.parse(values.of)
for (const [id, seeds] of cases) {
  tell({ id, verdict: 'trying' })
  changes.active = id
  tell({ id, ...(await verdictOf(seeds)) })
}
process.exit(0)

async function verdictOf(seeds: number[]): Promise<{ verdict: string; by?: string; after?: number }> {
  for (const [index, seed] of seeds.entries()) {
    const by = await play(seed, historyOf(seed))
    tell({ id: changes.active, verdict: 'trying' })
    if (by !== null) return { verdict: 'killed', by: by.split('\n')[0]?.slice(0, 160) ?? '', after: index + 1 }
  }
  return { verdict: 'survived' }
}
