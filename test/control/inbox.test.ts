/** The built-in receiver: its messages, their signatures, and its responses. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { inboxLimits } from '../../src/core/webhooks/inbox.js'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { control, send } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

const merchant = secretsOf('merchant')

/** Opens a sandbox whose merchant sends its webhooks to the inbox `mine`. */
async function withInbox(prefix = '') {
  const base = (await openSandbox({ clock: 'manual' })).url + prefix
  const call = control(base)
  const address = `${base}/_sandbox/inbox/mine`
  await call('PATCH', `/credentials/${merchant.clientId}`, { postback_url: address })
  const api = await openClient(base)
  const pay = async () => {
    const id = await api.charge()
    return (await call('POST', '/trigger', { action: 'cashin.pay', id })).body.events[0].id as string
  }
  return { base, call, address, pay }
}

test('a webhook arrives with its headers, its exact text and a valid signature', async () => {
  const { call, pay } = await withInbox()
  const id = await pay()
  await call('GET', `/webhooks/wait?timeout=2m&event=cashin.confirmed`)
  const { body } = await call('GET', '/inbox/mine')
  expect(body.next).toBeNull()
  expect(body.data).toHaveLength(1)
  const [message] = body.data
  expect(Object.keys(message).sort()).toEqual(['body', 'headers', 'raw', 'received_at', 'signature_valid'])
  expect(message.headers).toMatchObject({ 'x-webhook-id': id, 'x-webhook-event': 'cashin.confirmed', 'x-sandbox': '1' })
  expect(message.raw).toBe((await call('GET', `/webhooks/${id}`)).body.body)
  expect(message.body).toEqual(JSON.parse(message.raw))
  expect(message.signature_valid).toBe(true)
  expect(message.received_at).toBe((await call('GET', '/clock')).body.now)
})

test('a signature is checked with the secret of the credential that the event belongs to', async () => {
  const { call, pay, address } = await withInbox()
  const id = await pay()
  const sign = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')
  const customer = secretsOf('customer')
  const post = async (text: string, headers: Record<string, string>) => {
    await send('POST', address, text, headers)
    return (await call('GET', '/inbox/mine?limit=500')).body.data.at(-1).signature_valid
  }
  expect(await post('{}', { 'X-Webhook-Id': id, 'X-Webhook-Signature': sign(merchant.webhookSecret, '{}') })).toBe(true)
  expect(await post('{}', { 'X-Webhook-Id': id, 'X-Webhook-Signature': sign(customer.webhookSecret, '{}') })).toBe(
    false,
  )
  expect(await post('{ }', { 'X-Webhook-Id': id, 'X-Webhook-Signature': sign(merchant.webhookSecret, '{}') })).toBe(
    false,
  )
  expect(await post('{}', { 'X-Webhook-Id': 'evt_x', 'X-Webhook-Signature': sign(customer.webhookSecret, '{}') })).toBe(
    true,
  )
  expect(await post('{}', { 'X-Webhook-Signature': 'zz' })).toBe(false)
  expect(await post('{}', {})).toBeNull()
})

test('planned responses are used in order, the last one repeats, and the retry schedule follows them', async () => {
  const { call, pay } = await withInbox()
  expect(
    (await call('PUT', '/inbox/mine', { responses: [{ status: 503 }, { status: 302 }, { status: 204 }] })).status,
  ).toBe(200)
  const id = await pay()
  await call('POST', '/clock/advance', { by: '10s' })
  const { body } = await call('GET', `/webhooks/${id}`)
  expect(body.status).toBe('delivered')
  expect(body.attempts.map((attempt: { status: number }) => attempt.status)).toEqual([503, 302, 204])
  const second = await pay()
  await call('POST', '/clock/advance', { by: '1s' })
  expect((await call('GET', `/webhooks/${second}`)).body.attempts).toMatchObject([{ status: 204 }])
  await call('PUT', '/inbox/mine', { responses: [] })
  const third = await pay()
  await call('POST', '/clock/advance', { by: '1s' })
  expect((await call('GET', `/webhooks/${third}`)).body.attempts).toMatchObject([{ status: 200 }])
})

test('a response may be delayed, and one that nobody waits for any more is dropped', async () => {
  const { call, address } = await withInbox()
  await call('PUT', '/inbox/mine', {
    responses: [
      { status: 200, delay: '80ms' },
      { status: 201, delay: 30 },
    ],
  })
  const startedMs = performance.now()
  expect((await send('POST', address, '{}')).status).toBe(200)
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(75)
  const leaving = new AbortController()
  const left = expect(fetch(address, { method: 'POST', body: 'x', signal: leaving.signal })).rejects.toThrow()
  await eventually(
    () => call('GET', '/inbox/mine'),
    ({ body }) => body.data.length === 2,
  )
  leaving.abort()
  await left
})

test('an inbox accepts any content type, and parses JSON', async () => {
  const { call, address } = await withInbox()
  const post = (body: string, type: string) => send('POST', address, body, { 'Content-Type': type })
  expect((await post('a=1&b=2', 'application/x-www-form-urlencoded')).status).toBe(200)
  expect((await post('<x/>', 'text/plain')).status).toBe(200)
  expect((await post('{"a":1e3}', 'application/json')).status).toBe(200)
  expect((await send('POST', address)).status).toBe(200)
  expect((await post('x'.repeat(300_000), 'text/plain')).status).toBe(413)
  const { data } = (await call('GET', '/inbox/mine')).body
  expect(data.map((message: { body: unknown }) => message.body)).toEqual([null, null, { a: 1000 }, null])
  expect(data.map((message: { raw: string }) => message.raw)).toEqual(['a=1&b=2', '<x/>', '{"a":1e3}', ''])
})

