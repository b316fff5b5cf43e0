/** Advancing the clock: how long a caller waits, what idle means, who cancels, two at once. */
import { describe, expect, test } from 'vitest'
import type { Config } from '../src/protocol/settings/platform.js'
import type { SandboxOptions } from '../src/runtime/node/sandbox.js'
import { type Body, eventually, integrator, open } from './support/control.js'
import { deliveriesOf, named } from './support/deliveries.js'
import { gate } from './support/gate.js'
import { openPosts } from './support/posts.js'
import { sendingWithin } from './support/workers.js'

const secondMs = 1000
const hourMs = 3600 * secondMs
const pixCharge = { amount: 10, currency: 'BRL' }

async function opened(config: Partial<Config> = {}, options: Partial<SandboxOptions> = {}) {
  const sandbox = await open({ clock: 'manual', ...config }, options)
  return { url: sandbox.url, ...(await deliveriesOf(sandbox.url)) }
}

const post = (url: string, body: object, signal?: AbortSignal) =>
  fetch(`${url}/_sandbox/clock/advance`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })

describe('until idle', () => {
  test('ends with the jobs that existed and what they caused, however many jobs other callers add', async () => {
    const failing = await openPosts(() => ({ status: 500, until: meanwhile() }))
    const sandbox = await opened()
    const api = await integrator(sandbox.url)
    // Each attempt gives another caller the time for a charge that expires an hour later.
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

  test('runs the jobs of other callers that fall due on the way, in their order', async () => {
    const posts = await openPosts(() => ({ until: meanwhile() }))
    const sandbox = await opened({ webhookUrl: posts.url, cashoutSettleMs: 2000 })
    const api = await integrator(sandbox.url)
    let isFirst = true
    const meanwhile = async () => {
      if (!isFirst) return
      isFirst = false
      await api.withdraw('other')
    }
    await sandbox.charge(['unpaid'])
    await sandbox.pay(['mine'])
    const startMs = await sandbox.now()
    const { now } = await sandbox.advance({ until: 'idle' })
    expect(Date.parse(now) - startMs).toBe(hourMs)
    const { data } = await sandbox.call('GET', '/transactions?external_id=other')
    expect(data[0].status).toBe('confirmed')
    expect(posts.names()).toEqual(['mine', 'other', 'unpaid'])
  })
})

describe('the wait of a caller', () => {
  test('ends with what is in flight, and the advance continues in the background', async () => {
    const answered = gate()
    const posts = await openPosts((_post, index) => (index === 0 ? { status: 500, until: answered.opened } : {}))
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

  test('is counted in real time, and is at most ten minutes', async () => {
    const sandbox = await opened()
    expect((await sandbox.ask('POST', '/clock/advance', { by: '1h', wait: '11m' })).status).toBe(422)
    expect((await sandbox.ask('POST', '/clock/advance', { wait: '1s' })).status).toBe(422)
    expect(await sandbox.advance({ by: '30d', wait: '10s' })).toMatchObject({ complete: true, in_flight: [] })
  })
})

describe('an advance is canceled', () => {
  test('by a caller who leaves: what has run is kept, and the clock stays', async () => {
    const answered = gate()
    const posts = await openPosts(() => ({ status: 500, until: answered.opened }))
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

  test('on request, those that wait for their turn included; the next one begins where it stopped', async () => {
    const answered = gate()
    const posts = await openPosts(() => ({ until: answered.opened }))
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

  test('while a month is played: nothing more happens once the caller has left', async () => {
    const never = gate()
    const posts = await openPosts(() => ({ until: never.opened }))
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

describe('two at once', () => {
  test('run one after the other: the second tells what it waits for, and counts from where the first ends', async () => {
    const answered = gate()
    const posts = await openPosts(() => ({ until: answered.opened }))
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

  test('a scenario that is fast-forwarded waits for its turn, is canceled like any other, and stays where it is', async () => {
    const answered = gate()
    const posts = await openPosts(() => ({ until: answered.opened }))
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

test('a receiver that has let webhooks time out gets all that fall due at one moment side by side', async () => {
  const posts = await openPosts(() => null)
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
