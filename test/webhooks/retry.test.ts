/** The retry schedule, to the millisecond on the manual clock and in real time; failures; and manual redelivery. */
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deliveriesOf, nextInMs, offsetsOf } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { gate } from '../support/gate.js'
import type { Body } from '../support/http.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

async function held(webhookUrl: string | null) {
  const sandbox = await openSandbox({ clock: 'manual', webhookUrl })
  return deliveriesOf(sandbox.url)
}

const ladderMs = [0, 1_000, 6_000, 36_000, 156_000, 756_000]

describe('the retry schedule on a manual clock', () => {
  test('has six attempts, each to the millisecond, and then the event has failed', async () => {
    const posts = await openReceiver(() => ({ status: 500, body: 'not now' }))
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    const { ran, next_due } = await sandbox.advance({ until: 'idle' })
    const event = await sandbox.event('order')
    expect(offsetsOf(event)).toEqual(ladderMs)
    expect(event).toMatchObject({ status: 'failed', next_attempt_at: null })
    expect(event.attempts).toHaveLength(6)
    expect(posts.all).toHaveLength(6)
    const retries = ladderMs.slice(1).map((offsetMs) => new Date(Date.parse(event.created_at) + offsetMs).toISOString())
    // The first attempt starts by itself, before or at the start of this advance.
    const walked = ran.filter(({ at }: { at: string }) => at !== event.created_at)
    expect(walked).toEqual(retries.map((at) => ({ at, job: 'deliver', id: event.id })))
    expect(next_due).toBeNull()
  })

  test('starts each attempt at its millisecond and not before', async () => {
    const posts = await openReceiver(() => ({ status: 503 }))
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    await sandbox.eventOnce('order', (event) => event.attempts.length === 1)
    for (const [index, delayMs] of [1_000, 5_000, 30_000, 120_000, 600_000].entries()) {
      const event = await sandbox.event('order')
      expect(event.status).toBe('pending')
      expect(nextInMs(event)).toBe(ladderMs[index + 1])
      await sandbox.advance({ by: `${delayMs - 1}ms` })
      expect(posts.all).toHaveLength(index + 1)
      await sandbox.advance({ by: '1ms' })
      expect(posts.all).toHaveLength(index + 2)
    }
    await sandbox.advance({ by: '7d' })
    expect(posts.all).toHaveLength(6)
  })

  test('ends with the first 2xx response', async () => {
    const posts = await openReceiver((_post, index) => ({ status: index < 2 ? 500 : 204 }))
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    await sandbox.advance({ until: 'idle' })
    const event = await sandbox.event('order')
    expect(event).toMatchObject({ status: 'delivered', next_attempt_at: null })
    expect(event.attempts.map((attempt: Body) => [attempt.number, attempt.outcome, attempt.status])).toEqual([
      [1, 'http_error', 500],
      [2, 'http_error', 500],
      [3, 'ok', 204],
    ])
  })

  test('sends the same id, signature and bytes each time, with the real time of each attempt', async () => {
    const posts = await openReceiver((_post, index) => ({ status: index < 5 ? 500 : 200, body: `answer ${index}` }))
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    await sandbox.advance({ until: 'idle' })
    const event = await sandbox.event('order')
    const signature = createHmac('sha256', secretsOf('merchant').webhookSecret).update(event.body).digest('hex')
    for (const [index, { headers, body, wallSeconds }] of posts.all.entries()) {
      expect(body).toBe(event.body)
      expect(headers).toMatchObject({ 'x-webhook-id': event.id, 'x-webhook-signature': signature, 'x-sandbox': '1' })
      expect(Math.abs(Number(headers['x-webhook-timestamp']) - wallSeconds)).toBeLessThan(30)
      const attempt = event.attempts[index]
      expect(attempt).toMatchObject({ number: index + 1, response_body: `answer ${index}` })
      expect(attempt.duration_ms).toBeGreaterThanOrEqual(0)
      for (const [name, value] of Object.entries(attempt.request_headers))
        expect(headers[name.toLowerCase()]).toBe(value)
    }
    expect(posts.all).toHaveLength(6)
  })

  test.each([
    ['a redirect', { status: 302, headers: { Location: 'http://127.0.0.1:9/elsewhere' } }],
    ['304', { status: 304 }],
    ['a request to try again much later', { status: 503, headers: { 'Retry-After': '3600' } }],
    ['a request to try again at once', { status: 429, headers: { 'Retry-After': '0' } }],
    ['that it is gone for good', { status: 410 }],
  ])('treats %s as any other failure', async (_name, reply) => {
    const posts = await openReceiver(() => reply)
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    const event = await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 1)
    expect(event.attempts[0]).toMatchObject({ outcome: 'http_error', status: reply.status })
    expect(nextInMs(event)).toBe(1000)
  })
})

test('each delay counts from the end of the attempt before it, in real time', async () => {
  const posts = await openReceiver(() => ({ status: 500, delayMs: 400 }))
  const sandbox = await deliveriesOf((await openSandbox({ webhookUrl: posts.url })).url)
  await sandbox.pay(['order'])
  await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 2)
  const [first, second] = posts.all
  expect((second?.atMs ?? 0) - (first?.answeredAtMs ?? 0)).toBeGreaterThan(995)
  // The next delay is 5 s. The test advances most of it and waits for the rest.
  await sandbox.advance({ by: '4500ms' })
  const event = await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 3)
  const [, secondMs = 0, thirdMs = 0] = offsetsOf(event)
  expect(secondMs).toBeGreaterThanOrEqual(1400)
  expect(thirdMs - secondMs).toBeGreaterThanOrEqual(5400)
  expect(event).toMatchObject({ status: 'pending' })
})

