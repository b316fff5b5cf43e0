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
