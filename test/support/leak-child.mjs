/** Opens and closes sandboxes many times, then prints the remaining handles and the growth of memory. Requires `--expose-gc`. */
import { setTimeout as pause } from 'node:timers/promises'
import { startSandbox } from '../../dist/index.js'

async function useOne() {
  const sandbox = await startSandbox()
  const receiver = await sandbox.receiver()
  const workspace = await sandbox.workspace()
  await workspace.client().cashin({ amount: 1, currency: 'BRL' })
  await sandbox.client().cashin({ amount: 1, currency: 'BRL' })
  await sandbox.trigger('cashin.pay')
  await receiver.waitFor('cashin.confirmed')
  await sandbox.snapshot()
  await sandbox.client().cashout({ amount: 1, currency: 'BRL', key: '52998224725', external_id: 'p' })
  // The sandbox closes while a webhook, a stream and a wait are open.
  receiver.respond({ status: 200, delay: '60s' })
  await sandbox.trigger('cashout.confirm')
  const stream = sandbox.control.stream(() => undefined, new AbortController().signal)
  const wait = sandbox.webhooks.waitFor('cashin.expired').catch(() => undefined)
  await sandbox.close()
  await Promise.all([stream, wait])
}

/** Returns the resources that keep the process alive, except its pipes, after a pause in which sockets can close. */
async function handles() {
  let left = []
  for (let tries = 0; tries < 100; tries++) {
    await pause(20)
    left = process.getActiveResourcesInfo().filter((name) => !/^(Pipe|TTY|FSReq|Immediate)/.test(name))
    if (left.length === 0) break
  }
  return left
}

function memoryMb() {
  for (let turn = 0; turn < 3; turn++) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1024 / 1024
}

const rounds = Number(process.argv[2])
for (let round = 0; round < rounds; round++) await useOne()
await handles()
const early = memoryMb()
for (let round = 0; round < rounds; round++) await useOne()
const left = await handles()
console.log(JSON.stringify({ left, early, late: memoryMb() }))
