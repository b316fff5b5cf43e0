/** Counts by status: the same numbers as the lists, and limited for any number of objects. */
import { expect, test } from 'vitest'
import { maxCount } from '../../src/protocol/control/figures.js'
import type { DeliveryStatus } from '../../src/protocol/control/webhooks.js'
import { type StartOptions, startSandbox } from '../../src/testing/index.js'
import { closeAfter } from '../support/hooks.js'

async function open(options: StartOptions) {
  const sandbox = await startSandbox({ clock: 'manual', ...options })
  closeAfter(() => sandbox.close())
  return sandbox
}

test('counts by status equal the lengths of the lists', async () => {
  const sandbox = await open({})
  const receiver = await sandbox.receiver()
  const [first, second] = await Promise.all(
    [10, 20, 30].map((amount) => sandbox.client().cashin({ amount, currency: 'BRL' })),
  )
  await sandbox.trigger('cashin.pay', { id: first?.transaction_id ?? '' })
  await receiver.waitFor('cashin.confirmed')
  receiver.respond(500)
  await sandbox.trigger('cashin.pay', { id: second?.transaction_id ?? '' })
  await sandbox.trigger('dispute.open', { id: first?.transaction_id ?? '' })
  const { data } = await sandbox.control.call('GET /counts')
  for (const { type, status, count, more } of data) {
    expect([type, status, more]).toEqual([type, status, false])
    if (type !== 'webhook') continue
    const list = await sandbox.control.call('GET /webhooks', { query: { status: status as DeliveryStatus } })
    expect([status, count]).toEqual([status, list.data.length])
  }
  const counted = data.filter(({ count, type }) => count > 0 && type !== 'webhook')
  expect(counted.map(({ type, status, count }) => [type, status, count])).toEqual([
    ['cashin', 'pending', 1],
    ['cashin', 'confirmed', 2],
    ['dispute', 'open', 1],
  ])
})

test('a count over the limit shows the limit and says that there are more', async () => {
  const sandbox = await open({ rateLimits: false })
  const api = sandbox.client()
  for (let at = 0; at <= maxCount; at++) await api.cashin({ amount: 1, currency: 'BRL' })
  const { data } = await sandbox.control.call('GET /counts')
  expect(data.find(({ type, status }) => type === 'cashin' && status === 'pending')).toEqual({
    ...{ type: 'cashin', status: 'pending', count: maxCount, more: true },
  })
})

test('an altered event has the verdict on its receiver in list, counts and attempts, and its status stays', async () => {
  const sandbox = await open({})
  const receiver = await sandbox.receiver()
  const run = async () => {
    await sandbox.scenarios.run('webhook-tampered', { fast_forward: true })
    await sandbox.clock.advance('1d')
  }
  await run()
  receiver.respond(500)
  await run()
  receiver.respond(200)
  await run()
  const list = (query: { verdict?: 'none' | 'wrongly_accepted' | 'rightly_refused'; status?: DeliveryStatus }) =>
    sandbox.control.call('GET /webhooks', { query })
  const altered = (await list({})).data.filter(({ faults }) => faults?.includes('tamper: body'))
  expect(altered.map(({ status, verdict }) => [status, verdict])).toEqual([
    ['delivered', 'wrongly_accepted'],
    ['failed', undefined],
    ['failed', 'rightly_refused'],
  ])
  for (const { id, verdict } of altered) {
    const { attempts, ...event } = await sandbox.control.call('GET /webhooks/{id}', { params: { id } })
    expect(event.verdict).toBe(verdict)
    expect(new Set(attempts.map((attempt) => attempt.verdict))).toEqual(new Set([verdict]))
  }
  const ids = async (query: Parameters<typeof list>[0]) => (await list(query)).data.map(({ id }) => id)
  expect(await ids({ verdict: 'wrongly_accepted' })).toEqual([altered[0]?.id])
  expect(await ids({ verdict: 'rightly_refused' })).toEqual([altered[2]?.id])
  expect(await ids({ verdict: 'none', status: 'failed' })).toEqual([altered[1]?.id])
  const counts = async () =>
    (await sandbox.control.call('GET /counts')).data
      .filter(({ type, count }) => type === 'webhook' && count > 0)
      .map(({ status, count, rightly_refused, wrongly_accepted }) => [status, count, rightly_refused, wrongly_accepted])
  expect(await counts()).toEqual([
    ['delivered', expect.any(Number), undefined, 1],
    ['failed', 2, 1, undefined],
  ])
  // A redelivery is not altered, so it is judged as any other.
  await sandbox.webhooks.redeliver(altered[2]?.id ?? '')
  await sandbox.clock.advance('1s')
  expect((await list({ verdict: 'rightly_refused' })).data).toEqual([])
  expect(await counts()).toEqual([
    ['delivered', expect.any(Number), undefined, 1],
    ['failed', 1, undefined, undefined],
  ])
})
