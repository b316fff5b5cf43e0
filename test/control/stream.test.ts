/** The event stream: every change at once, from where the client stopped, and bounded if it does not read. */
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { maxRememberedChanges, rememberedChanges } from '../../src/core/unit/unit.js'
import { webhookWindow } from '../../src/protocol/platform/limits.js'
import { openClient } from '../support/client.js'
import { deliveriesOf, named } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { control, send } from '../support/http.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'

interface Reported {
  id: string
  event: string
  data: Record<string, unknown>
}

/** Reads a stream like an EventSource. */
async function listen(url: string, headers: Record<string, string> = {}) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).on('error', reject)
  })
  onTestFinished(() => void response.destroy())
  const reported: Reported[] = []
  let text = ''
  let ended = false
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
      if (field('event') !== '')
        reported.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) })
    }
  })
  response.on('error', () => {})
  response.on('close', () => {
    ended = true
  })
  return {
    response,
    reported,
    until: (count: number) =>
      eventually(
        async () => reported,
        () => reported.length >= count,
      ),
    ended: () =>
      eventually(
        async () => ended,
        (over) => over,
      ),
  }
}

test('each change is sent as it happens, with a type and an id to continue from', async () => {
  const { url } = await openSandbox()
  const stream = await listen(`${url}/_sandbox/stream`)
  expect(stream.response.headers['content-type']).toContain('text/event-stream')
  expect(stream.response.headers['x-request-id']).toMatch(/^req_/)
  const api = await openClient(url)
  const id = await api.charge()
  const { body } = await control(url)('POST', '/trigger', { action: 'cashin.pay', id })
  await eventually(
    async () => stream.reported,
    (reported) => reported.some(({ data }) => data.type === 'webhook'),
  )
  expect(stream.reported).toContainEqual(
    expect.objectContaining({
      event: 'transaction',
      data: expect.objectContaining({ type: 'transaction', id, status: 'confirmed' }),
    }),
  )
  expect(stream.reported).toContainEqual(
    expect.objectContaining({ event: 'webhook', data: expect.objectContaining({ id: body.events[0].id }) }),
  )
  expect(stream.reported.filter(({ event }) => event === 'request').map(({ data }) => data.path)).toEqual([
    '/v2/oauth/token',
    '/v2/transactions/cashin',
  ])
  expect(new Set(stream.reported.map((one) => one.id)).size).toBe(stream.reported.length)
})

test('the stream shows each step of a webhook: to be sent, to be retried, delivered, sent again on request', async () => {
  const posts = await openReceiver((_post, index) => ({ status: index === 0 ? 500 : 200 }))
  const { url } = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const stream = await listen(`${url}/_sandbox/stream?types=webhook`)
  const { body } = await control(url)('POST', '/trigger', { action: 'cashin.pay', create: true })
  await control(url)('POST', '/clock/advance', { until: 'idle' })
  await control(url)('POST', `/webhooks/${body.events[0].id}/redeliver`)
  const outcomes = await eventually(
    async () => stream.reported.map(({ data }) => [data.status, data.outcome]),
    (reported) => reported.length === 5,
  )
  expect(outcomes).toEqual([
    ['pending', undefined],
    ['pending', 'http_error'],
    ['delivered', 'ok'],
    ['delivered', undefined],
    ['delivered', 'ok'],
  ])
})

test('a webhook over the rate limit is reported as queued', async () => {
  const posts = await openReceiver()
  const { url } = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const stream = await listen(`${url}/_sandbox/stream?types=webhook`)
  const sandbox = await deliveriesOf(url)
  await sandbox.pay(named('order', webhookWindow.sends + 1))
  await sandbox.advance({ by: 0 })
  const { id } = await sandbox.event(named('order', webhookWindow.sends + 1).at(-1) ?? '')
  const reported = await eventually(
    async () => stream.reported.filter(({ data }) => data.status === 'queued').map(({ data }) => data.id),
    (queued) => queued.length > 0,
  )
  expect(reported).toEqual([id])
})

test('a change names its object: a transaction, a dispute, a wallet', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const stream = await listen(`${url}/_sandbox/stream?types=transaction,dispute,wallet`)
  for (const action of ['dispute.open', 'wallet.deposit'])
    await control(url)('POST', '/trigger', {
      action,
      create: true,
      ...(action === 'wallet.deposit' ? { amount: '1' } : {}),
    })
  await eventually(
    async () => new Set(stream.reported.map(({ event }) => event)),
    (types) => types.size === 3,
  )
})

test('a webhook without an address is reported as failed at once', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const stream = await listen(`${url}/_sandbox/stream?types=webhook`)
  const { body } = await control(url)('POST', '/trigger', { action: 'cashin.pay', create: true })
  await stream.until(1)
  expect(stream.reported.map(({ data }) => data)).toMatchObject([{ id: body.events[0].id, status: 'failed' }])
})

test('only the requested types are sent, and an unknown type is rejected', async () => {
  const { url } = await openSandbox()
  const stream = await listen(`${url}/_sandbox/stream?types=clock,account`)
  const call = control(url)
  await (await openClient(url)).charge()
  await call('PUT', '/clock', { mode: 'manual' })
  await call('POST', '/accounts', { username: 'new' })
  await stream.until(2)
  expect(stream.reported.map(({ event }) => event)).toEqual(['clock', 'account'])
  expect((await call('GET', '/stream?types=clok')).body.error.message).toContain('did you mean clock?')
  expect((await call('GET', '/stream?type=clock')).status).toBe(422)
})

