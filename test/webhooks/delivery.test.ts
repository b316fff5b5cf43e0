/** Sent webhooks and the records of good and hostile receivers, end to end over real sockets. */

import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { deliveryState } from '../../src/core/delivery/queue.js'
import { webhookTimeouts } from '../../src/protocol/platform/limits.js'
import { built } from '../support/built.js'
import { type Deliveries, deliveriesOf, named } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { asKilled, temporaryFolder } from '../support/folder.js'
import { closedPort } from '../support/free-port.js'
import { gate } from '../support/gate.js'
import { answer, answers, floods, toFetch } from '../support/hostile-answers.js'
import {
  certificatePath,
  type HostileOptions,
  type HostileReceiver,
  startHostile,
} from '../support/hostile-receiver.js'
import type { Body } from '../support/http.js'
import { startProgram } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'
import { onWorkers, sendingWithin } from '../support/workers.js'

const targets: HostileReceiver[] = []
afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()))
})

async function hostile(options: HostileOptions): Promise<HostileReceiver> {
  const target = await startHostile(options)
  targets.push(target)
  return target
}

/** workerd's `fetch` does not say why a receiver is unreachable. */
const outcomeOfFetch = (outcome: string) => (outcome === 'connect_timeout' ? 'timeout' : 'reset')

/** Pays one charge for each URL at once, and returns their events after the first attempt. */
async function firstAttempts(sandbox: Deliveries, urls: readonly string[]): Promise<Body[]> {
  const names = named('order', urls.length)
  await Promise.all(names.map((name, index) => sandbox.pay([name], urls[index])))
  await sandbox.advance({ by: 0 })
  return Promise.all(names.map((name) => sandbox.event(name)))
}

test('a webhook has exactly the documented headers and the stored bytes', async () => {
  const posts = await openReceiver()
  const sandbox = await deliveriesOf((await openSandbox({ clock: 'manual', webhookUrl: posts.url })).url)
  await sandbox.pay(['order'])
  const event = await sandbox.eventOnce('order', ({ status }) => status === 'delivered')
  const [post] = posts.all
  const { host, connection, 'content-length': length, ...headers } = post?.headers ?? {}
  expect(headers).toEqual({
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/2.0',
    'x-sandbox': '1',
    'x-webhook-event': 'cashin.confirmed',
    'x-webhook-id': event.id,
    'x-webhook-signature': createHmac('sha256', secretsOf('merchant').webhookSecret)
      .update(post?.body ?? '')
      .digest('hex'),
    'x-webhook-timestamp': expect.stringMatching(/^\d{10}$/),
  })
  expect([host, length]).toEqual([`127.0.0.1:${posts.port}`, String(Buffer.byteLength(event.body))])
  // HTTP keeps connections open by default.
  expect(connection ?? 'keep-alive').toBe('keep-alive')
  expect(post?.body).toBe(event.body)
})

