/** How a scenario has webhooks delivered: twice, late, in the wrong order, tampered with, before the answer. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import { expect, test } from 'vitest'
import { type Body, eventually } from './support/control.js'
import { scenarioSandbox, troubles } from './support/scenario-api.js'
import { openReceiver } from './support/scenario-receiver.js'

const paid = (how: string, more = '') => `
name: treated
steps:
  - webhooks: ${how}
  - create: { cashin: { amount: 10, currency: BRL } }
  - cashin.pay
${more}`

test('a duplicate is the same event again: same id, same body, once it has been acknowledged', async () => {
  const receiver = await openReceiver()
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  const run = await play(
    paid('{ duplicate: 3 }', '  - expect: { event: cashin.confirmed, delivered: true, attempts: 3 }\n'),
  )
  expect(troubles(run)).toEqual([])
  await call('POST', '/clock/advance', { until: 'idle' })
  expect(receiver.names()).toEqual(['cashin.confirmed', 'cashin.confirmed', 'cashin.confirmed'])
  expect(new Set(receiver.hooks.map((hook) => hook.id + hook.body)).size).toBe(1)
  expect(receiver.hooks.every((hook) => hook.genuine && hook.fresh)).toBe(true)
  const [event] = (await call('GET', '/webhooks')).body.data
  expect([event.status, event.attempts, event.next_attempt_at]).toEqual(['delivered', 3, null])
})

test('a duplicate belongs to the walk that brings about the first', async () => {
  const receiver = await openReceiver()
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(
    'name: twice\nsteps:\n  - webhooks: { duplicate: 2 }\n  - create: { cashin: { amount: 10, currency: BRL } }\n',
  )
  const { body } = await call('POST', '/clock/advance', { by: '1h' })
  expect(body.ran.map(({ job }: Body) => job)).toEqual(['expire', 'deliver', 'deliver'])
  expect(receiver.names()).toEqual(['cashin.expired', 'cashin.expired'])
})

test('a delayed webhook waits on the business clock', async () => {
  const receiver = await openReceiver()
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  expect((await play(paid('{ delay: 10m }'))).status).toBe('passed')
  await call('POST', '/clock/advance', { by: '599s' })
  expect(receiver.names()).toEqual([])
  await call('POST', '/clock/advance', { by: '1s' })
  expect(receiver.names()).toEqual(['cashin.confirmed'])
})

test('reordered webhooks come in pairs, the later one first', async () => {
  const receiver = await openReceiver()
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  const more = '  - dispute.open\n  - dispute.respond\n  - dispute.lose\n'
  expect((await play(paid('{ reorder: true }', more))).status).toBe('passed')
  await call('POST', '/clock/advance', { by: '1h' })
  expect(receiver.names()).toEqual([
    'chargeback.opened',
    'cashin.confirmed',
    'chargeback.lost',
    'chargeback.responded',
    'cashin.refunded',
  ])
})

test('a single event that is to be reordered is not held back for ever', async () => {
  const receiver = await openReceiver()
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(paid('{ reorder: true }'))
  await call('POST', '/clock/advance', { by: '10m' })
  expect(receiver.names()).toEqual(['cashin.confirmed'])
})

test.each([
  ['body', { genuine: false, fresh: true }],
  ['signature', { genuine: false, fresh: true }],
  ['timestamp', { genuine: true, fresh: false }],
])('a tampered %s fails the check that it is there for, in every attempt but one made by hand', async (what, seen) => {
  const receiver = await openReceiver()
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(paid(`{ tamper: ${what} }`))
  await call('POST', '/clock/advance', { until: 'idle' })
  expect(receiver.hooks.length).toBe(6)
  for (const { genuine, fresh } of receiver.hooks) expect({ genuine, fresh }).toEqual(seen)
  for (const hook of receiver.hooks) expect(() => JSON.parse(hook.body)).not.toThrow()
  const [event] = (await call('GET', '/webhooks')).body.data
  expect(event.status).toBe('failed')
  await call('POST', `/webhooks/${event.id}/redeliver`)
  await call('POST', '/clock/advance', { by: 0 })
  expect(receiver.hooks.at(-1)).toMatchObject({ genuine: true, fresh: true })
  expect((await call('GET', `/webhooks/${event.id}`)).body.status).toBe('delivered')
})

test('the webhook can overtake the answer of the call that it tells of', async () => {
  const order: string[] = []
  const receiver = await openReceiver({
    answer: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      order.push('webhook')
    },
  })
  const { api, arm, entryOf } = await scenarioSandbox({ webhookUrl: receiver.url })
  await arm('webhook-before-response')
  const answer = await api.signed('/v2/transactions/cashout', {
    external_id: 'w',
    amount: 5,
    currency: 'BRL',
    key: 'a@example.com',
  })
  order.push('answer')
  expect(order).toEqual(['webhook', 'answer'])
  expect([answer.status, answer.body.data.status]).toEqual([202, 'pending'])
  expect(JSON.parse(receiver.hooks[0]?.body ?? '{}').transaction_id).toBe(answer.body.data.transaction_id)
  expect((await entryOf(answer)).faults[0]).toBe('webhooks: {"before_response":true}')
})

test('events that the call itself brings about are treated too', async () => {
  const receiver = await openReceiver()
  const { api, upload } = await scenarioSandbox({ webhookUrl: receiver.url })
  await upload(
    'name: twice\non: { operation: conversion }\nsteps: [webhooks: { duplicate: 2, before_response: true }]\n',
  )
  const body = { base_currency: 'BRL', destination_currency: 'USDT', amount: 10 }
  const answer = await api.signed('/v2/conversions/new', body, { 'X-Sandbox-Scenario': 'twice' })
  expect([answer.status, receiver.names()[0]]).toEqual([200, 'conversion.confirmed'])
  await eventually(
    async () => receiver.names(),
    (names) => names.length === 2,
  )
})

test('the events of other objects are delivered as ever', async () => {
  const receiver = await openReceiver()
  const { api, call, play } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(paid('{ tamper: body, duplicate: 2 }'))
  const other = await api.charge()
  await call('POST', '/trigger', { action: 'cashin.pay', id: other })
  await call('POST', '/clock/advance', { by: 0 })
  const own = receiver.hooks.filter((hook) => hook.body.includes(other))
  expect(own.map((hook) => hook.genuine)).toEqual([true])
})

test('a scenario can have webhooks delivered as documented again', async () => {
  const receiver = await openReceiver()
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(paid('{ tamper: signature }', '  - webhooks: {}\n  - cashin.refund\n'))
  await call('POST', '/clock/advance', { until: 'idle' })
  const genuine = (name: string) => receiver.hooks.filter((hook) => hook.event === name).map((hook) => hook.genuine)
  expect(genuine('cashin.refunded')).toEqual([true])
  expect(genuine('cashin.confirmed')).toEqual([false, false, false, false, false, false])
})
