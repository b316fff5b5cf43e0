/** A store that fails for a while in one process: webhooks are recorded later, and none is sent twice. */

import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { deliveryState } from '../../src/core/delivery/queue.js'
import { openClient } from '../support/client.js'
import { deliveriesOf, named } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { breakStatement, fillStoreAfter, refusals, setStore, watchWrites } from '../support/failing-store.js'
import { temporaryFolder } from '../support/folder.js'
import { gate } from '../support/gate.js'
import type { Body } from '../support/http.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'

let stopWatching = () => {}
beforeAll(() => {
  stopWatching = watchWrites()
})
afterEach(() => {
  setStore('free')
  breakStatement(null)
})
afterAll(() => stopWatching())

/** Returns the events about the sandbox itself in its stream. */
function tellingOf({ bus }: Awaited<ReturnType<typeof openSandbox>>['workspace']): Body[] {
  const reported: Body[] = []
  bus.subscribe((change) => {
    if (change.type === 'workspace') reported.push(change)
  })
  return reported
}

test('webhooks that are answered while the store is full are recorded later, each with its one attempt', async () => {
  const answered = gate()
  const posts = await openReceiver(() => ({ until: answered.opened }))
  const { url, workspace } = await openSandbox({ clock: 'manual', webhookUrl: posts.url, rateLimits: false })
  const sandbox = await deliveriesOf(url)
  // More webhooks than are sent at a time, all at one moment.
  const names = named('order', 520)
  await sandbox.charge(names)
  const waiting = sandbox.ask('POST', '/clock/advance', { by: '30d' })
  const { inFlight, waiters } = workspace.memory.of(deliveryState)
  await eventually(
    async () => [inFlight.size, waiters.size],
    ([sent, waited]) => sent === names.length && waited === 1,
  )
  setStore('full')
  answered.open()
  // Callers who wait for the deliveries get an error, because the attempts cannot be stored.
  expect((await waiting).status).toBe(503)
  await eventually(
    async () => posts.all.length,
    (sent) => sent === names.length,
  )
  setStore('free')
  // The clock has not moved, and continues.
  await sandbox.advance({ by: 0 })
  const { data } = await sandbox.call('GET', '/webhooks?limit=500')
  expect(data).toHaveLength(500)
  expect(data.filter(({ status, attempts }: Body) => status !== 'delivered' || attempts !== 1)).toEqual([])
  expect((await sandbox.event(names[0] ?? '')).attempts).toMatchObject([{ outcome: 'ok' }])
  expect(posts.all).toHaveLength(names.length)
})

test.each([
  ['result cannot be stored', 'insert into attempts', 'workspace'],
  ['earlier attempts cannot be read', 'select at_ms as atMs from attempts', 'event'],
])('a webhook whose %s is reported, and no caller waits for it', async (_case, statement, of) => {
  const posts = await openReceiver()
  const { url, workspace } = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const reported = tellingOf(workspace)
  const sandbox = await deliveriesOf(url)
  breakStatement(statement)
  await sandbox.pay(['order'])
  expect(await sandbox.advance({ by: 0 })).toMatchObject({ complete: true })
  const { id } = await sandbox.event('order')
  expect(reported).toMatchObject([
    { status: 'delivery_failed', id: of === 'event' ? id : 'default', message: 'broken by the test' },
  ])
  breakStatement(null)
  // The next one works.
  await sandbox.pay(['later'])
  await sandbox.advance({ by: 0 })
  expect((await sandbox.event('later')).status).toBe('delivered')
})

test('a failing job is reported, rolled back, and delays none behind it', async () => {
  const { url, workspace } = await openSandbox({ clock: 'manual', cashoutSettleMs: 1000 })
  const reported = tellingOf(workspace)
  const sandbox = await deliveriesOf(url)
  const api = await openClient(url)
  await api.charge({ external_id: 'charge' })
  await api.withdraw('payout')
  const before = await api.balance('BRL')
  // Only a settled withdrawal counts money, after it has reduced the pending balance.
  breakStatement('insert into activity')
  expect((await sandbox.ask('POST', '/clock/advance', { by: '1h' })).status).toBe(200)
  breakStatement(null)
  const [charge, payout] = await Promise.all(
    ['charge', 'payout'].map(async (name) => (await sandbox.call('GET', `/transactions?external_id=${name}`)).data[0]),
  )
  expect([charge.status, payout.status]).toEqual(['expired', 'pending'])
  expect(await (await openClient(url)).balance('BRL')).toEqual(before)
  expect(reported).toEqual([
    {
      type: 'workspace',
      id: payout.transaction_id,
      status: 'job_failed',
      job: 'settle',
      message: 'broken by the test',
    },
  ])
  expect((await sandbox.call('GET', '/ledger')).balanced).toBe(true)
})