describe('receivers that misbehave', () => {
  test('have documented outcomes, and one more attempt a second later unless acknowledged', async () => {
    const sandbox = await deliveriesOf((await openSandbox({ clock: 'manual', rateLimits: false })).url)
    const cases = Object.values(answers)
    const receivers = await Promise.all(cases.map(({ behave }) => hostile({ onRequest: behave })))
    const events = await firstAttempts(
      sandbox,
      receivers.map(({ url }) => url),
    )
    const expected = Object.entries(answers).map(([name, { behave: _, ...usual }]) => ({
      name,
      ...usual,
      ...(onWorkers ? toFetch[name] : {}),
    }))
    const seen = expected.map(({ name }, index) => {
      const [{ outcome, status, response_body: body }, ...more] = events[index].attempts
      expect(more, name).toEqual([])
      return { name, outcome, status, body }
    })
    expect(seen).toEqual(expected)
    for (const [index, { outcome }] of expected.entries()) {
      const nextMs = Date.parse(events[index].next_attempt_at ?? events[index].created_at)
      expect([events[index].status, nextMs - Date.parse(events[index].created_at)]).toEqual(
        outcome === 'ok' ? ['delivered', 0] : ['pending', 1000],
      )
    }
    expect(receivers.map(({ requests }) => requests.length)).toEqual(cases.map(() => 1))
  })

  test('with endless responses are cut off at their timeout, or 1 s into the body, in bounded memory', async () => {
    const totalMs = onWorkers ? webhookTimeouts.totalMs : 1500
    const opened = async (options = {}) =>
      deliveriesOf((await openSandbox({ clock: 'manual', rateLimits: false }, options)).url)
    const [hasty, patient] = [await opened(sendingWithin({ totalMs })), await opened()]
    const cases = Object.entries(floods).map(([name, flood]) => ({ ...flood, ...(onWorkers ? toFetch[name] : {}) }))
    const receivers = await Promise.all(cases.map(({ behave }) => hostile({ onRequest: behave })))
    const beforeMb = process.resourceUsage().maxRSS / 1024
    // Only those that time out get a limit that this process could miss while it stands still.
    const urlsOf = (timesOut: boolean) =>
      receivers.filter((_, index) => (cases[index]?.outcome === 'timeout') === timesOut).map(({ url }) => url)
    const found = [...(await firstAttempts(hasty, urlsOf(true))), ...(await firstAttempts(patient, urlsOf(false)))]
    for (const [index, { outcome, status }] of cases.entries()) {
      const event = found.find(({ url }) => url === receivers[index]?.url)
      expect(event.attempts).toMatchObject([{ outcome, status }])
      const [{ duration_ms, response_body }] = event.attempts
      // Timers of workerd start before the last computation.
      if (outcome === 'timeout' && !onWorkers) expect(duration_ms).toBeGreaterThanOrEqual(totalMs - 10)
      expect(Buffer.byteLength(response_body ?? '')).toBeLessThanOrEqual(64 * 1024)
    }
    await Promise.all(receivers.map((receiver) => receiver.idle()))
    // The receivers run in this process too.
    expect(process.resourceUsage().maxRSS / 1024 - beforeMb).toBeLessThan(300)
  })

  test('that cannot be reached have the reason recorded', async () => {
    // No limit that this process could miss while it stands still. Only a receiver that never answers waits for its limit.
    const patient = await deliveriesOf((await openSandbox({ clock: 'manual' })).url)
    const hasty = await deliveriesOf((await openSandbox({ clock: 'manual' }, sendingWithin({ connectMs: 500 }))).url)
    const silent = await hostile({})
    const plain = await hostile({ onConnection: (socket) => socket.end(answer(400, 'speak http')) })
    const secure = await Promise.all(
      ['self-signed', 'expired', 'wrong-name'].map((certificate) => hostile({ certificate })),
    )
    const cases: [string, string][] = [
      [`http://127.0.0.1:${closedPort}/`, 'refused'],
      ['https://nobody.invalid/hook', 'dns'],
      [`https://localhost:${plain.port}/`, 'tls'],
      ...secure.map(({ url }): [string, string] => [url, 'tls']),
      [`https://127.0.0.1:${silent.port}/`, 'connect_timeout'],
    ]
    const urls = cases.map(([url]) => url)
    const events = [
      ...(await firstAttempts(patient, urls.slice(0, -1))),
      ...(await firstAttempts(hasty, urls.slice(-1))),
    ]
    const expected = cases.map(([url, outcome]) => [url, onWorkers ? outcomeOfFetch(outcome) : outcome])
    expect(events.map(({ url, attempts }) => [url, attempts[0].outcome])).toEqual(expected)
    for (const { status, attempts } of events) {
      expect([status, attempts[0].status, attempts[0].response_body]).toEqual(['pending', null, null])
      expect(attempts[0].detail).not.toBe('')
    }
    expect(secure.flatMap(({ requests }) => requests)).toEqual([])
  })

  test("with a certificate of a private authority work once the authority is added, only for the certificate's name and time", async () => {
    await built()
    const env = { NODE_EXTRA_CA_CERTS: certificatePath('ca.pem') }
    const program = await startProgram(['--clock', 'manual', '--strict-webhooks'], { env })
    const sandbox = await deliveriesOf(program.url)
    const ok: HostileOptions['onRequest'] = (socket) => socket.write(answer(200, 'ok'))
    const secure = await Promise.all(
      ['valid', 'expired', 'wrong-name', 'self-signed'].map((certificate) => hostile({ certificate, onRequest: ok })),
    )
    const events = await firstAttempts(
      sandbox,
      secure.map(({ url }) => url),
    )
    expect(events.map(({ attempts }) => attempts[0].outcome)).toEqual(['ok', 'tls', 'tls', 'tls'])
    await program.stop()
  })

  test('with strict webhooks have no http:// address, from wherever it comes', async () => {
    const posts = await openReceiver()
    const running = await openSandbox({ clock: 'manual', strictWebhooks: true, webhookUrl: posts.url })
    const sandbox = await deliveriesOf(running.url)
    await sandbox.pay(['order'])
    const event = await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 1)
    expect(event.attempts).toMatchObject([{ outcome: 'insecure_url', status: null }])
    expect(posts.all).toEqual([])
  })
})

