/** A store that refuses for a while, inside one process: what became of a webhook is written down later, and nothing is sent for it twice. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, open } from './support/control.js'
import { deliveriesOf, named } from './support/deliveries.js'
import { setStore, watchWrites } from './support/failing-store.js'
import { gate } from './support/gate.js'
import { openPosts } from './support/posts.js'

let stopWatching = () => {}
beforeAll(() => {
  stopWatching = watchWrites()
})
afterAll(() => {
  setStore('free')
  stopWatching()
})

test('webhooks that are answered meanwhile are written down once there is room, each with its one attempt', async () => {
  const full = gate()
  const posts = await openPosts(() => ({ until: full.opened }))
  const sandbox = await deliveriesOf((await open({ webhookUrl: posts.url })).url)
  const names = named('order', 5)
  await sandbox.pay(names)
  await eventually(
    async () => posts.open,
    (count) => count === names.length,
  )
  setStore('full')
  full.open()
  // Whoever waits for the deliveries learns that they cannot be written down.
  const { status } = await sandbox.ask('POST', '/clock/advance', { by: 0 })
  expect(status).toBe(503)
  setStore('free')
  for (const name of names) await sandbox.eventOnce(name, (event) => event.status === 'delivered')
  for (const name of names) expect((await sandbox.event(name)).attempts).toMatchObject([{ outcome: 'ok' }])
  expect(posts.all).toHaveLength(names.length)
})