test('a client that reconnects continues where it stopped', async () => {
  const { url } = await openSandbox()
  const call = control(url)
  const first = await listen(`${url}/_sandbox/stream?types=account`)
  for (const username of ['a1', 'a2', 'a3']) await call('POST', '/accounts', { username })
  await first.until(3)
  first.response.destroy()
  await call('POST', '/accounts', { username: 'a4' })
  const resume = first.reported[1]?.id ?? ''
  const second = await listen(`${url}/_sandbox/stream?types=account`, { 'Last-Event-ID': resume })
  await second.until(2)
  expect(second.reported.map(({ data }) => data.id)).toEqual(['a3', 'a4'])
  expect(second.reported[0]?.id).toBe(first.reported[2]?.id)
})

test('a client that was disconnected too long, or that knew another process, gets an event that says that changes are missing', async () => {
  const { url, workspace } = await openSandbox()
  const first = await listen(`${url}/_sandbox/stream`)
  await control(url)('POST', '/accounts', { username: 'a1' })
  await first.until(1)
  for (let at = 0; at < rememberedChanges + 10; at++) {
    workspace.bus.publish({ type: 'run', id: String(at) })
    // One change for each turn of the event loop, so that the first stream keeps up.
    if (at % 100 === 0) await new Promise(setImmediate)
  }
  for (const id of [first.reported[0]?.id ?? '', 'another-5', 'nonsense', '999999999999999999']) {
    const stream = await listen(`${url}/_sandbox/stream`, { 'Last-Event-ID': id })
    await stream.until(1)
    expect(stream.reported[0]?.event, id).toBe('gap')
    await control(url)('POST', '/accounts', {})
    await stream.until(2)
    expect(stream.reported[1]?.event).toBe('account')
    stream.response.destroy()
  }
})

test('a client that disconnects is forgotten, and HEAD adds no listener', async () => {
  const { url, workspace } = await openSandbox()
  const before = workspace.bus.listeners
  const streams = await Promise.all(Array.from({ length: 20 }, () => listen(`${url}/_sandbox/stream`)))
  expect(workspace.bus.listeners).toBe(before + 20)
  for (const { response } of streams) response.destroy()
  await eventually(
    async () => workspace.bus.listeners,
    (count) => count === before,
  )
  expect((await send('HEAD', `${url}/_sandbox/stream`)).status).toBe(200)
  expect(workspace.bus.listeners).toBe(before)
})

test('changes of one unit are sent together, however many they are', async () => {
  const { url, workspace } = await openSandbox()
  const { port, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const until = (part: string) =>
    eventually(
      async () => text,
      (seen) => seen.includes(part),
    )
  socket.write(`GET /_sandbox/stream?types=run HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await until('every change')
  for (let at = 0; at < 200; at++) workspace.bus.publish({ type: 'run', id: String(at) })
  await until('"199"')
  const lengths = text.split('\r\n').filter((line) => /^[0-9a-f]+$/.test(line))
  // The first event of the stream, and all changes.
  expect(lengths).toHaveLength(2)
})

test('a burst loses no change, however slow the client is', async () => {
  const { url, workspace } = await openSandbox()
  const all = await listen(`${url}/_sandbox/stream`)
  const runs = await listen(`${url}/_sandbox/stream?types=run`)
  const filler = 'x'.repeat(200)
  const count = maxRememberedChanges - 10
  for (let at = 0; at < count; at++)
    workspace.bus.publish({ type: at % 2 === 0 ? 'run' : 'inbox', id: String(at), filler })
  await all.until(count)
  await runs.until(count / 2)
  const numbers = Array.from({ length: count }, (_, at) => String(at))
  expect(all.reported.map(({ data }) => data.id)).toEqual(numbers)
  expect(runs.reported.map(({ data }) => data.id)).toEqual(numbers.filter((_, at) => at % 2 === 0))
})

test('a client that does not read takes bounded memory, and gets an event that says that changes are missing', async () => {
  const { url, workspace } = await openSandbox()
  const stream = await listen(`${url}/_sandbox/stream`)
  stream.response.pause()
  const filler = 'x'.repeat(1000)
  const rounds = maxRememberedChanges * 2
  for (let at = 0; at < rounds; at++) {
    workspace.bus.publish({ type: 'run', id: String(at), filler })
    if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  stream.response.resume()
  await eventually(
    async () => stream.reported.at(-1),
    (last) => last?.data.id === String(rounds - 1) || last?.event === 'gap',
  )
  expect(stream.reported.length).toBeLessThan(rounds)
  expect(stream.reported.some(({ event }) => event === 'gap')).toBe(true)
  await control(url)('POST', '/accounts', { username: 'after' })
  await eventually(
    async () => stream.reported.at(-1),
    (last) => last?.data.id === 'after',
  )
})

test('a stream ends with its sandbox and with its workspace', async () => {
  const sandbox = await openSandbox()
  const call = control(sandbox.url)
  await call('POST', '/workspaces', { name: 'short' })
  const own = await listen(`${sandbox.url}/w/short/_sandbox/stream`)
  const other = await listen(`${sandbox.url}/_sandbox/stream`)
  await call('DELETE', '/workspaces/short')
  await own.ended()
  expect(other.response.destroyed).toBe(false)
  // The test does not wait for it, because that would take longer than the test's time limit.
  await sandbox.close(300_000)
  await other.ended()
})
