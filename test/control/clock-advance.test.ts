/** Advancing the clock: the caller's wait, `until: "idle"`, canceling, and concurrent advances. */
import { describe, expect, test } from 'vitest'
import { schedulerState } from '../../src/core/jobs/jobs.js'
import type { Config } from '../../src/protocol/settings/platform.js'
import type { SandboxOptions } from '../../src/runtime/node/sandbox.js'
import { openClient } from '../support/client.js'
import { deliveriesOf, named } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { gate } from '../support/gate.js'
import type { Body } from '../support/http.js'
import { talk } from '../support/raw-http.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'
import { sendingWithin } from '../support/workers.js'

const secondMs = 1000
const hourMs = 3600 * secondMs
const pixCharge = { amount: 10, currency: 'BRL' }

async function opened(config: Partial<Config> = {}, options: Partial<SandboxOptions> = {}) {
  const sandbox = await openSandbox({ clock: 'manual', ...config }, options)
  return { url: sandbox.url, ...(await deliveriesOf(sandbox.url)) }
}

const post = (url: string, body: object, signal?: AbortSignal) =>
  fetch(`${url}/_sandbox/clock/advance`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })

describe('an advance until idle', () => {
  test('ends with the jobs that existed and those they caused, however many jobs other callers add', async () => {
    const failing = await openReceiver(() => ({ status: 500, until: meanwhile() }))
    const sandbox = await opened()
    const api = await openClient(sandbox.url)
    // During each attempt another caller creates a charge that expires an hour later.
    const meanwhile = async () => void (await api.charge(pixCharge))
    await sandbox.pay(['mine'], failing.url)
    const startMs = await sandbox.now()
    const { now, ran, complete, next_due } = await sandbox.advance({ until: 'idle' })
    const mine = await sandbox.event('mine')
    expect([complete, mine.status, mine.attempts.length]).toEqual([true, 'failed', 6])
    expect(new Set(ran.map(({ id }: Body) => id))).toEqual(new Set([mine.id]))
    expect(Date.parse(now) - startMs).toBe((1 + 5 + 30 + 120 + 600) * secondMs)
    expect(Date.parse(next_due) - startMs).toBe(hourMs)
    const { data } = await sandbox.call('GET', '/transactions?status=pending')
    expect(data).toHaveLength(6)
  })

  test('ends with the last webhook that it caused, although a job of another caller is left', async () => {
    const posts = await openReceiver(() => ({ until: meanwhile() }))
    const sandbox = await opened({ webhookUrl: posts.url, cashoutSettleMs: 2000 })
    const api = await openClient(sandbox.url)
    const meanwhile = async () => void (await api.charge(pixCharge))
    await api.withdraw('mine')
    const startMs = await sandbox.now()
    const { now, complete, next_due } = await sandbox.advance({ until: 'idle' })
    expect([complete, Date.parse(now) - startMs, Date.parse(next_due) - startMs]).toEqual([true, 2000, hourMs + 2000])
    expect(posts.externalIds()).toEqual(['mine'])
  })

  test('ends with the last retry of a webhook that it caused', async () => {
    const failing = await openReceiver(() => ({ status: 500 }))
    const sandbox = await opened({ webhookUrl: failing.url })
    await sandbox.charge(['unpaid'])
    const startMs = await sandbox.now()
    const { now, complete } = await sandbox.advance({ until: 'idle' })
    const { event, status, attempts } = await sandbox.event('unpaid')
    expect([complete, event, status, attempts.length]).toEqual([true, 'cashin.expired', 'failed', 6])
    expect(Date.parse(now) - startMs).toBe(hourMs + (1 + 5 + 30 + 120 + 600) * secondMs)
  })

  test('runs jobs of other callers that fall due meanwhile, in order', async () => {
    const posts = await openReceiver(() => ({ until: meanwhile() }))
    const sandbox = await opened({ webhookUrl: posts.url, cashoutSettleMs: 2000 })
    const api = await openClient(sandbox.url)
    let isFirst = true
    const meanwhile = async () => {
      if (!isFirst) return
      isFirst = false
      await api.withdraw('other')
    }
    await sandbox.charge(['unpaid'])
    await sandbox.pay(['mine'])
    const startMs = await sandbox.now()
    const { now, ran } = await sandbox.advance({ until: 'idle' })
    expect(Date.parse(now) - startMs).toBe(hourMs)
    const { data } = await sandbox.call('GET', '/transactions?external_id=other')
    expect(data[0].status).toBe('confirmed')
    expect(ran.map(({ id }: Body) => id)).not.toContain(data[0].transaction_id)
    expect(posts.externalIds()).toEqual(['mine', 'other', 'unpaid'])
  })
})