test('messages are listed in order of arrival, page by page', async () => {
  const { call, address } = await withInbox()
  for (let at = 0; at < 5; at++) await send('POST', address, String(at))
  const seen: string[] = []
  for (let after = ''; ; ) {
    const { body } = await call('GET', `/inbox/mine?limit=2${after}`)
    seen.push(...body.data.map((message: { raw: string }) => message.raw))
    if (body.next === null) break
    after = `&after=${body.next}`
  }
  expect(seen).toEqual(['0', '1', '2', '3', '4'])
})

test('messages are listed newest first on request, filtered by event or transaction', async () => {
  const { call, address } = await withInbox()
  const kinds = ['cashin.confirmed', 'cashin.refunded', 'cashin.confirmed']
  for (const [at, event] of kinds.entries()) await send('POST', address, `order-${at}`, { 'X-Webhook-Event': event })
  const raws = async (query: string) => {
    const { status, body } = await call('GET', `/inbox/mine?${query}`)
    return status === 200 ? [body.data.map(({ raw }: { raw: string }) => raw).join(' '), body.next !== null] : status
  }
  expect(await raws('order=newest&limit=2')).toEqual(['order-2 order-1', true])
  const { body } = await call('GET', '/inbox/mine?order=newest&limit=2')
  expect(await raws(`order=newest&limit=2&after=${body.next}`)).toEqual(['order-0', false])
  expect(await raws('order=newest&event=cashin.confirmed')).toEqual(['order-2 order-0', false])
  expect(await raws('about=r-1')).toEqual(['order-1', false])
  expect(await raws('about=%25')).toEqual(['', false])
  expect(await raws('order=latest')).toBe(422)
})

test('deleting messages, a reset or another name starts an empty inbox', async () => {
  const { call, address } = await withInbox()
  const count = async (name = 'mine') => (await call('GET', `/inbox/${name}`)).body.data.length
  await call('PUT', '/inbox/mine', { responses: [{ status: 500 }] })
  expect((await send('POST', address, 'x')).status).toBe(500)
  expect(await count()).toBe(1)
  expect(await count('other')).toBe(0)
  expect((await call('DELETE', '/inbox/mine')).status).toBe(204)
  expect(await count()).toBe(0)
  expect((await send('POST', address, 'x')).status).toBe(200)
  await call('POST', '/reset')
  expect(await count()).toBe(0)
})

test('invalid names and responses are reported', async () => {
  const { call } = await withInbox()
  expect((await call('GET', '/inbox/a%20b')).status).toBe(422)
  expect((await call('POST', '/inbox/-x')).status).toBe(422)
  for (const responses of [
    undefined,
    'x',
    [{ status: 99 }],
    [{ status: 600 }],
    [{}],
    [{ status: 200, delay: 'soon' }],
    [{ status: 200, delay: '61s' }],
    [{ status: 200, body: 'x' }],
  ])
    expect([400, 422], JSON.stringify(responses)).toContain((await call('PUT', '/inbox/mine', { responses })).status)
  expect((await call('PUT', '/inbox/mine', { responses: [{ status: 200 }], delay: 1 })).status).toBe(422)
})

test('an inbox stays within its limits, whatever is sent', async () => {
  const { call, address } = await withInbox()
  const text = 'x'.repeat(200_000)
  const enough = Math.ceil(inboxLimits.chars / text.length) + 5
  for (let at = 0; at < enough; at++) await send('POST', address, text)
  const kept = (await call('GET', '/inbox/mine?limit=500')).body.data
  expect(kept.length).toBeLessThan(enough)
  expect(kept.length * text.length).toBeLessThanOrEqual(inboxLimits.chars)
  for (let at = 0; at < inboxLimits.inboxes + 5; at++) await send('POST', address.replace(/mine$/, `box-${at}`), 'x')
  expect((await call('GET', '/inbox/mine')).body.data).toEqual([])
})

test('each workspace has its own inboxes', async () => {
  const sandbox = await openSandbox({ clock: 'manual' })
  await control(sandbox.url)('POST', '/workspaces', { name: 'team' })
  const base = `${sandbox.url}/w/team`
  const call = control(base)
  await call('PATCH', `/credentials/${merchant.clientId}`, { postback_url: `${base}/_sandbox/inbox/mine` })
  const id = await (await openClient(base)).charge()
  await call('POST', '/trigger', { action: 'cashin.pay', id })
  const { body } = await eventually(
    () => call('GET', '/inbox/mine'),
    (answer) => answer.body.data.length === 1,
  )
  expect(body.data[0].signature_valid).toBe(true)
  expect((await control(sandbox.url)('GET', '/inbox/mine')).body.data).toEqual([])
})

test('inboxes are listed by last use, newest first', async () => {
  const { url: base } = await openSandbox({ clock: 'manual' })
  const call = control(base)
  const list = async () => (await call('GET', '/inbox')).body.data
  expect(await list()).toEqual([])
  await call('PUT', '/inbox/planned', { responses: [{ status: 500 }] })
  const url = `${base}/_sandbox/inbox/used`
  for (let at = 0; at < 2; at++) await fetch(url, { method: 'POST', body: '{}' })
  expect(await list()).toEqual([
    { name: 'used', url, messages: 2, last_received_at: (await call('GET', '/clock')).body.now, responses: [] },
    {
      name: 'planned',
      url: `${base}/_sandbox/inbox/planned`,
      messages: 0,
      last_received_at: null,
      responses: [{ status: 500, delay: '0ms' }],
    },
  ])
})
