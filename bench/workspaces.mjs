/** Creates, uses and deletes a thousand workspaces: the time of each, and the memory before and after. */
import { startProgram } from './process.mjs'
import { ask, bearerOf, charge, here, startSandbox } from './sandbox.mjs'

const sideBySide = 8

export async function measure(wants, report) {
  if (wants('workspaces') || wants('workspaces-memory')) {
    const { msEach, memory } = await thousand('sandbox', await startSandbox(':memory:'))
    report('workspaces', msEach)
    report('workspaces-memory', memory)
  }
  if (!wants('floor-workspaces') && !wants('floor-workspaces-memory')) return
  const { msEach, memory } = await thousand('floor', await startProgram([here('floor/workspaces.mjs')]))
  report('floor-workspaces', msEach)
  report('floor-workspaces-memory', memory)
}

async function thousand(kind, server) {
  let counter = 0
  const several = async (count) => {
    let left = count
    const worker = async () => {
      while (left-- > 0) await one(server.base, `bench-${++counter}`)
    }
    await Promise.all(Array.from({ length: sideBySide }, worker))
  }
  await several(100)
  const beforeMb = server.memoryMb()
  const startedMs = performance.now()
  const beforeCpuMs = server.cpuMs()
  await several(1000)
  const ms = performance.now() - startedMs
  const cpuMs = (server.cpuMs() - beforeCpuMs) / 1000
  const afterMb = server.memoryMb()
  console.log(
    `1,000 workspaces (${kind}): ${ms.toFixed(0)} ms, ${cpuMs.toFixed(2)} ms of CPU each, ${beforeMb.toFixed(0)} MB before, ${afterMb.toFixed(0)} MB after`,
  )
  await server.stop()
  return { msEach: ms / 1000, memory: afterMb / beforeMb }
}

async function one(base, name) {
  const { base_url, accounts } = await ask(`${base}/_sandbox/workspaces`, 'POST', { name })
  const headers = await bearerOf(base_url, accounts[0].credentials[0])
  await ask(`${base_url}/v2/transactions/cashin`, 'POST', JSON.parse(charge()), headers)
  await ask(`${base}/_sandbox/workspaces/${name}`, 'DELETE')
}