describe('the wait of a caller', () => {
  test('ends with the webhooks in flight, while the advance continues in the background', async () => {
    const answered = gate()
    const posts = await openReceiver((_post, index) => (index === 0 ? { status: 500, until: answered.opened } : {}))
    const sandbox = await opened({ webhookUrl: posts.url })
    await sandbox.pay(['order'])
    const startMs = await sandbox.now()
    const first = await sandbox.advance({ by: '1h', wait: '50ms' })
    const { id } = await sandbox.event('order')
    const inFlight = { at: first.now, job: 'deliver', id, event: 'cashin.confirmed', url: posts.url }
    expect(first).toMatchObject({ complete: false, canceled: false, ran: [], in_flight: [inFlight] })
    expect(Date.parse(first.now)).toBe(startMs)
    expect((await sandbox.call('GET', '/clock')).advancing).toEqual({ in_flight: [inFlight] })
    answered.open()
    const second = await sandbox.advance({ by: 0 })
    expect(second).toMatchObject({ complete: true, canceled: false, in_flight: [] })
    expect(Date.parse(second.now) - startMs).toBe(hourMs)
    expect((await sandbox.call('GET', '/clock')).advancing).toBeNull()
    expect((await sandbox.event('order')).attempts.map(({ outcome }: Body) => outcome)).toEqual(['http_error', 'ok'])
  })

  test('ends with the answer: a caller that disconnects afterwards cancels nothing', async () => {
    const answered = gate()
    const posts = await openReceiver(() => ({ until: answered.opened }))
    const sandbox = await opened({ webhookUrl: posts.url })
    await sandbox.pay(['order'])
    const startMs = await sandbox.now()
    const { host, port } = new URL(sandbox.url)
    const body = JSON.stringify({ by: '1h', wait: '20ms' })
    const headers = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`
    await talk(Number(port), `POST /_sandbox/clock/advance HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
    expect(await sandbox.now()).toBe(startMs)
    answered.open()
    await sandbox.advance({ by: 0 })
    expect((await sandbox.now()) - startMs).toBe(hourMs)
  })

  test('is measured in real time and lasts at most ten minutes', async () => {
    const sandbox = await opened()
    expect((await sandbox.ask('POST', '/clock/advance', { by: '1h', wait: '11m' })).status).toBe(422)
    expect((await sandbox.ask('POST', '/clock/advance', { wait: '1s' })).status).toBe(422)
    expect(await sandbox.advance({ by: '30d', wait: '2m' })).toMatchObject({ complete: true, in_flight: [] })
  })
})

