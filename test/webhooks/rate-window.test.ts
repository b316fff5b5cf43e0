/** At most a hundred webhooks in any 60 s for each integration: the others wait 120 s, keep their order, use no attempt, and are not lost. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { maxPerReceiver } from '../../src/core/delivery/queue.js'
import type { Config } from '../../src/protocol/settings/platform.js'
import { basicOf, requestToken } from '../support/client.js'
import { deliveriesOf, disorder, named, nextInMs, offsetsOf } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { figure } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { gate } from '../support/gate.js'
import type { Body } from '../support/http.js'
import { startKillable } from '../support/killable.js'
import { plainFetch } from '../support/plain-fetch.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'

async function held(config: Partial<Config>) {
  const sandbox = await openSandbox({ clock: 'manual', ...config })
  return deliveriesOf(sandbox.url)
}

type Sandbox = Awaited<ReturnType<typeof held>>

/** Requires exactly these webhooks, approximately in order. */
function expectInOrder(came: readonly string[], expected: readonly string[]): void {
  expect([...came].sort()).toEqual([...expected].sort())
  expect(disorder(came, expected)).toBeLessThan(maxPerReceiver)
}

/** Counts the events by status. */
async function statuses(sandbox: Sandbox): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let after = ''
  do {
    const page: Body = await sandbox.call('GET', `/webhooks?limit=100${after}`)
    for (const { status } of page.data) counts[status] = (counts[status] ?? 0) + 1
    after = page.next === null ? '' : `&after=${page.next}`
  } while (after !== '')
  return counts
}

describe('250 events at once', () => {
  test('are sent as 100, then 100 more after 120 s, then 50, in order', async () => {
    const posts = await openReceiver()
    const sandbox = await held({ webhookUrl: posts.url })
    const names = named('order', 250)
    await sandbox.pay(names)
    await sandbox.advance({ by: 0 })
    expectInOrder(posts.externalIds(), names.slice(0, 100))
    expect(await statuses(sandbox)).toEqual({ delivered: 100, queued: 150 })
    const waiting = await sandbox.event('order-0100')
    expect(waiting).toMatchObject({ status: 'queued', attempts: [] })
    expect(nextInMs(waiting)).toBe(120_000)
    await sandbox.advance({ by: '119999ms' })
    expect(posts.all).toHaveLength(100)
    await sandbox.advance({ by: '1ms' })
    expectInOrder(posts.externalIds(), names.slice(0, 200))
    expect(nextInMs(await sandbox.event('order-0249'))).toBe(240_000)
    await sandbox.advance({ until: 'idle' })
    expectInOrder(posts.externalIds(), names)
    expect(await statuses(sandbox)).toEqual({ delivered: 250 })
    for (const name of ['order-0000', 'order-0150', 'order-0249'])
      expect((await sandbox.event(name)).attempts).toMatchObject([{ number: 1, outcome: 'ok' }])
  })

  test('are sent in the same way if a kill interrupts them', async () => {
    const posts = await openReceiver(() => ({ delayMs: 3 }))
    const db = join(temporaryFolder(), 'sandbox.db')
    const start = () => startKillable({ db, clock: 'manual', webhookUrl: posts.url })
    const first = await start()
    const names = named('order', figure(120, 250))
    const before = await deliveriesOf(first.url)
    const paying = before.pay(names).catch(() => undefined)
    await eventually(
      () => posts.all.length,
      (count) => count >= 40,
    )
    await first.kill()
    await paying

    const second = await start()
    const sandbox = await deliveriesOf(second.url)
    const paid = new Set<string>()
    for (let next: string | null = ''; next !== null; ) {
      const more = next === '' ? '' : `&after=${next}`
      const page = await sandbox.call('GET', `/transactions?status=confirmed&limit=100${more}`)
      for (const { external_id } of page.data) paid.add(external_id)
      next = page.next
    }
    await sandbox.pay(names.filter((name) => !paid.has(name)))
    await sandbox.advance({ by: 0 })
    const firsts = () => [...new Set(posts.externalIds())]
    expectInOrder(firsts(), names.slice(0, 100))
    await sandbox.advance({ by: '120s' })
    expectInOrder(firsts(), names.slice(0, 200))
    await sandbox.advance({ by: '120s' })
    expectInOrder(firsts(), names)
    expect(await statuses(sandbox)).toEqual({ delivered: names.length })
    // Only webhooks that were in flight at the kill are sent again.
    expect(posts.all.length).toBeLessThanOrEqual(names.length + maxPerReceiver)
  })
})

