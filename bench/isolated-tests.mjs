/** Runs isolated tests of one kind and prints the time of one: `node isolated-tests.mjs workspace|own|many|floor`. */
import { startSandbox } from '../dist/index.js'
import { floorTest } from './floor/isolated.mjs'
import { median } from './process.mjs'

const [, , kind] = process.argv
const shared = kind === 'own' || kind === 'floor' ? null : await startSandbox()

async function useSandbox(sandbox) {
  const receiver = await sandbox.receiver()
  const { transaction_id } = await sandbox.client().cashin({ amount: 10, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id: transaction_id })
  const { signature_valid } = await receiver.waitFor('cashin.confirmed', { transaction_id })
  const names = await sandbox.webhooks.names()
  await sandbox.close()
  if (!signature_valid || names.join() !== 'cashin.confirmed')
    throw new Error(`the test expected one signed cashin.confirmed; it received ${names}`)
}

const one = async () => {
  if (kind === 'floor') await floorTest()
  else await useSandbox(shared === null ? await startSandbox() : await shared.workspace())
}

/** `many` runs 8 tests at a time, like 8 test files in parallel. */
const width = kind === 'many' ? 8 : 1
async function several(count) {
  let left = count
  const worker = async () => {
    while (left-- > 0) await one()
  }
  await Promise.all(Array.from({ length: width }, worker))
}

async function timed(count) {
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()]
  await several(count)
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000 / count, wallMs: (performance.now() - startedMs) / count }
}

await several(20)
// Reading the CPU is expensive on some systems, so one sample covers ten tests, or all 200 when they run in parallel.
const samples = []
while (samples.length < (kind === 'many' ? 1 : 20)) samples.push(await timed(kind === 'many' ? 200 : 10))
const medianOf = (name) => median(samples.map((sample) => sample[name]))
console.log(JSON.stringify({ cpuMs: medianOf('cpuMs'), wallMs: medianOf('wallMs') }))
process.exit(0)
