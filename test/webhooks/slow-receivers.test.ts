/** Slow receivers delay nobody else: healthy ones get webhooks at once, events of one object stay in order, and each receiver gets only a few at a time. */
import { expect, test } from 'vitest'
import { maxPerReceiver, maxQuickDeliveries } from '../../src/core/delivery/queue.js'
import { deliveriesOf, disorder, named } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { seedOf } from '../support/figures.js'
import { gate } from '../support/gate.js'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'
import { sendingWithin } from '../support/workers.js'

/** Long enough that no webhook times out during a test. */
const patient = sendingWithin({ totalMs: 170_000 })

async function opened(rateLimits = false) {
  return deliveriesOf((await openSandbox({ rateLimits }, patient)).url)
}

const arrival = async (posts: Receiver, count: number) => {
  await eventually(
    () => posts.all.length,
    (came) => came >= count,
  )
  return posts.all[count - 1]?.atMs ?? 0
}

test('two hundred hanging receivers do not delay a healthy one', async () => {
  const [hanging, healthy] = [await openReceiver(() => null), await openReceiver()]
  const sandbox = await opened()
  await sandbox.charge(['among'], healthy.url)
  await Promise.all(named('hangs', 200).map((name, index) => sandbox.pay([name], `${hanging.url}/${index}`)))
  await arrival(hanging, 200)
  expect(hanging.open).toBe(200)
  await sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: 'among' })
  await arrival(healthy, 1)
  // None of them has timed out.
  expect(hanging.open).toBe(200)
})

test('more hanging receivers than there are connections are all called, once the first are known to be slow', async () => {
  const hanging = await openReceiver(() => null)
  const sandbox = await opened()
  const many = named('hangs', maxQuickDeliveries + 44)
  await Promise.all(many.map((name) => sandbox.charge([name], `${hanging.url}/${name}`)))
  // Held until a moment that all of them share.
  await sandbox.call('PUT', '/clock', { mode: 'manual' })
  await Promise.all(many.map((id) => sandbox.call('POST', '/trigger', { action: 'cashin.pay', id })))
  await arrival(hanging, many.length)
  expect(hanging.externalIds().toSorted()).toEqual(many)
})

test('a healthy receiver is called at once even when many others fail in the same moment', async () => {
  const [hanging, healthy] = [await openReceiver(() => null), await openReceiver()]
  const sandbox = await opened()
  await Promise.all(named('hangs', 200).map((name, index) => sandbox.charge([name], `${hanging.url}/${index}`)))
  await sandbox.charge(['healthy'], healthy.url)
  // Held until a moment that all of them share.
  await sandbox.call('PUT', '/clock', { mode: 'manual' })
  const paid = named('hangs', 200).map((id) => sandbox.call('POST', '/trigger', { action: 'cashin.pay', id }))
  await Promise.all([...paid, sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: 'healthy' })])
  await arrival(healthy, 1)
  await arrival(hanging, 200)
  expect(hanging.open).toBe(200)
})

/** A receiver that answers one request at a time, when the test allows it. */
async function answering() {
  const answers: (() => void)[] = []
  const posts = await openReceiver(() => ({ until: new Promise<void>((resolve) => answers.push(resolve)) }))
  const next = async () => {
    await eventually(
      () => answers.length,
      (count) => count > 0,
    )
    answers.shift()?.()
  }
  return { posts, next }
}

test('one receiver gets at most a few webhooks at a time, however many wait for it', async () => {
  const { posts, next } = await answering()
  const sandbox = await opened()
  // It has answered once, so that it does not count as one that never does.
  await sandbox.pay(['answered'], posts.url)
  await next()
  await sandbox.eventOnce('answered', ({ status }) => status === 'delivered')
  const waiting = 3 * maxPerReceiver
  await sandbox.pay(named('order', waiting), posts.url)
  await arrival(posts, 1 + maxPerReceiver)
  // When another receiver has a webhook, the waiting ones have had their turn.
  const other = await openReceiver()
  await sandbox.pay(['elsewhere'], other.url)
  await arrival(other, 1)
  // Each answer lets the next one go.
  for (let count = 2 + maxPerReceiver; count <= 1 + waiting; count++) {
    await next()
    await arrival(posts, count)
  }
  expect(posts.mostOpen).toBe(maxPerReceiver)
})