describe('the rate window', () => {
  test('slides: a send counts for 60 s to the millisecond', async () => {
    const posts = await openReceiver()
    const sandbox = await held({ webhookUrl: posts.url })
    await sandbox.pay(named('a', 60))
    await sandbox.advance({ by: '30s' })
    await sandbox.pay(named('b', 40))
    await sandbox.advance({ by: '29999ms' })
    await sandbox.pay(['too-early'])
    expect((await sandbox.eventOnce('too-early', ({ status }) => status !== 'pending')).status).toBe('queued')
    await sandbox.advance({ by: '1ms' })
    await sandbox.pay(named('c', 61))
    await sandbox.advance({ by: 0 })
    expectInOrder(posts.externalIds(), [...named('a', 60), ...named('b', 40), ...named('c', 60)])
    expect((await sandbox.event('c-0060')).status).toBe('queued')
  })

  test.each(['credential', 'account'] as const)('is separate for each %s', async (webhookRateKey) => {
    const posts = await openReceiver()
    const { url } = await openSandbox({ clock: 'manual', webhookUrl: posts.url, webhookRateKey })
    const [merchant, customer] = [await deliveriesOf(url), await deliveriesOf(url, 'customer')]
    await merchant.pay(named('merchant', 101))
    await merchant.advance({ by: 0 })
    await customer.pay(named('customer', 101))
    await customer.advance({ by: 0 })
    expectInOrder(posts.externalIds(), [...named('merchant', 100), ...named('customer', 100)])
  })

  test.each([
    ['credential', 120],
    ['account', 100],
  ] as const)('counts the webhooks of a %s together, as configured', async (webhookRateKey, sent) => {
    const posts = await openReceiver()
    const { url } = await openSandbox({ clock: 'manual', webhookUrl: posts.url, webhookRateKey })
    const first = await deliveriesOf(url)
    const { client_id, client_secret } = await first.call('POST', '/accounts/merchant/credentials', {})
    const token = await requestToken(url, basicOf(client_id, client_secret))
    const headers = { Authorization: `Bearer ${token.body.access_token}`, 'Content-Type': 'application/json' }
    await first.pay(named('first', 60))
    for (const external_id of named('second', 60)) {
      const body = JSON.stringify({ amount: 10, currency: 'BRL', external_id })
      expect((await plainFetch(`${url}/v2/transactions/cashin`, { method: 'POST', headers, body })).status).toBe(200)
      await first.call('POST', '/trigger', { action: 'cashin.pay', id: external_id })
    }
    await first.advance({ by: '1s' })
    expect(posts.all).toHaveLength(sent)
    await first.advance({ until: 'idle' })
    expect(posts.all).toHaveLength(120)
  })

  test('counts retries and manual redeliveries, and a queued retry has used no attempt', async () => {
    const posts = await openReceiver((_post, index) => ({ status: index === 0 ? 500 : 200 }))
    const sandbox = await held({ webhookUrl: posts.url })
    await sandbox.pay(['fails-once'])
    await sandbox.advance({ by: 0 })
    await sandbox.pay(named('order', 98))
    await sandbox.advance({ by: 0 })
    const { id } = await sandbox.event('order-0000')
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    await sandbox.advance({ by: '1s' })
    const queued = await sandbox.event('fails-once')
    expect(queued).toMatchObject({ status: 'queued', attempts: [{ number: 1 }] })
    expect(nextInMs(queued)).toBe(121_000)
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    expect((await sandbox.eventOnce('order-0000', ({ status }) => status === 'queued')).attempts).toHaveLength(2)
    await sandbox.advance({ until: 'idle' })
    expect(offsetsOf(await sandbox.event('fails-once'))).toEqual([0, 121_000])
    expect(await sandbox.event('order-0000')).toMatchObject({ status: 'delivered', attempts: [{}, {}, {}] })
  })

  test('leaves a delivered event delivered when its repetition was queued and failed', async () => {
    const posts = await openReceiver((_post, index) => ({ status: index < 100 ? 200 : 500 }))
    const sandbox = await held({ webhookUrl: posts.url })
    await sandbox.pay(named('order', 100))
    await sandbox.advance({ by: 0 })
    const { id } = await sandbox.event('order-0007')
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    await sandbox.eventOnce('order-0007', ({ status }) => status === 'queued')
    await sandbox.advance({ until: 'idle' })
    expect(await sandbox.event('order-0007')).toMatchObject({ status: 'delivered', next_attempt_at: null })
  })

  test('shows the sooner of two attempts of an event that is queued and redelivered by hand', async () => {
    const posts = await openReceiver()
    const sandbox = await held({ webhookUrl: posts.url })
    await sandbox.pay(named('order', 101))
    await sandbox.advance({ by: '1s' })
    const { id } = await sandbox.event('order-0100')
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    await sandbox.advance({ by: 0 })
    const queued = await sandbox.event('order-0100')
    expect([queued.status, nextInMs(queued)]).toEqual(['queued', 120_000])
    await sandbox.advance({ until: 'idle' })
    expect(offsetsOf(await sandbox.event('order-0100'))).toEqual([0, 1000])
  })

  test.each([
    [200, 'delivered'],
    [500, 'pending'],
  ])(
    'shows the sooner of two attempts of an event that was answered with %i and is queued twice more',
    async (answer, status) => {
      const posts = await openReceiver((_post, index) => ({ status: index < 100 ? 200 : answer }))
      const sandbox = await held({ webhookUrl: posts.url })
      await sandbox.pay(named('order', 101))
      const { id } = await sandbox.event('order-0100')
      for (const by of ['1s', '1s']) {
        await sandbox.advance({ by })
        await sandbox.call('POST', `/webhooks/${id}/redeliver`)
      }
      await sandbox.advance({ by: 0 })
      await sandbox.advance({ by: '118s' })
      const event = await sandbox.event('order-0100')
      expect([event.status, nextInMs(event)]).toEqual([status, 121_000])
    },
  )

  test('does not affect, even when full, an event that a manual redelivery has delivered meanwhile', async () => {
    const first = gate()
    const posts = await openReceiver(({ body }) =>
      JSON.parse(body).event === 'cashin.refunded' || !body.includes('"last"') ? {} : { until: first.opened },
    )
    const sandbox = await held({ webhookUrl: posts.url })
    await sandbox.pay(named('order', 98))
    await sandbox.advance({ by: 0 })
    await sandbox.pay(['last'])
    await sandbox.call('POST', '/trigger', { action: 'cashin.refund', id: 'last' })
    await eventually(
      async () => posts.open,
      (open) => open === 1,
    )
    const { id } = await sandbox.event('last')
    await sandbox.call('POST', `/webhooks/${id}/redeliver`)
    await sandbox.eventOnce('last', ({ status }) => status === 'delivered')
    first.open()
    await sandbox.advance({ by: 0 })
    expect(await sandbox.event('last')).toMatchObject({ id, status: 'delivered', next_attempt_at: null })
    expect(posts.all).toHaveLength(100)
  })

  test('is cleared by a reset, and does not exist with rate limits off', async () => {
    const posts = await openReceiver()
    const limited = await held({ webhookUrl: posts.url })
    await limited.pay(named('order', 100))
    await limited.advance({ by: 0 })
    await limited.call('POST', '/reset')
    const again = await openSandbox({ clock: 'manual', webhookUrl: posts.url, rateLimits: false })
    const unlimited = await deliveriesOf(again.url)
    await unlimited.pay(named('free', 150))
    await unlimited.advance({ by: 0 })
    expectInOrder(
      posts.externalIds().filter((name) => name.startsWith('free')),
      named('free', 150),
    )
  })
})
