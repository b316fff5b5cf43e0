/** Waiting for webhooks: each caller gets its event, and many waiting callers slow down nobody. */

import { expect, test } from 'vitest'
import { eventWaiters } from '../../src/core/delivery/await-event.js'
import { openClient } from '../support/client.js'
import { deliveriesOf, named } from '../support/deliveries.js'
import { effortMs } from '../support/effort.js'
import { eventually } from '../support/eventually.js'
import { type Body, control } from '../support/http.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'

const until = (look: () => boolean) => eventually(look, (isSo) => isSo)

test('each waiting caller gets the event that it describes, once it exists', async () => {
  const posts = await openReceiver(({ body }) => ({ status: JSON.parse(body).data.external_id === 'bad' ? 500 : 200 }))
  const running = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const sandbox = await deliveriesOf(running.url)
  await sandbox.charge(['good', 'bad', 'other'])
  const { data } = await sandbox.call('GET', '/transactions')
  const idOf = (name: string) => data.find((one: Body) => one.external_id === name).transaction_id
  const descriptions = {
    'by the charge': `transaction_id=${idOf('good')}`,
    'by the external id': 'external_id=good',
    'by the event and the charge': `event=cashin.confirmed&transaction_id=${idOf('good')}`,
    'by the refund of the charge': `event=cashin.refunded&transaction_id=${idOf('good')}`,
    'by the event alone': 'event=cashin.refunded',
    'by nothing': '',
    'until it has failed for good': `external_id=bad&status=failed`,
    'until it is over, one way or the other': `external_id=bad&status=settled`,
    'while it is still to be tried': `external_id=bad&status=pending`,
  }
  const answers = Object.values(descriptions).map((text) => sandbox.call('GET', `/webhooks/wait?${text}&timeout=2m`))
  await until(() => running.workspace.state.of(eventWaiters).size === answers.length)
  const act = (action: string, id: string) => sandbox.call('POST', '/trigger', { action, id })
  for (const id of ['good', 'bad', 'other']) await act('cashin.pay', id)
  await act('cashin.refund', 'good')
  await sandbox.advance({ until: 'idle' })
  const reported = (await Promise.all(answers)).map(({ event, external_id, status }) => [event, external_id, status])
  const good = ['cashin.confirmed', 'good', 'delivered']
  const refunded = ['cashin.refunded', 'good', 'delivered']
  const failed = ['cashin.confirmed', 'bad', 'failed']
  const seen = Object.fromEntries(Object.keys(descriptions).map((name, index) => [name, reported[index]]))
  expect(seen).toEqual({
    'by the charge': good,
    'by the external id': good,
    'by the event and the charge': good,
    'by the refund of the charge': refunded,
    'by the event alone': refunded,
    'by nothing': expect.arrayContaining(['delivered']),
    'until it has failed for good': failed,
    'until it is over, one way or the other': failed,
    'while it is still to be tried': ['cashin.confirmed', 'bad', 'pending'],
  })
  expect(running.workspace.state.of(eventWaiters).size).toBe(0)
})

const usdtOnTron = { currency: 'USDT', chain: 'tron' }

test('a caller that waits for one event is answered at once when its last attempt has failed', async () => {
  const posts = await openReceiver(() => ({ status: 500 }))
  const running = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const sandbox = await deliveriesOf(running.url)
  await sandbox.charge(['bad'])
  const wait = () => sandbox.ask('GET', '/webhooks/wait?event=cashin.confirmed&external_id=bad&timeout=5m')
  const before = wait()
  await until(() => running.workspace.state.of(eventWaiters).size === 1)
  await sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: 'bad' })
  await sandbox.advance({ until: 'idle' })
  for (const { status, body } of [await before, await wait()]) {
    expect([status, body.error.code]).toEqual([408, 'WAIT_TIMEOUT'])
    expect(body.error.message).toMatch(
      /^No such event was delivered within \d{1,5} ms: cashin\.confirmed .* HTTP 500 .*; there is no further attempt\.$/,
    )
    expect(body.error.details.matching).toMatchObject([{ event: 'cashin.confirmed', status: 'failed' }])
  }
})

test('the error of a wait for another event of a wallet describes its state', async () => {
  const running = await openSandbox({ clock: 'manual' })
  const sandbox = await deliveriesOf(running.url)
  const { data } = await (await openClient(running.url)).post('/v2/transactions/wallet', usdtOnTron)
  const query = `event=cashin.confirmed&transaction_id=${data.wallet_id}&timeout=10ms`
  const { body } = await sandbox.ask('GET', `/webhooks/wait?${query}`)
  expect(body.error.message).toContain(`: wallet ${data.wallet_id} is created;`)
})

test('a caller whose wait times out gets the events that did occur, and leaves nothing behind', async () => {
  const running = await openSandbox({ clock: 'manual' })
  const sandbox = await deliveriesOf(running.url)
  await sandbox.pay(['order'])
  const late = await sandbox.ask('GET', '/webhooks/wait?external_id=order&timeout=50ms')
  expect([late.status, late.body.error.code]).toEqual([408, 'WAIT_TIMEOUT'])
  expect(late.body.error.details.matching).toMatchObject([{ event: 'cashin.confirmed', status: 'failed' }])
  const id = late.body.error.details.matching[0].transaction_id
  const messageOf = async (query: string) =>
    (await sandbox.ask('GET', `/webhooks/wait?event=cashin.expired&timeout=50ms&${query}`)).body.error.message
  for (const query of ['external_id=order', `transaction_id=${id}`])
    expect(await messageOf(query)).toMatch(
      new RegExp(
        `: cashin ${id} is confirmed; its last event cashin\\.confirmed \\(evt_\\w+\\) has no webhook URL\\.$`,
      ),
    )
  expect(await messageOf('external_id=none')).toMatch(/: nothing has the id none\.$/)
  const gone = new AbortController()
  const abandoned = fetch(`${running.url}/_sandbox/webhooks/wait?event=cashout.failed`, { signal: gone.signal })
  await until(() => running.workspace.state.of(eventWaiters).size === 1)
  gone.abort()
  await expect(abandoned).rejects.toThrow()
  await until(() => running.workspace.state.of(eventWaiters).size === 0)
})

test('a thousand waiting callers do not slow down others', async () => {
  const posts = await openReceiver()
  const running = await openSandbox({ webhookUrl: posts.url, rateLimits: false })
  const api = await openClient(running.url)
  const ask = control(running.url)
  const pay = async (prefix: string) => {
    const names = named(prefix, 100)
    await Promise.all(names.map((external_id) => api.charge({ external_id })))
    const before = posts.all.length
    return effortMs(async () => {
      await Promise.all(names.map((id) => ask('POST', '/trigger', { action: 'cashin.pay', id })))
      await until(() => posts.all.length === before + names.length)
    })
  }
  await pay('warm')
  const aloneMs = await pay('alone')
  const gone = new AbortController()
  const waiting: Promise<Response>[] = []
  // A hundred at once: more connections than the system queues would be repeated after seconds, or time out.
  for (let count = 100; count <= 1000; count += 100) {
    for (const name of named(`never-${count}`, 100))
      waiting.push(
        fetch(`${running.url}/_sandbox/webhooks/wait?external_id=${name}&timeout=10m`, { signal: gone.signal }),
      )
    await until(() => running.workspace.state.of(eventWaiters).size === count)
  }
  const amongMs = await pay('among')
  gone.abort()
  await Promise.allSettled(waiting)
  // If each caller queried the database at each change, this would take more than ten times as long.
  expect(amongMs).toBeLessThan(4 * aloneMs + 100)
})
