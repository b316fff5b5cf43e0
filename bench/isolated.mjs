/** The cost of one isolated test with the library: sandbox or workspace, receiver, charge, payment, webhook, assertions, close. Each kind runs in its own process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { here } from './sandbox.mjs'

export async function measure(wants, report) {
  const rows = {
    'isolated-workspace': ['workspace', 'cpuMs'],
    'isolated-own': ['own', 'cpuMs'],
    'isolated-many': ['many', 'wallMs'],
    'floor-isolated': ['floor', 'cpuMs'],
  }
  for (const [row, [kind, figure]] of Object.entries(rows)) {
    if (!wants(row)) continue
    const found = await measured(kind)
    console.log(`${row}: ${found.cpuMs.toFixed(1)} ms of CPU and ${found.wallMs.toFixed(1)} ms each`)
    report(row, found[figure])
  }
}

async function measured(kind) {
  const child = spawn(process.execPath, [here('isolated-tests.mjs'), kind], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the tests of kind ${kind} ended with ${code}`)
  return JSON.parse(text)
}