test('a queued webhook is never sent after a reset, nor is one that falls due with the reset', async () => {
  const busy = gate()
  const posts = await openReceiver(() => ({ until: busy.opened }))
  const { url } = await openSandbox({ rateLimits: false, webhookUrl: posts.url }, patient)
  const sandbox = await deliveriesOf(url)
  const pay = (name: string) => sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: name })
  const [first, second] = [named('first', maxPerReceiver), named('second', 8)]
  await sandbox.charge([...first, ...second, 'last'])
  await Promise.all(first.map(pay))
  await eventually(
    async () => posts.open,
    (count) => count === maxPerReceiver,
  )
  await Promise.all(second.map(pay))
  await pay('last')
  await sandbox.call('POST', '/reset')
  busy.open()
  const again = await deliveriesOf(url)
  await again.pay(['after'])
  await again.eventOnce('after', ({ status }) => status === 'delivered')
  await again.advance({ by: 0 })
  expect(posts.externalIds().toSorted()).toEqual(['after', ...first])
})

test('events of one object are sent one after the other, those of others in parallel', async () => {
  const { posts, next } = await answering()
  const sandbox = await opened()
  await sandbox.pay(['first', 'second'], posts.url)
  for (const name of ['first', 'second']) await sandbox.call('POST', '/trigger', { action: 'cashin.refund', id: name })
  await arrival(posts, 2)
  await sandbox.pay(['third'], posts.url)
  await arrival(posts, 3)
  expect(eventsOf(posts)).toEqual(['first confirmed', 'second confirmed', 'third confirmed'])
  await next()
  await arrival(posts, 4)
  expect(eventsOf(posts).at(-1)).toBe('first refunded')
  await next()
  await arrival(posts, 5)
  expect(eventsOf(posts).at(-1)).toBe('second refunded')
  expect(posts.mostOpen).toBe(3)
})

const eventsOf = (posts: Receiver) =>
  posts.all.map(({ body }, index) => {
    const { event, data } = JSON.parse(body)
    return `${data.external_id ?? posts.externalIds()[index]} ${event.split('.')[1]}`
  })

test('first attempts start in the order of the events, and only one at a time for each object', async () => {
  const seed = seedOf('RECEIVER_SEED')
  console.log(`RECEIVER_SEED=${seed}`)
  let state = seed
  const chance = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const open = new Set<string>()
  const overlapping: string[] = []
  const posts = await openReceiver(({ body }) => {
    const { external_id: name } = JSON.parse(body).data
    if (open.has(name)) overlapping.push(name)
    open.add(name)
    return { status: chance() < 0.1 ? 500 : 200, delayMs: Math.floor(chance() * 30), answered: () => open.delete(name) }
  })
  const sandbox = await opened()
  const names = named('order', 60)
  await sandbox.charge(names, posts.url)
  const act = (action: string) => Promise.all(names.map((id) => sandbox.call('POST', '/trigger', { action, id })))
  await act('cashin.pay')
  await act('cashin.refund')
  const firsts = () => [...new Set(eventsOf(posts))]
  await eventually(firsts, (events) => events.length >= 2 * names.length)
  expect(overlapping).toEqual([])
  for (const name of names)
    expect(firsts().filter((text) => text.startsWith(name))).toEqual([`${name} confirmed`, `${name} refunded`])
  const { data } = await sandbox.call('GET', '/webhooks?limit=100&event=cashin.confirmed')
  const inOrder = data.map(({ external_id }: { external_id: string }) => `${external_id} confirmed`).reverse()
  const came = firsts().filter((text) => text.endsWith('confirmed'))
  expect(disorder(came, inOrder)).toBeLessThan(maxPerReceiver)
})

test('a backlog for one receiver is sent in parallel', async () => {
  // The receiver answers only when the allowed number is open, so sequential webhooks would never be answered.
  const full = Array.from({ length: 5 }, gate)
  const posts = await openReceiver((_post, index) => {
    const round = full[Math.floor(index / maxPerReceiver)]
    if ((index + 1) % maxPerReceiver === 0) round?.open()
    return { until: round?.opened ?? Promise.resolve() }
  })
  const sandbox = await opened()
  const names = named('order', full.length * maxPerReceiver)
  await sandbox.pay(names, posts.url)
  await arrival(posts, names.length)
  expect(posts.mostOpen).toBe(maxPerReceiver)
})
