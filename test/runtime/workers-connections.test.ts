/** Webhooks of a workspace under workerd: at most six connections, shared among receivers, and long advances in several invocations. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildWorkers } from '../../scripts/build-workers.mjs'
import { startWorkerd } from '../../scripts/workerd.mjs'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { gate } from '../support/gate.js'
import { closeAfter } from '../support/hooks.js'
import { type Body, control } from '../support/http.js'
import { openReceiver, type Receiver } from '../support/receiver.js'

const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-worker-'))
const worker = join(folder, 'worker.js')
beforeAll(() => buildWorkers({ entry: 'test/support/counting-worker.ts', outfile: worker }))
afterAll(() => rmSync(folder, { recursive: true }))

async function deploy(variables: Record<string, unknown> = {}) {
  const { url, stop } = await startWorkerd({
    storage: temporaryFolder(),
    variables: { PAYMENTS_SANDBOX_LOCAL: 'true', PAYMENTS_SANDBOX_RATE_LIMITS: 'false', ...variables },
    worker,
  })
  closeAfter(() => stop('SIGKILL'))
  const call = control(url)
  return {
    call,
    api: await openClient(url),
    alarms: async () => Number(await (await fetch(`${url}/_sandbox/health`, { headers: { 'x-alarms': '1' } })).text()),
    events: async (): Promise<Body[]> => (await call('GET', '/webhooks?limit=100')).body.data,
  }
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

test('a workspace sends at most six webhooks at a time, at most three to one receiver, and every receiver gets its turn', async () => {
  const { call, api } = await deploy()
  const release = gate()
  const receivers = await Promise.all(times(4).map(() => openReceiver(() => ({ until: release.opened }))))
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, sum(receivers.map(({ open }) => open)))
  }, 1)
  closeAfter(() => clearInterval(watch))
  await call('PUT', '/clock', { mode: 'manual' })
  for (const [at, { url }] of receivers.entries())
    for (let count = 0; count < 5; count++) {
      const id = await api.charge({ external_id: `${at}-${count}`, postback_url: `${url}/${count}` })
      await call('POST', '/trigger', { action: 'cashin.pay', id })
    }
  await eventually(
    async () => sum(receivers.map(({ open }) => open)),
    (open) => open === 6,
  )
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(receivers.map(({ open }) => open)).toEqual([3, 2, 1, 0])
  release.open()
  await eventually(
    async () => sum(receivers.map(({ all }) => all.length)),
    (count) => count === 20,
  )
  expect(most).toBe(6)
  expect(Math.max(...receivers.map(({ mostOpen }) => mostOpen))).toBe(3)
})

test('a webhook that waits for a connection has its ten seconds from the moment it is sent', async () => {
  const { call, api, events } = await deploy()
  // Twice this is more than ten seconds, and once this leaves a busy machine as much time as possible.
  const slow = () => openReceiver(() => ({ delayMs: 5200 }))
  const receivers: Receiver[] = await Promise.all(times(7).map(slow))
  const ids = await Promise.all(receivers.map(({ url }) => api.charge({ postback_url: url })))
  await Promise.all(ids.map((id) => call('POST', '/trigger', { action: 'cashin.pay', id })))
  const all = await eventually(events, (data) => data.length === 7 && data.every(({ attempts }) => attempts > 0))
  expect(all.map(({ status }) => status)).toEqual(times(7).map(() => 'delivered'))
  const details = await Promise.all(all.map(async ({ id }) => (await call('GET', `/webhooks/${id}`)).body.attempts[0]))
  const [last = 0, ...others] = receivers.map(({ all: [post] }) => post?.atMs ?? 0).toSorted((a, b) => b - a)
  expect(last - Math.max(...others), 'the seventh waited for one of the others').toBeGreaterThan(5000)
  for (const { duration_ms } of details) expect(duration_ms).toBeLessThan(10_000)
})

test('a long advance continues after its response, split over several alarms, and loses nothing', async () => {
  const { call, api, alarms, events } = await deploy()
  const posts = await openReceiver(() => ({ delayMs: 20 }))
  await call('PUT', '/clock', { mode: 'manual' })
  for (const at of times(90)) await api.charge({ external_id: `n${at}`, postback_url: posts.url })
  const before = await alarms()
  const { body } = await call('POST', '/clock/advance', { by: '2h', wait: '100ms' })
  expect(body.complete).toBe(false)
  await eventually(
    async () => (await call('GET', '/clock')).body,
    ({ advancing }) => advancing === null,
  )
  expect(posts.externalIds().toSorted()).toEqual(
    times(90)
      .map((at) => `n${at}`)
      .toSorted(),
  )
  expect((await events()).every(({ status, attempts }) => status === 'delivered' && attempts === 1)).toBe(true)
  // 90 webhooks with 40 for each invocation: the call and at least two alarms.
  expect((await alarms()) - before).toBeGreaterThanOrEqual(2)
  expect((await call('GET', '/ledger')).body.balanced).toBe(true)
})
