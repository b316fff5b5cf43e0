/** `node simulation.mjs --seed N --operations N --seconds N` plays histories. On a violation it prints the shortest history that causes it and exits with 1. */
import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { audit } from './audit.js'
import { operationsIn } from './history.js'
import { reach } from './reach.js'
import { type Failure, historyOf, play, shortest } from './simulate.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    /** The difference between the seeds of two histories; other workers play the seeds between. */
    stride: { type: 'string', default: '1' },
    operations: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '3600' },
    'cpu-seconds': { type: 'string', default: '1e9' },
    shrink: { type: 'string', default: '20' },
    /** The name of the planted fault, for the command that repeats the run. */
    plant: { type: 'string' },
    quiet: { type: 'boolean', default: false },
    /** The file to which the records for the auditor are added. */
    records: { type: 'string' },
  },
})

// Hides errors that a killed process prints.
const printError = console.error
console.error = (...words: unknown[]) => words.some((word) => word instanceof Error) || printError(...words)

const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const startedMs = performance.now()
const untilMs = startedMs + Number(values.seconds) * 1000
const wanted = Number(values.operations)
let operations = 0
let histories = 0
let reportedMs = startedMs

const cpuMs = () => Math.round(process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000)
const report = (verdict: string, more: object = {}) => {
  const tookMs = Math.round(performance.now() - startedMs)
  console.log(JSON.stringify({ verdict, first, operations, histories, tookMs, cpuMs: cpuMs(), ...more }))
}
const isOver = () =>
  operations >= wanted || performance.now() > untilMs || cpuMs() > Number(values['cpu-seconds']) * 1000

for (let seed = first; !isOver(); seed += Number(values.stride)) {
  const history = historyOf(seed)
  const message = await play(seed, history)
  const record = audit.take()
  if (values.records !== undefined && message === null && record.length > 0)
    appendFileSync(values.records, `${record.join('\n')}\n`)
  operations += operationsIn(history)
  histories++
  if (!values.quiet && performance.now() > reportedMs + 2000) {
    reportedMs = performance.now()
    report('running')
  }
  if (message === null) continue
  report('violated', { seed, message })
  if (Number(values.shrink) > 0) await explain(seed, history, message)
  process.exit(1)
}
report('passed', { reached: reach.report() })
// The line is longer than a pipe takes at once.
process.stdout.write('', () => process.exit(0))

/** The history as a test that fails until the fault is repaired. */
function testOf({ seed, message, history }: Failure): string {
  const title = JSON.stringify(`the simulation holds: ${values.plant ?? message.split('\n', 1)[0]}`)
  const steps = history.map((step) => `    ${JSON.stringify(step)},\n`).join('')
  return `test(${title}, () =>\n  holds(${seed}, [\n${steps}  ]))\n`
}

async function explain(seed: number, history: ReturnType<typeof historyOf>, message: string): Promise<void> {
  console.error(`${message}\n\nsearching for the shortest history that fails…`)
  const failure = await shortest(seed, history, performance.now() + Number(values.shrink) * 1000)
  console.error(`shortest history (${failure.history.length} steps): ${failure.message}`)
  console.error(`\nAs a test, to paste into test/runtime/old-failures.test.ts:\n\n${testOf(failure)}`)
  const plant = values.plant === undefined ? '' : ` --plant '${values.plant}'`
  console.error(`\nTo repeat: npm run torture -- --only simulate --seed ${seed} --operations 1${plant}`)
}
