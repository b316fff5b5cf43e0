/** `node simulation.mjs --seed N --operations N --seconds N`: exit code 1 and the shortest history where something does not hold. */
import { parseArgs } from 'node:util'
import { historyOf, play, shortest } from './simulate.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    operations: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '3600' },
    shrink: { type: 'string', default: '20' },
    quiet: { type: 'boolean', default: false },
  },
})

// What a killed process says on its way out is of no interest.
const say = console.error
console.error = (...words: unknown[]) => words.some((word) => word instanceof Error) || say(...words)

const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const untilMs = performance.now() + Number(values.seconds) * 1000
const wanted = Number(values.operations)
const startedMs = performance.now()
let operations = 0
let histories = 0

for (let seed = first; operations < wanted && performance.now() < untilMs; seed++) {
  const history = historyOf(seed)
  const message = await play(seed, history)
  operations += history.length
  histories++
  if (!values.quiet && histories % 200 === 0)
    console.error(`${operations} operations, ${((performance.now() - startedMs) / 1000).toFixed()} s`)
  if (message === null) continue
  const failure = await shortest(seed, history, performance.now() + Number(values.shrink) * 1000)
  const tookMs = Math.round(performance.now() - startedMs)
  console.log(JSON.stringify({ verdict: 'violated', first, seed, operations, tookMs, message: failure.message }))
  console.error(`${message}\n\nshortest history (${failure.history.length} steps): ${failure.message}`)
  for (const step of failure.history) console.error(`  ${JSON.stringify(step)}`)
  console.error(`\nagain: npm run torture -- --only simulate --seed ${seed} --operations 1`)
  process.exit(1)
}
console.log(
  JSON.stringify({ verdict: 'held', first, operations, histories, tookMs: Math.round(performance.now() - startedMs) }),
)
process.exit(0)