describe('an advance is canceled', () => {
  test('by a caller that disconnects: what has run stays, and the clock stops there', async () => {
    const answered = gate()
    const posts = await openReceiver(() => ({ status: 500, until: answered.opened }))
    const sandbox = await opened({ webhookUrl: posts.url })
    await sandbox.pay(['order'])
    const startMs = await sandbox.now()
    const leaving = new AbortController()
    const call = post(sandbox.url, { by: '1h' }, leaving.signal)
    await eventually(
      async () => (await sandbox.call('GET', '/clock')).advancing,
      (advancing) => advancing?.in_flight.length === 1,
    )
    leaving.abort()
    await expect(call).rejects.toThrow()
    await eventually(
      async () => (await sandbox.call('GET', '/clock')).advancing,
      (advancing) => advancing === null,
    )
    answered.open()
    await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 1)
    expect(await sandbox.now()).toBe(startMs)
    expect((await sandbox.event('order')).status).toBe('pending')
  })

  test('on request, together with those in the queue; the next one starts where it stopped', async () => {
    const answered = gate()
    const posts = await openReceiver(() => ({ until: answered.opened }))
    const sandbox = await opened({ webhookUrl: posts.url })
    await sandbox.pay(['order'])
    const startMs = await sandbox.now()
    const running = sandbox.advance({ by: '1h' })
    await eventually(
      async () => posts.open,
      (count) => count === 1,
    )
    const waiting = sandbox.advance({ until: 'idle' })
    const { canceled, now } = await sandbox.call('DELETE', '/clock/advance')
    expect([canceled, Date.parse(now)]).toEqual([2, startMs])
    for (const one of await Promise.all([running, waiting]))
      expect(one).toMatchObject({ complete: false, canceled: true, now })
    expect(await sandbox.call('DELETE', '/clock/advance')).toMatchObject({ canceled: 0 })
    answered.open()
    expect(Date.parse((await sandbox.advance({ by: '1m' })).now) - startMs).toBe(60 * secondMs)
  })

  test('in the queue, by a caller that disconnects: the one in progress goes on', async () => {
    const answered = gate()
    const posts = await openReceiver(() => ({ until: answered.opened }))
    const { url, workspace } = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
    const sandbox = await deliveriesOf(url)
    await sandbox.pay(['order'])
    const running = sandbox.advance({ by: '1h' })
    const { advances } = workspace.state.of(schedulerState)
    const untilLeft = (count: number) =>
      eventually(
        () => advances.size,
        (size) => size === count,
      )
    await untilLeft(1)
    const leaving = new AbortController()
    const waiting = post(url, { by: '1h' }, leaving.signal)
    await untilLeft(2)
    leaving.abort()
    await expect(waiting).rejects.toThrow()
    await untilLeft(1)
    expect((await sandbox.call('GET', '/clock')).advancing.in_flight).toHaveLength(1)
    answered.open()
    expect(await running).toMatchObject({ complete: true, canceled: false })
  })

  test('during the generation of sample data: nothing runs after the caller has disconnected', async () => {
    const never = gate()
    const posts = await openReceiver(() => ({ until: never.opened }))
    const sandbox = await opened()
    const leaving = new AbortController()
    const call = fetch(`${sandbox.url}/_sandbox/seed/demo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ postback_url: posts.url }),
      signal: leaving.signal,
    })
    await eventually(
      async () => posts.open,
      (count) => count > 0,
    )
    leaving.abort()
    await expect(call).rejects.toThrow()
    await eventually(
      async () => (await sandbox.call('GET', '/clock')).advancing,
      (advancing) => advancing === null,
    )
    const stoppedMs = await sandbox.now()
    never.open()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await sandbox.now()).toBe(stoppedMs)
  })
})

test('sample data is created to its end, however long a receiver takes to answer', async () => {
  const posts = await openReceiver((_post, index) => (index === 0 ? { delayMs: 300 } : {}))
  const sandbox = await opened()
  const { from, to } = await sandbox.call('POST', '/seed/demo', { days: 1, postback_url: posts.url })
  expect([Date.parse(to) - Date.parse(from), posts.all.length > 0]).toEqual([24 * hourMs, true])
})

describe('two concurrent advances', () => {
  test('run one after the other: the second names what it waits for, and starts where the first ends', async () => {
    const answered = gate()
    const posts = await openReceiver(() => ({ until: answered.opened }))
    const sandbox = await opened({ webhookUrl: posts.url })
    await sandbox.pay(['order'])
    const startMs = await sandbox.now()
    const first = await sandbox.advance({ by: '1m', wait: '20ms' })
    const second = await sandbox.advance({ by: '1m', wait: '20ms' })
    for (const { complete, in_flight } of [first, second]) expect([complete, in_flight.length]).toEqual([false, 1])
    answered.open()
    const { now } = await sandbox.advance({ by: 0 })
    expect(Date.parse(now) - startMs).toBe(120 * secondMs)
  })

  test('include a fast-forwarded scenario: it queues, can be canceled, and stays where it is', async () => {
    const answered = gate()
    const posts = await openReceiver(() => ({ until: answered.opened }))
    const sandbox = await opened({ webhookUrl: posts.url })
    const steps = [{ create: { cashin: pixCharge } }, { wait: '2h' }, { 'cashin.pay': {} }]
    await sandbox.call('POST', '/scenarios', { name: 'later', steps })
    await sandbox.pay(['order'])
    await sandbox.advance({ by: '1m', wait: '20ms' })
    const run = await sandbox.call('POST', '/scenarios/later/run', { fast_forward: true, wait: false })
    expect((await sandbox.call('DELETE', '/clock/advance')).canceled).toBe(2)
    expect((await sandbox.call('GET', `/runs/${run.id}`)).status).toBe('running')
    answered.open()
    await sandbox.advance({ by: '59m' })
    expect((await sandbox.call('GET', `/runs/${run.id}`)).status).toBe('running')
  })
})

test('a receiver that let webhooks time out gets all that fall due at one moment concurrently', async () => {
  const posts = await openReceiver(() => null)
  const sandbox = await opened({ webhookUrl: posts.url }, sendingWithin({ totalMs: 6000 }))
  await sandbox.pay(named('hanging', 24))
  const call = post(sandbox.url, { by: '2s', wait: '60s' })
  await eventually(
    async () => posts.open,
    (count) => count === 24,
  )
  await sandbox.call('DELETE', '/clock/advance')
  expect(await (await call).json()).toMatchObject({ complete: false, canceled: true })
})
