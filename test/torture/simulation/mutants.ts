/**
 * Plays histories with one change of the source switched on after the other, and tells of each whether anything was noticed.
 * `--of 3,4,5` tries those; `--reach` tells which are passed by at all. One line of JSON each, before and after.
 */

import { parseArgs } from 'node:util'
import { changes } from './changes.js'
import { historyOf, play } from './simulate.js'

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: '' },
    /** The one that is on from the very start. */
    early: { type: 'string' },
    reach: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '20' },
  },
})
const first = Number(values.seed)
const histories = Number(values.histories)

// What breaks inside is told by the verdict.
console.error = () => {}
process.on('uncaughtException', () => {})
process.on('unhandledRejection', () => {})

const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

if (values.reach) {
  // With nothing changed nothing may be noticed either.
  const noticed: string[] = []
  for (let seed = first; seed < first + histories; seed++) {
    const message = await play(seed, historyOf(seed))
    if (message !== null) noticed.push(`seed ${seed}: ${message}`)
  }
  tell({ passed: [...changes.passed], noticed })
}
for (const id of values.of
  .split(',')
  .filter((one) => one !== '')
  .map(Number)) {
  tell({ id, verdict: 'trying' })
  changes.active = id
  tell({ id, ...(await verdictOf()) })
}
process.exit(0)

async function verdictOf(): Promise<{ verdict: string; by?: string; after?: number }> {
  for (let after = 1; after <= histories; after++) {
    const seed = first + after - 1
    const by = await play(seed, historyOf(seed))
    tell({ id: changes.active, verdict: 'trying' })
    if (by !== null) return { verdict: 'killed', by: by.split('\n')[0]?.slice(0, 160) ?? '', after }
  }
  return { verdict: 'survived' }
}
