/**
 * Plays histories with one mutant on at a time and prints lines of JSON.
 * `--of '[[3, [17, 21]], …]'` plays the seeds 17 and 21 with mutant 3 and prints whether a check failed.
 * `--reach` plays histories without mutants and prints which mutants each history reaches.
 */

import { parseArgs } from 'node:util'
import { changes } from './changes.js'
import { historyOf, play } from './simulate.js'

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: '[]' },
    /** The mutant that is on while the source loads. */
    early: { type: 'string' },
    reach: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '60' },
  },
})
// The verdict contains the error, so nothing else needs to be printed.
console.error = () => {}
process.on('uncaughtException', () => {})
process.on('unhandledRejection', () => {})

const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

if (values.reach) {
  const first = Number(values.seed)
  for (let seed = first; seed < first + Number(values.histories); seed++) {
    changes.passed.clear()
    // Without a mutant no check may fail.
    const noticed = await play(seed, historyOf(seed))
    print({ seed, passed: [...changes.passed], noticed })
  }
}
const cases: [id: number, seeds: number[]][] = JSON.parse(values.of)
for (const [id, seeds] of cases) {
  print({ id, verdict: 'testing' })
  changes.active = id
  print({ id, ...(await verdictOf(seeds)) })
}
process.exit(0)

async function verdictOf(seeds: number[]): Promise<{ verdict: string; test?: string; by?: string }> {
  for (const seed of seeds) {
    const by = await play(seed, historyOf(seed))
    print({ id: changes.active, verdict: 'testing' })
    if (by !== null)
      return { verdict: 'killed', test: `simulation ${seed}`, by: by.split('\n')[0]?.slice(0, 160) ?? '' }
  }
  return { verdict: 'survived' }
}
