/** Snapshots of the whole workspace, including clock and queue, in memory and on a file. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'
import { onWorkers } from '../support/workers.js'

/** Starts a receiver whose responses wait until the test releases them. */
async function receiver(hold = false) {
  const held: ServerResponse[] = []
  const ids: string[] = []
  const server = createServer((request, response) => {
    ids.push(String(request.headers['x-webhook-id']))
    request.resume()
    if (hold) held.push(response)
    else response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, ids, held, release: () => held.splice(0).forEach((response) => void response.end('ok')) }
}

const places = [
  { place: 'in memory', database: () => ':memory:' },
  { place: 'on a file', database: () => join(temporaryFolder(), 'sandbox.db') },
].slice(onWorkers ? 1 : 0)

describe.each(places)('$place', ({ database }) => {
  test('a snapshot restores balances, objects, tokens, queue and clock, as often as requested', async () => {
    const { url } = await openSandbox({ clock: 'manual' }, { db: database() })
    const call = control(url)
    const api = await openClient(url)
    const charge = await api.charge({ external_id: 'before' })
    const before = (await call('GET', '/clock')).body
    const saved = await call('POST', '/snapshots', { name: 'base' })
    expect(saved.body).toMatchObject({ name: 'base', clock: { now: before.now, mode: 'manual' } })

    for (let round = 0; round < 3; round++) {
      await call('POST', '/trigger', { action: 'cashin.pay', id: charge })
      await api.charge({ external_id: 'after' })
      await call('POST', '/clock/advance', { by: '2d' })
      await call('PUT', '/clock', { mode: 'realtime' })
      expect((await call('POST', '/snapshots/base/restore')).status).toBe(200)

      expect((await call('GET', '/clock')).body).toEqual(before)
      expect((await api.get('/v2/account/balance')).status).toBe(200)
      expect((await call('GET', `/transactions/${charge}`)).body.status).toBe('pending')
      expect((await call('GET', '/transactions')).body.data).toHaveLength(1)
      expect((await call('GET', '/webhooks')).body.data).toEqual([])
      expect((await call('GET', '/ledger')).body.balanced).toBe(true)
    }
    const { body } = await call('POST', '/clock/advance', { by: '1d' })
    expect(body.ran).toMatchObject([{ job: 'expire', id: charge }])
  })

  test('real time continues from the moment of the snapshot', async () => {
    const { url } = await openSandbox({ clock: 'realtime' }, { db: database() })
    const call = control(url)
    await call('POST', '/clock/advance', { by: '1h' })
    const before = Date.parse((await call('GET', '/clock')).body.now)
    await call('POST', '/snapshots', { name: 'base' })
    await call('POST', '/clock/advance', { by: '100d' })
    await call('POST', '/snapshots/base/restore')
    const after = (await call('GET', '/clock')).body
    expect(after.mode).toBe('realtime')
    expect(Date.parse(after.now) - before).toBeGreaterThanOrEqual(0)
    expect(Date.parse(after.now) - before).toBeLessThan(60_000)
    await eventually(
      async () => Date.parse((await call('GET', '/clock')).body.now),
      (now) => now > Date.parse(after.now),
    )
  })

  test('a delivery in flight changes nothing in the restored state, and the one in the snapshot is sent again', async () => {
    const { url } = await openSandbox({}, { db: database() })
    const call = control(url)
    const slow = await receiver(true)
    await call('PATCH', `/credentials/${secretsOf('merchant').clientId}`, { postback_url: slow.url })
    const api = await openClient(url)
    const inSnapshot = await api.charge()
    await call('POST', '/trigger', { action: 'cashin.pay', id: inSnapshot })
    await eventually(
      async () => slow.held.length,
      (count) => count === 1,
    )
    await call('POST', '/snapshots', { name: 'on-the-wire' })
    const later = await api.charge()
    await call('POST', '/trigger', { action: 'cashin.pay', id: later })
    await eventually(
      async () => slow.held.length,
      (count) => count === 2,
    )

    await call('POST', '/snapshots/on-the-wire/restore')
    await eventually(
      async () => slow.held.length,
      (count) => count === 3,
    )
    const [first, , again] = slow.ids
    expect(again).toBe(first)
    slow.held.splice(0, 2).forEach((response) => void response.end('ok'))
    // Both responses arrive before the next unit of work.
    await call('GET', '/health')
    await eventually(
      async () => slow.held.length,
      (count) => count === 1,
    )
    expect((await call('GET', `/webhooks/${first}`)).body).toMatchObject({ status: 'pending', attempts: [] })
    slow.release()
    const settled = await eventually(
      () => call('GET', `/webhooks/${first}`),
      ({ body }) => body.status === 'delivered',
    )
    expect(settled.body.attempts).toHaveLength(1)
    expect((await call('GET', '/webhooks')).body.data).toHaveLength(1)
  })

  test('under load every response is correct, before or after the restore, and the ledger balances', async () => {
    const { url } = await openSandbox({ rateLimits: false }, { db: database() })
    const call = control(url)
    const api = await openClient(url)
    await call('POST', '/snapshots', { name: 'base' })
    const signedCall = () =>
      api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 1, currency: 'BRL' })
    const traffic = Array.from({ length: 150 }, (_, at) =>
      at % 3 === 0
        ? signedCall()
        : api.post('/v2/transactions/cashin', { amount: 5, currency: 'BRL', external_id: `x${at % 40}` }),
    )
    const restores = Array.from({ length: 5 }, () => call('POST', '/snapshots/base/restore'))
    for (const { status } of await Promise.all([...restores, ...traffic])) expect([200, 409]).toContain(status)
    expect((await call('GET', '/ledger')).body.balanced).toBe(true)
    await call('POST', '/snapshots/base/restore')
    expect((await call('GET', '/transactions')).body.data).toEqual([])
  })

  test('a restore ends an advance in progress, which then leaves the clock unchanged', async () => {
    const { url } = await openSandbox({ clock: 'manual' }, { db: database() })
    const call = control(url)
    const slow = await receiver(true)
    await call('PATCH', `/credentials/${secretsOf('merchant').clientId}`, { postback_url: slow.url })
    const api = await openClient(url)
    await call('POST', '/snapshots', { name: 'base' })
    const before = (await call('GET', '/clock')).body
    await api.charge()
    const walk = call('POST', '/clock/advance', { by: '30d' })
    await eventually(
      async () => slow.held.length,
      (count) => count === 1,
    )
    await call('POST', '/snapshots/base/restore')
    expect((await walk).body.now).toBe(before.now)
    expect((await call('GET', '/clock')).body).toEqual(before)
    const again = await call('POST', '/clock/advance', { by: '1h' })
    expect(Date.parse(again.body.now) - Date.parse(before.now)).toBe(3_600_000)
  })

  test('names are validated, unknown ones are 404, and a list shows all snapshots', async () => {
    const { url } = await openSandbox({}, { db: database() })
    const call = control(url)
    for (const name of ['', 'A', '../x', 'a/b', 'a.b', '-a', 'ä', 'x'.repeat(51), 'a b'])
      expect((await call('POST', '/snapshots', { name })).status, name).toBe(422)
    expect((await call('POST', '/snapshots', { name: 5 })).status).toBe(422)
    expect((await call('POST', '/snapshots', { nam: 'x' })).body.error.message).toContain('did you mean name?')
    expect((await call('POST', '/snapshots/nope/restore')).status).toBe(404)
    expect((await call('DELETE', '/snapshots/nope')).status).toBe(404)
    expect((await call('POST', '/snapshots/..%2Fx/restore')).status).toBe(422)
    expect((await call('POST', '/snapshots')).body.name).toBe('snapshot-1')
    expect((await call('POST', '/snapshots', {})).body.name).toBe('snapshot-2')
    await call('POST', '/snapshots', { name: 'snapshot-1' })
    const { data, next } = (await call('GET', '/snapshots')).body
    expect(data.map((one: { name: string }) => one.name).sort()).toEqual(['snapshot-1', 'snapshot-2'])
    expect(next).toBeNull()
    const renamed = await Promise.all(
      ['one', 'other'].map((wanted) => call('PATCH', '/snapshots/snapshot-2', { name: wanted })),
    )
    expect(renamed.map(({ status }) => status).sort()).toEqual([200, 404])
    expect((await call('DELETE', '/snapshots/snapshot-1')).status).toBe(204)
    expect((await call('GET', '/snapshots')).body.data).toHaveLength(1)
  })

  test('runs and armed scenarios are restored', async () => {
    const { url } = await openSandbox({ clock: 'manual' }, { db: database() })
    const call = control(url)
    const api = await openClient(url)
    const id = await api.charge()
    const scenario = { name: 'later', on: { operation: 'cashin' }, steps: [{ wait: '30m' }, { 'cashin.pay': {} }] }
    expect((await call('POST', '/scenarios', scenario)).status).toBe(200)
    const run = (await call('POST', '/scenarios/later/run', { id })).body.id
    await call('POST', '/scenarios/later/arm', { times: 1 })
    await call('POST', '/snapshots', { name: 'base' })
    for (let round = 0; round < 2; round++) {
      await call('DELETE', `/runs/${run}`)
      await call('DELETE', '/scenarios/later/arm')
      await call('POST', '/snapshots/base/restore')
      expect((await call('GET', `/runs/${run}`)).body.status).toBe('running')
      const caught = await api.charge()
      await call('POST', '/clock/advance', { by: '31m' })
      expect((await call('GET', `/runs/${run}`)).body.status).toBe('passed')
      for (const charge of [id, caught])
        expect((await call('GET', `/transactions/${charge}`)).body.status).toBe('confirmed')
    }
  })

  test('a snapshot survives a reset, and a seed repeats no id after a restore', async () => {
    const { url } = await openSandbox({ seed: 'always' }, { db: database() })
    const call = control(url)
    const api = await openClient(url)
    await call('POST', '/snapshots', { name: 'base' })
    const ids = new Set<string>([await api.charge()])
    for (let round = 1; round <= 3; round++) {
      await call('POST', '/snapshots/base/restore')
      ids.add(await api.charge())
      expect(ids.size).toBe(round + 1)
    }
    await call('POST', '/reset')
    expect((await call('POST', '/snapshots/base/restore')).status).toBe(200)
    expect((await api.get('/v2/account/balance')).status).toBe(200)
  })

  test('changes after a restore are durable, like all others', async () => {
    const { url } = await openSandbox({ rateLimits: false }, { db: database() })
    const call = control(url)
    const api = await openClient(url)
    await api.charge()
    await call('POST', '/snapshots', { name: 'base' })
    await call('POST', '/snapshots/base/restore')
    await Promise.all(Array.from({ length: 200 }, (_, at) => api.charge({ external_id: `many-${at}` })))
    expect((await call('POST', '/snapshots', { name: 'many' })).status).toBe(200)
    await call('POST', '/reset')
    await call('POST', '/snapshots/many/restore')
    expect((await call('GET', '/transactions?limit=500')).body.data).toHaveLength(201)
    expect((await call('GET', '/transactions?external_id=many-199')).body.data).toHaveLength(1)
    expect((await call('GET', '/ledger')).body.balanced).toBe(true)
  })
})