describe('the address of an event', () => {
  test('is the postback_url of its transaction', async () => {
    const [own, common] = [await openReceiver(), await openReceiver()]
    const sandbox = await held(common.url)
    await sandbox.pay(['order'], own.url)
    await sandbox.call('POST', '/trigger', { action: 'cashin.refund', id: 'order' })
    await sandbox.advance({ by: 0 })
    expect(own.all.map((post) => post.headers['x-webhook-event'])).toEqual(['cashin.confirmed', 'cashin.refunded'])
    expect(common.all).toEqual([])
  })

  test('is missing for an event without any address, which fails with the outcome no_url and can be sent once there is one', async () => {
    const posts = await openReceiver()
    const sandbox = await held(null)
    await sandbox.pay(['order'])
    const event = await sandbox.event('order')
    expect(event).toMatchObject({ status: 'failed', url: null, next_attempt_at: null })
    expect(event.attempts).toMatchObject([{ number: 1, outcome: 'no_url', status: null, duration_ms: 0 }])
    expect((await sandbox.ask('POST', `/webhooks/${event.id}/redeliver`)).status).toBe(422)
    await sandbox.call('PATCH', '/credentials/client_sandbox_merchant', { postback_url: posts.url })
    await sandbox.call('POST', `/webhooks/${event.id}/redeliver`)
    const sent = await sandbox.eventOnce('order', ({ status }) => status === 'delivered')
    expect(sent.attempts).toMatchObject([{ outcome: 'no_url' }, { number: 2, outcome: 'ok' }])
    expect(posts.all[0]?.body).toBe(event.body)
  })

  test('is the configured one if it is sent again after a start that configures one', async () => {
    const posts = await openReceiver()
    const db = join(temporaryFolder(), 'sandbox.db')
    const first = await openSandbox({ clock: 'manual' }, { db })
    await (await deliveriesOf(first.url)).pay(['order'])
    await first.close(0)
    const second = await openSandbox({ clock: 'manual', webhookUrl: posts.url }, { db })
    const sandbox = await deliveriesOf(second.url)
    const { id } = await sandbox.event('order')
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    const sent = await sandbox.eventOnce('order', ({ status }) => status === 'delivered')
    expect([sent.url, posts.all.length]).toEqual([posts.url, 1])
  })
})

describe('a manual redelivery', () => {
  test("is one attempt with the same id and bytes, whatever the event's status", async () => {
    const posts = await openReceiver()
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    const { id } = await sandbox.eventOnce('order', ({ status }) => status === 'delivered')
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    const event = await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 2)
    expect(new Set(posts.all.map(({ body, headers }) => `${headers['x-webhook-id']} ${body}`)).size).toBe(1)
    expect(event).toMatchObject({ status: 'delivered', next_attempt_at: null })
  })

  test('that fails starts no new retries, and an acknowledged delivery stays acknowledged', async () => {
    const posts = await openReceiver((_post, index) => ({ status: index === 0 ? 200 : 500 }))
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    const { id } = await sandbox.eventOnce('order', ({ status }) => status === 'delivered')
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    await sandbox.advance({ until: 'idle' })
    const event = await sandbox.event('order')
    expect(event).toMatchObject({ status: 'delivered', next_attempt_at: null })
    expect(event.attempts).toMatchObject([{ outcome: 'ok' }, { outcome: 'http_error' }])
  })

  test('makes a failed event delivered, or failed again', async () => {
    const posts = await openReceiver((_post, index) => ({ status: index < 7 ? 500 : 200 }))
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    await sandbox.advance({ until: 'idle' })
    const { id } = await sandbox.event('order')
    for (const [status, attempts] of [
      ['failed', 7],
      ['delivered', 8],
    ] as const) {
      expect(await sandbox.call('POST', `/webhooks/${id}/redeliver`)).toMatchObject({ status: 'pending' })
      await sandbox.advance({ until: 'idle' })
      expect(await sandbox.event('order')).toMatchObject({ status, next_attempt_at: null })
      expect(posts.all).toHaveLength(attempts)
    }
  })

  test('ends the pending retries once it is acknowledged', async () => {
    const posts = await openReceiver((_post, index) => ({ status: index === 0 ? 500 : 200 }))
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    const { id } = await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 1)
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    await sandbox.advance({ until: 'idle' })
    const event = await sandbox.event('order')
    expect(event).toMatchObject({ status: 'delivered', next_attempt_at: null })
    expect(posts.all).toHaveLength(2)
  })

  test('counts even when an attempt in flight fails afterwards', async () => {
    const overtaken = gate()
    const posts = await openReceiver((_post, index) => (index === 0 ? { status: 500, until: overtaken.opened } : {}))
    const sandbox = await held(posts.url)
    await sandbox.pay(['order'])
    await eventually(
      async () => posts.all.length,
      (count) => count === 1,
    )
    const { id } = await sandbox.event('order')
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 1)
    // It is awaited, although its event needs no further attempt.
    for (const target of [{ by: 0 }, { until: 'idle' }]) {
      const { complete, in_flight } = await sandbox.advance({ ...target, wait: '20ms' })
      expect([complete, in_flight], JSON.stringify(target)).toEqual([false, [expect.objectContaining({ id })]])
      await sandbox.call('DELETE', '/clock/advance')
    }
    overtaken.open()
    await sandbox.advance({ by: 0 })
    const event = await sandbox.event('order')
    expect(event.attempts.map((attempt: Body) => [attempt.number, attempt.outcome])).toEqual([
      [1, 'ok'],
      [2, 'http_error'],
    ])
    expect(event).toMatchObject({ status: 'delivered', next_attempt_at: null })
    expect(posts.all).toHaveLength(2)
  })
})
