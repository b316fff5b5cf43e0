/** Webhook faults of scenarios: duplicate, late, reordered and tampered webhooks, and webhooks before the response. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.js'
import type { Body } from '../support/http.js'
import { openReceiver, verified } from '../support/receiver.js'
import { scenarioSandbox, troubles } from '../support/scenario-api.js'

const paid = (how: string, more = '') => `
name: treated
steps:
  - webhooks: ${how}
  - create: { cashin: { amount: 10, currency: BRL } }
  - cashin.pay
${more}`

test('a duplicate has the same id and body, and is sent after the first was acknowledged', async () => {
  const receiver = await openReceiver(verified)
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  const run = await play(
    paid('{ duplicate: 3 }', '  - expect: { event: cashin.confirmed, delivered: true, attempts: 3 }\n'),
  )
  expect(troubles(run)).toEqual([])
  await call('POST', '/clock/advance', { until: 'idle' })
  expect(receiver.names()).toEqual(['cashin.confirmed', 'cashin.confirmed', 'cashin.confirmed'])
  expect(new Set(receiver.all.map((hook) => hook.id + hook.body)).size).toBe(1)
  expect(receiver.all.every((hook) => hook.genuine && hook.fresh)).toBe(true)
  const [event] = (await call('GET', '/webhooks')).body.data
  expect([event.status, event.attempts, event.next_attempt_at]).toEqual(['delivered', 3, null])
  expect(event.faults).toEqual(['duplicate: 3'])
})

test('a duplicate belongs to the advance that caused the first', async () => {
  const receiver = await openReceiver(verified)
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(
    'name: twice\nsteps:\n  - webhooks: { duplicate: 2 }\n  - create: { cashin: { amount: 10, currency: BRL } }\n',
  )
  const { body } = await call('POST', '/clock/advance', { by: '1h' })
  expect(body.ran.map(({ job }: Body) => job)).toEqual(['expire', 'deliver', 'deliver'])
  expect(receiver.names()).toEqual(['cashin.expired', 'cashin.expired'])
})

test('a delayed webhook waits on the business clock', async () => {
  const receiver = await openReceiver(verified)
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  expect((await play(paid('{ delay: 10m }'))).status).toBe('passed')
  await call('POST', '/clock/advance', { by: '599s' })
  expect(receiver.names()).toEqual([])
  await call('POST', '/clock/advance', { by: '1s' })
  expect(receiver.names()).toEqual(['cashin.confirmed'])
})

test('reordered webhooks arrive in pairs, the later one first', async () => {
  const receiver = await openReceiver(verified)
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

test('a single event that is to be reordered is not delayed for ever', async () => {
  const receiver = await openReceiver(verified)
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(paid('{ reorder: true }'))
  await call('POST', '/clock/advance', { by: '10m' })
  expect(receiver.names()).toEqual(['cashin.confirmed'])
})

test.each([
  ['body', { genuine: false, fresh: true }],
  ['signature', { genuine: false, fresh: true }],
  ['timestamp', { genuine: true, fresh: false }],
])('a tampered %s fails its check in every attempt except a manual one', async (what, seen) => {
  const receiver = await openReceiver(verified)
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(paid(`{ tamper: ${what} }`))
  await call('POST', '/clock/advance', { until: 'idle' })
  expect(receiver.all.length).toBe(6)
  for (const { genuine, fresh } of receiver.all) expect({ genuine, fresh }).toEqual(seen)
  for (const hook of receiver.all) expect(() => JSON.parse(hook.body)).not.toThrow()
  const [event] = (await call('GET', '/webhooks')).body.data
  expect(event.status).toBe('failed')
  await call('POST', `/webhooks/${event.id}/redeliver`)
  await call('POST', '/clock/advance', { by: 0 })
  expect(receiver.all.at(-1)).toMatchObject({ genuine: true, fresh: true })
  expect((await call('GET', `/webhooks/${event.id}`)).body.status).toBe('delivered')
})

test.each(['body', 'signature', 'timestamp'])(
  'a webhook with a tampered %s is shown byte for byte as the receiver got it, and so is its manual redelivery',
  async (part) => {
    const receiver = await openReceiver(verified)
    const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
    await play(paid(`{ tamper: ${part} }`))
    await call('POST', '/clock/advance', { until: 'idle' })
    const [{ id }] = (await call('GET', '/webhooks')).body.data
    const read = async () => (await call('GET', `/webhooks/${id}`)).body
    const tampered = await read()
    expect(tampered).toMatchObject({ scenario: 'treated', faults: [`tamper: ${part}`], body: receiver.all[0]?.body })
    await call('POST', `/webhooks/${id}/redeliver`)
    await call('POST', '/clock/advance', { by: 0 })
    const { body: signed, attempts } = await read()
    expect(attempts.map((attempt: Body) => attempt.request_body)).toEqual(receiver.all.map(({ body }) => body))
    for (const [index, { request_headers: headers }] of attempts.entries())
      for (const [name, value] of Object.entries(headers))
        expect(receiver.all[index]?.headers[name.toLowerCase()]).toBe(value)
    const alteredAttempts = Array(6).fill([`tamper: ${part}`])
    expect(attempts.map((attempt: Body) => attempt.faults)).toEqual([...alteredAttempts, undefined])
    const signedBodies = Array(6).fill(part === 'body' ? signed : undefined)
    expect(attempts.map((attempt: Body) => attempt.signed_body)).toEqual([...signedBodies, undefined])
  },
)

test('a webhook can arrive before the response of its call', async () => {
  const order: string[] = []
  const receiver = await openReceiver((post) => ({
    ...verified(post),
    delayMs: 100,
    answered: () => order.push('webhook'),
  }))
  const { api, arm, call, entryOf } = await scenarioSandbox({ webhookUrl: receiver.url })
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
  expect(JSON.parse(receiver.all[0]?.body ?? '{}').transaction_id).toBe(answer.body.data.transaction_id)
  expect((await entryOf(answer)).faults[0]).toBe('webhooks: {"before_response":true}')
  expect((await call('GET', '/webhooks')).body.data[0].scenario).toBe('webhook-before-response')
})

test('a second webhook can arrive before the response too, once the first was acknowledged', async () => {
  const order: string[] = []
  const receiver = await openReceiver((post) => ({
    ...verified(post),
    delayMs: 100,
    answered: () => order.push(post.event),
  }))
  const { api, upload } = await scenarioSandbox({ webhookUrl: receiver.url })
  await upload(`
name: both
on: { operation: cashout }
steps:
  - webhooks: { before_response: true }
  - cashout.confirm
  - expect: { event: cashout.confirmed, delivered: true }
  - cashout.refund
`)
  const body = { external_id: 'w', amount: 5, currency: 'BRL', key: 'a@example.com' }
  const answer = await api.signed('/v2/transactions/cashout', body, { 'X-Sandbox-Scenario': 'both' })
  order.push(`answer ${answer.status}`)
  expect(order).toEqual(['cashout.confirmed', 'cashout.refunded', 'answer 202'])
})

test('events that the call itself causes are affected too', async () => {
  const receiver = await openReceiver(verified)
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

test('webhooks of other objects are delivered as usual', async () => {
  const receiver = await openReceiver(verified)
  const { api, call, play } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(paid('{ tamper: body, duplicate: 2 }'))
  const other = await api.charge()
  await call('POST', '/trigger', { action: 'cashin.pay', id: other })
  await call('POST', '/clock/advance', { by: 0 })
  const own = receiver.all.filter((hook) => hook.body.includes(other))
  expect(own.map((hook) => hook.genuine)).toEqual([true])
})

test('a scenario can return to documented delivery', async () => {
  const receiver = await openReceiver(verified)
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  await play(paid('{ tamper: signature }', '  - webhooks: {}\n  - cashin.refund\n'))
  await call('POST', '/clock/advance', { until: 'idle' })
  const genuine = (name: string) => receiver.all.filter((hook) => hook.event === name).map((hook) => hook.genuine)
  expect(genuine('cashin.refunded')).toEqual([true])
  expect(genuine('cashin.confirmed')).toEqual([false, false, false, false, false, false])
})
