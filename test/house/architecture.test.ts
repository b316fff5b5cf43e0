/** The files that a charge and an event go through, measured while they do; docs/architecture.md lists them in order. */
import { existsSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { RunningSandbox } from '../../src/runtime/node/sandbox.js'
import { type Api, openClient } from '../support/client.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'

const root = join(import.meta.dirname, '../..')

/** Files of `src` that run a named function during `work`; without `base`, which holds pure values. */
async function filesRunBy(session: Session, work: () => Promise<void>): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ functions }) => functions.some((one) => one.functionName !== '' && (one.ranges[0]?.count ?? 0) > 0))
    .flatMap(({ url }) => /\/(src\/(?!base\/)[^?]+)/.exec(url)?.[1] ?? [])
}

/**
 * The files that all runs of `work` have in common, so that background work does not count: a sandbox of an earlier test file
 * can still read its scenarios ahead, one in each turn of the event loop. `prepare` is not measured.
 */
async function commonFiles(times: number, work: () => Promise<void>, prepare = async () => {}): Promise<string[]> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const runs: string[][] = []
    while (runs.length < times) {
      await prepare()
      runs.push(await filesRunBy(session, work))
    }
    const [first = [], ...others] = runs
    return first.filter((path) => others.every((run) => run.includes(path))).sort()
  } finally {
    session.disconnect()
  }
}

function listedUnder(heading: string): string[] {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^\d+\. `(src\/[^`]+)`/gm)].flatMap(([, path]) => path ?? [])
}

/** The driver that the page names. */
const databaseDriver = 'better-sqlite3'

async function charge(api: Api): Promise<void> {
  const answer = await api.cashin({ amount: 25.5, currency: 'BRL' })
  expect(answer.status, answer.text).toBe(200)
}

/** Returns a function that waits for the next webhook whose delivery is recorded. */
function deliveriesOf(sandbox: RunningSandbox): () => Promise<void> {
  const waiting: (() => void)[] = []
  sandbox.workspace.bus.subscribe(({ type, status }) => {
    if (type === 'webhook' && status === 'delivered') waiting.shift()?.()
  })
  return () => new Promise((resolve) => void waiting.push(resolve))
}

test('docs/architecture.md lists the files that a charge goes through, at most 20', async () => {
  const sandbox = await openSandbox({}, { databaseDriver })
  const api = await openClient(sandbox.url)
  for (let warm = 0; warm < 5; warm += 1) await charge(api)
  const listed = listedUnder('The path of a charge')
  expect(await commonFiles(100, () => charge(api))).toEqual(listed.toSorted())
  expect(listed.length).toBeLessThanOrEqual(20)
})

test('docs/architecture.md lists the files that an event goes through, from the job that is due to the record of the delivery', async () => {
  const receiver = await openReceiver()
  // Long enough that no charge expires before it is watched, even if this process stands still meanwhile.
  const sandbox = await openSandbox({ webhookUrl: receiver.url, pixChargeLifeMs: 4500 }, { databaseDriver })
  const api = await openClient(sandbox.url)
  const delivered = deliveriesOf(sandbox)
  let isDelivered = Promise.resolve()
  const expiring = async () => {
    isDelivered = delivered()
    await charge(api)
    // What the call does after its response does not count, nor the end of its connection after a second without a call.
    await pause(1500)
  }
  await expiring()
  await isDelivered
  const listed = listedUnder('The path of an event')
  const files = await commonFiles(3, () => isDelivered, expiring)
  // On a busy machine the connection is idle for more than a second between two events, so each opens a new one.
  expect(files.filter((path) => path !== 'src/runtime/node/send/connect.ts')).toEqual(listed.toSorted())
  expect(listed.length).toBeLessThanOrEqual(20)
})

test('the map of the concepts has at most eighteen, each with the file where it begins', () => {
  const [, map = ''] = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('## Concepts')
  const rows = [...(map.split('\n## ')[0] ?? '').matchAll(/^\| ([a-z ]+) \| .* \| `([\w./-]+)` \|$/gm)]
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.length).toBeLessThanOrEqual(18)
  expect(rows.filter(([, , file = '']) => !existsSync(join(root, 'src', file))).map(([row]) => row)).toEqual([])
})
