/** Many workspaces of which few are busy, on files and in Durable Objects: memory, responses, deadlines and restarts. `npm run torture -- --only tenants` runs it. */
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildWorkers } from '../scripts/build-workers.mjs'
import { startWorkerd } from '../scripts/workerd.mjs'
import { rawRequest } from './load.mjs'
import { openConnections } from './paced.mjs'
import { cpuMsOf, memoryMbOf, startProgram } from './process.mjs'
import { ask, bearerOf, callsWith, charge, inFolder, program } from './sandbox.mjs'

const callsPerSecond = 200
const loadSeconds = 60
/** Disputes are opened before the restarts, and reach their deadlines one after the other while the load runs. */
const deadlineGraceMs = 5000
const windowMs = 7 * 86_400_000
const loadAfterSeconds = 90

/** Records when each dispute was confirmed: its webhook is sent at the deadline. */
async function openDisputeReceiver() {
  const confirmedAtMs = new Map()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      const { event, data } = JSON.parse(text)
      if (event === 'chargeback.confirmed') confirmedAtMs.set(data.infraction_id, Date.now())
      response.end()
    })
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  return { confirmedAtMs, url: `http://127.0.0.1:${server.address().port}/hook`, close: () => server.close() }
}

async function inParallel(count, work) {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]
const rounded = (value) => Math.round(value * 10) / 10

/** Objects in memory, because where they are hosted they do not wait for a disk of this machine. */
const parentOf = (host) => (host === 'workerd' && existsSync('/dev/shm') ? '/dev/shm' : undefined)

const hosts = {
  node(folder, webhookUrl) {
    const flags = ['--db', join(folder, 'tenants.db'), '--no-rate-limits', '--webhook-url', webhookUrl]
    return startProgram([program, 'start', '--port', '0', '--json', ...flags])
  },
  async workerd(storage, webhookUrl) {
    await buildWorkers()
    const variables = {
      PAYMENTS_SANDBOX_LOCAL: 'true',
      PAYMENTS_SANDBOX_NO_RATE_LIMITS: '1',
      PAYMENTS_SANDBOX_WEBHOOK_URL: webhookUrl,
    }
    const { url, child, stop } = await startWorkerd({ storage, variables })
    return { base: url, memoryMb: () => memoryMbOf(child), cpuMs: () => cpuMsOf(child), stop }
  },
}

/** `count` workspaces with the one of the operator, each of the others used once; every tenth has a dispute, and `busy` of them get calls. `host` is a key of `hosts`. */
export const manyTenants = (count, busy, host = 'node') =>
  inFolder(async (folder) => {
    const receiver = await openDisputeReceiver()
    const start = () => hosts[host](folder, receiver.url)
    let sandbox = await start()
    const createdMs = performance.now()
    const credentials = []
    await inParallel(count - 1, async (at) => {
      const { base_url, accounts } = await ask(`${sandbox.base}/_sandbox/workspaces`, 'POST', { name: `t${at}` })
      credentials[at] = accounts[0].credentials[0]
      const headers = await bearerOf(base_url, credentials[at])
      await ask(`${base_url}/v2/transactions/cashin`, 'POST', JSON.parse(charge()), headers)
    })
    const figures = { workspaces: count, host, busy, createEachMs: rounded((performance.now() - createdMs) / count) }
    figures.createdMb = Math.round(sandbox.memoryMb())
    const deadlines = new Map()
    const openedMs = performance.now()
    await inParallel(count / 10, async (at) => {
      const url = `${sandbox.base}/w/t${at * 10}/_sandbox`
      const { object } = await ask(`${url}/trigger`, 'POST', { action: 'dispute.open', create: true })
      const deadlineMs = openedMs + 1000 * (loadAfterSeconds + (loadSeconds * at * 10) / count) - performance.now()
      const { now } = await ask(`${url}/clock/advance`, 'POST', { by: `${Math.round(windowMs - deadlineMs)}ms` })
      deadlines.set(object.infraction_id, Date.now() + Date.parse(object.deadline_at) - Date.parse(now))
    })
    // A killed sandbox, and one that was stopped. A local workerd loses its alarms when it ends, so it runs on.
    for (const [name, signal] of Object.entries({ afterKillMs: 'SIGKILL', afterStopMs: 'SIGTERM' })) {
      figures[name] = null
      if (host === 'workerd') continue
      await sandbox.stop(signal)
      sandbox = await start()
      figures[name] = Math.round(sandbox.readyMs)
    }
    await pause(Math.max(0, loadAfterSeconds * 1000 - (performance.now() - openedMs)))
    figures.idleMb = Math.round(sandbox.memoryMb())
    const cpuMs = sandbox.cpuMs()
    const tookMs = await load(sandbox.base, credentials, busy)
    figures.cpuShare = rounded((sandbox.cpuMs() - cpuMs) / loadSeconds / 1000)
    figures.busyMb = Math.round(sandbox.memoryMb())
    for (const share of [0.5, 0.99]) figures[`p${share * 100} in ms`] = rounded(percentile(tookMs, share))
    await pause(deadlineGraceMs)
    const lateMs = [...deadlines].map(([id, atMs]) => (receiver.confirmedAtMs.get(id) ?? Infinity) - atMs)
    figures.deadlines = lateMs.length
    figures.missed = lateMs.filter((ms) => ms === Infinity).length
    figures.latestMs = Math.max(...lateMs.filter(Number.isFinite))
    await sandbox.stop()
    receiver.close()
    return figures
  }, parentOf(host))

/** Creates charges, pays others and reads balances, in turn in each of the busy workspaces. */
async function load(base, credentials, busy) {
  const tenants = []
  for (let index = 0; index < busy; index++) {
    const at = Math.floor((index * credentials.length) / busy)
    const own = `${base}/w/t${at}`
    tenants.push({ own, ...callsWith(own, await bearerOf(own, credentials[at]), credentials[at].signing_key) })
  }
  const steps = [
    ({ cashin }) => cashin(),
    ({ own }) => rawRequest(own, 'POST', '/_sandbox/trigger', {}, '{"action":"cashin.pay","create":true}'),
    ({ balance }) => balance(),
  ]
  const requests = Array.from({ length: callsPerSecond * loadSeconds }, (_, at) =>
    steps[Math.floor(at / busy) % steps.length](tenants[at % busy]),
  )
  return openConnections(base, 50).pace(requests, callsPerSecond)
}
