/** `node bench/runtimes.mjs`: charges a second of one workspace on each of the three database drivers, in turn with a bare server of the same runtime. Compare the ratios; the absolute figures depend on the machine. */
import { join } from 'node:path'
import { buildWorkers } from '../scripts/build-workers.mjs'
import { startWorkerd } from '../scripts/workerd.mjs'
import { newerNode } from '../test/support/newer-node.mjs'
import { inTurn } from './calls.mjs'
import { rawRequest } from './load.mjs'
import { cpuMsOf, median, startProgram } from './process.mjs'
import { callsOf, charge, here, inFolder, startSandbox } from './sandbox.mjs'

const posting = (one) => ({ ...one, make: () => rawRequest(one.base, 'POST', '/', {}, charge()) })
const charging = (one) => ({ ...one, make: one.cashin })

const key = (kind) => `${kind}_sandbox_merchant_${'0'.repeat(40)}`
const credential = { client_id: 'client_sandbox_merchant', client_secret: key('secret'), signing_key: key('sk') }

async function underWorkerd(storage, worker) {
  const variables = {
    PAYMENTS_SANDBOX_LOCAL: 'true',
    PAYMENTS_SANDBOX_RATE_LIMITS: 'false',
    PAYMENTS_SANDBOX_CLOCK: 'manual',
  }
  const { url, child, stop } = await startWorkerd({ storage, variables, ...(worker === undefined ? {} : { worker }) })
  return { base: url, cpuMs: () => cpuMsOf(child), stop: () => stop('SIGKILL') }
}

await buildWorkers()
await inFolder(async (folder) => {
  const node = newerNode()
  const object = await underWorkerd(join(folder, 'objects'))
  const kinds = {
    'bare, Node 20': posting(await startProgram([here('bare.mjs')])),
    'better-sqlite3, memory': charging(await startSandbox(':memory:')),
    'better-sqlite3, file': charging(await startSandbox(join(folder, 'a.sqlite'))),
    'bare, newest Node': posting(await startProgram([here('bare.mjs')], node)),
    'node:sqlite, memory': charging(await startSandbox(':memory:', 'manual', node)),
    'node:sqlite, file': charging(await startSandbox(join(folder, 'b.sqlite'), 'manual', node)),
    'bare, object': posting(await underWorkerd(join(folder, 'bare'), here('bare-object.mjs'))),
    'Durable Object': charging({ ...object, ...(await callsOf(object.base, credential)) }),
  }
  const found = await inTurn(kinds)
  for (const one of Object.values(kinds)) await one.stop()
  let bare = null
  console.log(
    '| | charges a second | CPU of the server, µs | ratio to the bare server, by time | by CPU |\n| --- | ---: | ---: | ---: | ---: |',
  )
  for (const [name, { perSecond, cpuMicros }] of Object.entries(found)) {
    const least = Math.min(...cpuMicros)
    if (name.startsWith('bare')) bare = { perSecond, least }
    const byTime = median(perSecond.map((value, index) => value / bare.perSecond[index]))
    const cells = [
      name,
      Math.round(median(perSecond)),
      Math.round(least),
      byTime.toFixed(2),
      (bare.least / least).toFixed(2),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
})