test('a webhook in flight when the process was killed is sent again after the next start', async () => {
  const never = gate()
  const posts = await openReceiver((_post, index) => (index === 0 ? { until: never.opened } : {}))
  const folder = temporaryFolder()
  const first = await openSandbox({ clock: 'manual', webhookUrl: posts.url }, { db: join(folder, 'sandbox.db') })
  await (await deliveriesOf(first.url)).pay(['order'])
  await eventually(
    async () => posts.open,
    (count) => count === 1,
  )
  const second = await openSandbox(
    { clock: 'manual', webhookUrl: posts.url },
    { db: join(asKilled(folder), 'sandbox.db') },
  )
  const event = await (await deliveriesOf(second.url)).eventOnce('order', ({ status }) => status === 'delivered')
  expect(posts.all.map(({ headers }) => headers['x-webhook-id'])).toEqual([event.id, event.id])
  never.open()
})

test('a body that was not loaded with its job is loaded when the webhook is sent', async () => {
  const posts = await openReceiver()
  const { url, workspace } = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const sandbox = await deliveriesOf(url)
  // As if many deliveries were due, so that bodies stay in the store.
  const { inFlight } = workspace.memory.of(deliveryState)
  const kept = {
    kind: 'deliver',
    eventSeq: 0,
    event: 'cashin.confirmed',
    url: null,
    subjectId: '',
    credentialSeq: null,
  } as const
  for (let seq = -1; seq >= -2000; seq--)
    inFlight.set(seq, { ...kept, seq, dueAtMs: 0, ref: '', payload: null, deliveryFaults: null, body: null })
  await sandbox.pay(named('order', 3))
  await eventually(
    async () => posts.all.length,
    (count) => count === 3,
  )
  expect(posts.externalIds().toSorted()).toEqual(named('order', 3))
})

test('a delivered event with two more sends shows the time of the next one', async () => {
  const posts = await openReceiver((_post, index) => ({ status: index === 0 ? 500 : 200 }))
  const { url, workspace } = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const sandbox = await deliveriesOf(url)
  await sandbox.pay(['order'])
  await sandbox.advance({ by: 0 })
  const { id, next_attempt_at } = await sandbox.event('order')
  const at = (afterMs: number) => Date.parse(next_attempt_at) + afterMs
  for (const [seq, dueAtMs] of [
    [1000, at(9000)],
    [1001, at(5000)],
  ])
    workspace.db.exec(
      `insert into jobs (seq, claimed, kind, due_at_ms, ref) values (${seq}, 0, 'deliver', ${dueAtMs}, '${id}')`,
    )
  await sandbox.advance({ to: next_attempt_at })
  expect(await sandbox.event('order')).toMatchObject({
    status: 'delivered',
    next_attempt_at: new Date(at(5000)).toISOString(),
  })
})

test('closing lets the webhook in flight be answered and recorded, and starts no other', async () => {
  const answered = [gate(), gate()]
  const posts = await openReceiver((_post, index) => ({ until: answered[index]?.opened ?? Promise.resolve() }))
  const sandbox = await openSandbox({ webhookUrl: posts.url })
  const deliveries = await deliveriesOf(sandbox.url)
  const reported: unknown[] = []
  sandbox.workspace.bus.subscribe(({ type, status }) => {
    if (type === 'webhook' || type === 'workspace') reported.push(status)
  })
  await deliveries.pay(named('order', 2))
  // Waits for the other webhook of its charge.
  await deliveries.call('POST', '/trigger', { action: 'cashin.refund', id: 'order-0000' })
  await eventually(
    async () => posts.open,
    (count) => count === 2,
  )
  // The test does not wait so long, because no webhook is left to wait for.
  const closing = sandbox.close(300_000)
  const state = sandbox.workspace.memory.of(deliveryState)
  await eventually(
    async () => state.isEnding,
    (isEnding) => isEnding,
  )
  for (const [index, { open }] of answered.entries()) {
    open()
    await eventually(
      async () => reported.filter((status) => status === 'delivered').length,
      (count) => count === index + 1,
    )
  }
  await closing
  expect(posts.names()).toEqual(['cashin.confirmed', 'cashin.confirmed'])
  expect(reported).toEqual(['pending', 'pending', 'pending', 'delivered', 'delivered', 'closed'])
})
