/** Slow receivers are their own affair: a healthy one hears at once, in order, and nobody gets more than a few at a time. */
import { expect, test } from 'vitest'
import { laneWidth } from '../src/core/webhooks/lanes.js'
import { open } from './support/control.js'
import { deliveriesOf, named } from './support/deliveries.js'
import { openPosts, type Posts } from './support/posts.js'

async function opened(rateLimits = false) {
  return deliveriesOf((await open({ rateLimits })).url)
}

const arrival = async (posts: Posts, count: number) => {
  while (posts.all.length < count) await new Promise((resolve) => setTimeout(resolve, 2))
  return posts.all[count - 1]?.atMs ?? 0
}

test('two hundred receivers that hang do not hold up a healthy one', async () => {
  const [hanging, healthy] = [await openPosts(() => null), await openPosts()]
  const sandbox = await opened()
  const delayMs = async (name: string, count: number) => {
    await sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: name })
    const paidAtMs = performance.now()
    return (await arrival(healthy, count)) - paidAtMs
  }
  await sandbox.charge(['alone', 'among'], healthy.url)
  await delayMs('alone', 1)
  await Promise.all(named('hangs', 200).map((name, index) => sandbox.pay([name], `${hanging.url}/${index}`)))
  await arrival(hanging, 200)
  expect(hanging.open).toBe(200)
  expect(await delayMs('among', 2)).toBeLessThan(1000)
  expect(hanging.open).toBe(200)
})

test('a healthy receiver hears at once even when a whole crowd turns bad in the same moment', async () => {
  const [hanging, healthy] = [await openPosts(() => null), await openPosts()]
  const sandbox = await opened()
  await sandbox.call('PUT', '/clock', { mode: 'manual' })
  await Promise.all(named('hangs', 200).map((name, index) => sandbox.pay([name], `${hanging.url}/${index}`)))
  await sandbox.pay(['healthy'], healthy.url)
  await arrival(healthy, 1)
  expect(hanging.mostOpen).toBeLessThanOrEqual(200)
})

test('one receiver gets no more than a few at a time, however many wait for it', async () => {
  const posts = await openPosts(() => null)
  const sandbox = await opened()
  await sandbox.pay(named('order', 3 * laneWidth), posts.url)
  await arrival(posts, laneWidth)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(posts.mostOpen).toBe(laneWidth)
})

test('first attempts reach a receiver in the order of the events, one at a time while it keeps up', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  console.log(`seed ${seed}`)
  let state = seed
  const chance = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const posts = await openPosts(() => ({ status: chance() < 0.1 ? 500 : 200, delayMs: Math.floor(chance() * 30) }))
  const sandbox = await opened()
  const names = named('order', 120)
  await sandbox.pay(names, posts.url)
  await arrival(posts, 120)
  const firsts = () => [...new Set(posts.names())]
  while (firsts().length < names.length) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(firsts()).toEqual(names)
})
