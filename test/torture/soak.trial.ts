/** An hour of mixed calls at an even pace, with webhooks, streams, resets, every feature and short-lived workspaces: memory does not grow, and responses stay fast. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { compareRoutes } from '../../src/features/compare/routes.js'
import { built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { note } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { type Running, startForTest, withoutProgress } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'
import { openPace } from '../support/soak/pace.js'

const minutes = Number(process.env.TORTURE_MINUTES ?? 60)
const perSecond = Number(process.env.SOAK_RATE ?? 300)
const streams = 100

interface Resources {
  heapMb: number
  rssMb: number
  resources: Record<string, number>
  listeners: number
  cpuMs: number
  descriptors: number
}

async function resourcesOf({ child }: Running): Promise<Resources> {
  child.send('')
  const [reported] = await once(child, 'message')
  return { ...reported, descriptors: readdirSync(`/proc/${child.pid}/fd`).length }
}

function openStreams(url: string) {
  const script = join(import.meta.dirname, '../support/soak/streams.mjs')
  const child = spawn(process.execPath, [script, url, String(streams)], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  let changes = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    changes = Number(text.trim().split('\n').at(-1))
  })
  const close = async () => {
    child.kill()
    await once(child, 'close')
  }
  return { changes: () => changes, isOpen: () => child.exitCode === null, close }
}

const toolCall = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'trigger', arguments: { action: 'cashin.pay', create: true } },
}

/** Creates, uses, saves, restores and deletes workspaces, and uses each feature in them, until `isOver`. */
async function useWorkspaces(url: string, isOver: () => boolean): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    const name = `visitor-${round % 7}`
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await control(path.startsWith('/workspaces') ? url : `${url}/w/${name}`)(method, path, body)
      if (answer.status >= 300) throw new Error(`${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    await call('POST', '/workspaces', { name })
    const { object } = await call('POST', '/trigger', { action: 'cashin.pay', create: true })
    await call('POST', '/certify/books', {
      entries: [{ type: 'charge', amount: '25.00', currency: 'BRL', transaction_id: object.transaction_id }],
    })
    await call('POST', '/compare', compareRoutes.compare.example)
    await call('POST', '/mcp', toolCall)
    if (round % 10 === 0) await call('POST', '/certify/receiver', { url: `${url}/w/${name}/_sandbox/inbox/certified` })
    await call('POST', '/snapshots', { name: 'kept' })
    await call('POST', '/clock/advance', { by: '1h' })
    await call('POST', '/snapshots/kept/restore')
    await call('POST', '/reset')
    await call('DELETE', `/workspaces/${name}`)
    await pause(2000)
  }
}

const percentile = (numbers: readonly number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0

/** The growth in megabytes a minute, by least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const above = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  return above / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
}

test(`a sandbox leaks nothing and stays fast in ${minutes} minutes at ${perSecond} calls a second`, async () => {
  await built()
  const posts = await openReceiver()
  const inside = join(import.meta.dirname, '../support/soak/inside.mjs')
  const args = ['--db', join(temporaryFolder(), 'sandbox.db'), '--no-rate-limits', '--webhook-url', posts.url]
  const sandbox = await startForTest(args, { ipc: true, env: { NODE_OPTIONS: `--import ${inside}` } })
  const { url } = sandbox
  await control(url)('POST', '/trigger', { action: 'cashin.pay', create: true })
  await control(url)('POST', '/reset')
  await pause(7000)
  const before = await resourcesOf(sandbox)

  let isOver = false
  const watching = openStreams(url)
  const visitors = useWorkspaces(url, () => isOver)
  const samples: Resources[] = []
  const slow: number[] = []
  const faults: string[] = []
  let calls = 0
  for (let minute = 1; minute <= minutes; minute++) {
    const { bearer } = await openClient(url)
    const pace = openPace(url, bearer)
    const took = await pace.run(perSecond, 57)
    await pace.close()
    await control(url)('POST', '/clock/advance', { until: 'idle' })
    await control(url)('POST', '/reset')
    faults.push(...pace.faults)
    calls += took.length
    slow.push(percentile(took, 0.99))
    samples.push(await resourcesOf(sandbox))
    const now = samples.at(-1) ?? before
    note(
      `soak: minute ${minute}: ${took.length} calls, p50 ${percentile(took, 0.5).toFixed(1)} ms, p99 ${slow.at(-1)?.toFixed(1)} ms, heap ${now.heapMb.toFixed(1)} MB, rss ${now.rssMb.toFixed()} MB, ${now.descriptors} descriptors, ${posts.all.splice(0).length} webhooks, ${watching.changes()} changes seen, ${(now.cpuMs / 1000).toFixed()} s of CPU`,
    )
  }
  expect(watching.isOpen()).toBe(true)
  isOver = true
  await visitors
  await watching.close()
  // Idle keep-alive connections close after their timeout. The two figures are read one after the other, so they may close in between.
  let after = await resourcesOf(sandbox)
  const isQuiet = () => after.descriptors <= before.descriptors && isDeepStrictEqual(after.resources, before.resources)
  for (let waited = 0; waited < 90 && !isQuiet(); waited += 5) {
    await pause(5000)
    after = await resourcesOf(sandbox)
  }
  const growth = slopeOf(samples.slice(Math.min(3, samples.length - 2)).map(({ heapMb }) => heapMb))
  note(
    `soak: ${calls} calls in ${minutes} minutes; heap grows by ${growth.toFixed(3)} MB a minute; descriptors ${before.descriptors} → ${after.descriptors}, resources ${JSON.stringify(before.resources)} → ${JSON.stringify(after.resources)}, listeners ${before.listeners} → ${after.listeners}; p99 of a minute ${slow[0]?.toFixed(1)} ms at first, ${Math.max(...slow).toFixed(1)} ms at most`,
  )
  expect(faults.slice(0, 10)).toEqual([])
  expect(growth).toBeLessThan(0.2)
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors)
  expect(after.resources).toEqual(before.resources)
  expect(after.listeners).toBe(before.listeners)
  // The machine may delay single minutes, so the typical minutes at the beginning and at the end are compared.
  const third = Math.max(1, Math.floor(slow.length / 3))
  expect(percentile(slow.slice(-third), 0.5)).toBeLessThan(2 * percentile(slow.slice(0, third), 0.5))
  const worked = samples.map(({ cpuMs }, at) => cpuMs - (samples[at - 1] ?? before).cpuMs)
  expect(percentile(worked.slice(-third), 0.5)).toBeLessThan(1.5 * percentile(worked.slice(0, third), 0.5))
  expect((await control(url)('GET', '/ledger')).body.balanced).toBe(true)
  expect(withoutProgress(sandbox.errors())).toBe('')
})