test('rows of a damaged database that cannot be read are rejected, and everything else continues', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const posts = await openReceiver()
  const first = await openSandbox({ webhookUrl: posts.url }, { db })
  await (await deliveriesOf(first.url)).pay(named('order', 2))
  await first.close()
  const { url, workspace } = await openSandbox({ webhookUrl: posts.url }, { db })
  const sandbox = await deliveriesOf(url)
  // A sector of zeros within a text, which SQLite's integrity check does not notice.
  const zeros = (column: string) => `${column} = substr(${column}, 1, 9) || cast(zeroblob(20) as text)`
  workspace.db.exec(`update requests set ${zeros('entry')}`)
  workspace.db.exec(`update transactions set ${zeros('detail')} where external_id = 'order-0000'`)
  workspace.db.exec(`update events set ${zeros('body')} where external_id = 'order-0000'`)
  const refused = { code: 'SERVICE_UNAVAILABLE', details: { reason: expect.stringContaining('damaged') } }
  for (const path of ['/requests', '/transactions', '/transactions/order-0000', '/webhooks']) {
    const { status, body } = await sandbox.ask('GET', path)
    expect([path, status, body.error]).toEqual([path, 503, expect.objectContaining(refused)])
  }
  expect((await sandbox.ask('GET', '/transactions/order-0001')).status).toBe(200)
  await sandbox.pay(['later'])
  await sandbox.eventOnce('later', ({ status }) => status === 'delivered')
  expect((await sandbox.call('GET', '/ledger')).balanced).toBe(true)
})

test('due jobs are retried while the store is full, and each refusal is reported once', async () => {
  const { url, workspace } = await openSandbox({ cashoutSettleMs: 100 })
  const reported = tellingOf(workspace)
  const sandbox = await deliveriesOf(url)
  const api = await openClient(url)
  for (const name of ['first', 'second']) {
    const [before, refused] = [reported.length, refusals()]
    // The store is full from the commit on, so that the withdrawal cannot settle before.
    const stop = workspace.bus.subscribe(({ type }) => {
      if (type === 'transaction') setStore('full')
    })
    await api.withdraw(name)
    stop()
    await eventually(
      async () => reported.length,
      (count) => count > before,
    )
    const once = refusals() - refused
    // It is retried each second, without another report.
    await eventually(
      async () => refusals() - refused,
      (count) => count >= 3 * once,
    )
    setStore('free')
    await eventually(
      () => sandbox.call('GET', `/transactions?external_id=${name}`),
      ({ data }) => data[0].status === 'confirmed',
    )
    expect(reported.slice(before)).toEqual([{ type: 'workspace', id: 'default', status: 'store_unavailable' }])
  }
})

test('a clock change that cannot be stored does not happen', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const sandbox = await deliveriesOf(url)
  const before = await sandbox.call('GET', '/clock')
  setStore('full')
  expect((await sandbox.ask('PUT', '/clock', { mode: 'realtime' })).status).toBe(503)
  setStore('free')
  expect(await sandbox.call('GET', '/clock')).toEqual(before)
})

test('time that cannot be stored does not pass: the clock stays at the last stored moment', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const sandbox = await deliveriesOf(url)
  const statusOf = async (id: string) => (await sandbox.call('GET', `/transactions/${id}`)).status
  const seen = new Set<string>()
  for (let spared = 0; !seen.has('200 expired'); spared++) {
    const id = await (await openClient(url)).charge()
    const startMs = await sandbox.now()
    // The store is full after this many more writes.
    fillStoreAfter(spared)
    const { status } = await sandbox.ask('POST', '/clock/advance', { by: '1h' })
    setStore('free')
    const passedMs = (await sandbox.now()) - startMs
    const now = await statusOf(id)
    seen.add(`${status} ${now}`)
    expect([spared, passedMs]).toEqual([spared, now === 'expired' ? 3_600_000 : 0])
    await sandbox.advance({ until: 'idle' })
  }
  expect([...seen]).toEqual(['503 pending', '503 expired', '200 expired'])
})