test('snapshots and the restored state survive a restart on a file', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const first = await openSandbox({ clock: 'manual' }, { db })
  const api = await openClient(first.url)
  const charge = await api.charge()
  await control(first.url)('POST', '/snapshots', { name: 'base' })
  await api.charge()
  await control(first.url)('POST', '/snapshots', { name: 'two' })
  await control(first.url)('POST', '/snapshots/base/restore')
  await first.close(0)

  const second = await openSandbox({}, { db })
  const call = control(second.url)
  expect((await call('GET', '/transactions')).body.data).toMatchObject([{ transaction_id: charge }])
  expect((await call('GET', '/snapshots')).body.data.map((one: { name: string }) => one.name).sort()).toEqual([
    'base',
    'two',
  ])
  await call('POST', '/snapshots/two/restore')
  expect((await call('GET', '/transactions')).body.data).toHaveLength(2)
})

test('an unknown snapshot is an error that lists the saved ones and suggests the nearest', async () => {
  const call = control((await openSandbox({ clock: 'manual' })).url)
  const none = (await call('POST', '/snapshots/foo/restore')).body.error
  expect([none.code, none.message]).toEqual(['NOT_FOUND', 'There is no snapshot foo, and none is saved.'])
  for (const name of ['before', 'after']) await call('POST', '/snapshots', { name })
  const ways = [
    ['POST', '/snapshots/befroe/restore'],
    ['DELETE', '/snapshots/befroe'],
    ['GET', '/snapshots/befroe/export'],
  ] as const
  for (const [method, path] of ways) {
    const { status, body } = await call(method, path)
    expect([status, body.error.message]).toEqual([
      404,
      'There is no snapshot befroe; did you mean before? Saved: after, before.',
    ])
    expect(body.error.details).toMatchObject({ snapshots: ['after', 'before'], did_you_mean: 'before' })
  }
})
