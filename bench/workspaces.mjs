/** A thousand workspaces, each made, used and dropped: what one takes, and whether the memory comes back. */
import { ask, bearerOf, charge, startSandbox } from './sandbox.mjs'

const sideBySide = 8

export async function measure(_wants, report) {
  const sandbox = await startSandbox(':memory:')
  let made = 0
  const several = async (count) => {
    let left = count
    const worker = async () => {
      while (left-- > 0) await one(sandbox.base, `bench-${++made}`)
    }
    await Promise.all(Array.from({ length: sideBySide }, worker))
  }
  await several(100)
  const beforeMb = sandbox.memoryMb()
  const startedMs = performance.now()
  const beforeCpuMs = sandbox.cpuMs()
  await several(1000)
  const ms = performance.now() - startedMs
  const cpuMs = (sandbox.cpuMs() - beforeCpuMs) / 1000
  const afterMb = sandbox.memoryMb()
  console.log(
    `1,000 workspaces: ${ms.toFixed(0)} ms, ${cpuMs.toFixed(2)} ms of the server's CPU each, ${beforeMb.toFixed(0)} MB before, ${afterMb.toFixed(0)} MB after`,
  )
  report('workspaces', ms / 1000)
  report('workspaces-memory', afterMb / beforeMb)
  await sandbox.stop()
}

async function one(base, name) {
  const { base_url, accounts } = await ask(`${base}/_sandbox/workspaces`, 'POST', { name })
  const headers = await bearerOf(base_url, accounts[0].credentials[0])
  await ask(`${base_url}/v2/transactions/cashin`, 'POST', JSON.parse(charge()), headers)
  await ask(`${base}/_sandbox/workspaces/${name}`, 'DELETE')
}
