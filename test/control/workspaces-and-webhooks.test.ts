/** The control API's routes for workspaces, webhooks and the request log. */

import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventWaiters } from '../../src/core/delivery/await-event.js'
import { requestLog, requestLogLimits } from '../../src/core/request-log/log.js'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { control, send } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

const merchant = secretsOf('merchant')

describe('workspaces', () => {
  test('have their own accounts, clock, queue and tokens', async () => {
    const { url } = await openSandbox()
    const call = control(url)
    const { status, body } = await call('POST', '/workspaces', { name: 'team-1' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'team-1', base_url: `${url}/w/team-1` })
    expect(body.accounts.map((account: { username: string }) => account.username)).toEqual(['merchant', 'customer'])
    expect(body.accounts[0].credentials[0]).toMatchObject({
      client_id: merchant.clientId,
      signing_key: merchant.signingKey,
    })

    const inside = control(body.base_url)
    const api = await openClient(body.base_url)
    const id = await api.charge({ external_id: 'same' })
    const outside = await openClient(url)
    expect(await outside.charge({ external_id: 'same' })).not.toBe(id)
    expect((await inside('GET', '/transactions')).body.data).toHaveLength(1)
    expect((await call('GET', `/transactions/${id}`)).status).toBe(404)
    expect((await send('GET', `${url}/v2/account/balance`, undefined, api.bearer)).body.error.code).toBe('UNAUTHORIZED')
    await inside('PUT', '/clock', { mode: 'manual' })
    expect((await call('GET', '/clock')).body.mode).toBe('realtime')
    expect((await inside('GET', '/health')).body.workspace).toBe('team-1')
    await inside('POST', '/reset')
    expect((await call('GET', '/transactions')).body.data).toHaveLength(1)
  })

  test('take signed calls, bodies, queries and HEAD under their prefix', async () => {
    const { url } = await openSandbox()
    await control(url)('POST', '/workspaces', { name: 'x' })
    const base = `${url}/w/x`
    const api = await openClient(base)
    const transfer = { username: 'customer', amount: 5, currency: 'BRL', description: 'é' }
    expect((await api.signed('/v2/internal_transfers/payment', transfer)).status).toBe(200)
    expect(
      (await api.signed('/v2/internal_transfers/payment', transfer, { 'X-Signature': 'ab'.repeat(32) })).body.error
        .code,
    ).toBe('INVALID_SIGNATURE')
    expect((await api.get('/v2/account/infractions?page=1&page_size=1')).body.data).toBeDefined()
    expect((await api.get('/v2/account/infractions?page=zero')).status).toBe(422)
    const head = await fetch(`${base}/v2/account/balance`, { method: 'HEAD', headers: api.bearer })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const form = new FormData()
    form.set('id', '00000000-0000-4000-8000-000000000000')
    form.set('message', 'hello')
    const reply = await fetch(`${base}/v2/account/infractions/reply`, {
      method: 'POST',
      headers: api.bearer,
      body: form,
    })
    expect([reply.status, (await reply.json()).error.code]).toEqual([404, 'NOT_FOUND'])
    const [, entry] = (await control(base)('GET', '/requests?limit=2')).body.data
    expect(entry).toMatchObject({ method: 'HEAD', path: '/w/x/v2/account/balance' })
  })

  test('are reached by every spelling of their prefix, and by no other path', async () => {
    const { url } = await openSandbox()
    await control(url)('POST', '/workspaces', { name: 'x' })
    const nameAt = async (path: string) => {
      const { status, body } = await send('GET', url + path)
      return status === 200 ? body.workspace : status
    }
    expect(await nameAt('/w/x/_sandbox/health')).toBe('x')
    expect(await nameAt('/w/%78/_sandbox/health')).toBe('x')
    expect(await nameAt('/%77/x/_sandbox/health')).toBe('x')
    expect(await nameAt('/w/default/_sandbox/health')).toBe('default')
    for (const path of [
      '/w/x/w/x/_sandbox/health',
      '/w/y/_sandbox/health',
      '/w//_sandbox/health',
      '/w/X/_sandbox/health',
      '/w/x%2F_sandbox/health',
      '/w/x%00/_sandbox/health',
      '/W/x/_sandbox/health',
      '/w/__proto__/_sandbox/health',
      '/w/constructor/v2/account/balance',
      '/w/x_sandbox/health',
    ])
      expect(await nameAt(path), path).toBe(404)
    const unknown = await send('POST', `${url}/w/nobody/v2/oauth/token`, {})
    expect(unknown.body.error).toMatchObject({ code: 'NOT_FOUND', details: { workspace: 'nobody' } })
    expect(unknown.headers.get('x-request-id')).toMatch(/^req_/)
    for (const path of ['/w/x', '/w/x/', '/w/x?a=b']) {
      const bare = await send('POST', url + path)
      expect([bare.status, bare.headers.get('allow')], path).toEqual([405, 'GET'])
    }
    expect((await send('DELETE', `${url}/w/x/_sandbox/health`)).headers.get('allow')).toBe('GET')
  })

  test('are listed, have valid unique names, and include default, which cannot be deleted', async () => {
    const { url } = await openSandbox()
    const call = control(url)
    for (const name of ['', 'A', 'a b', '../x', 'a/b', 'a.b', '_a', 'x'.repeat(51), 'ä', 5, null])
      expect([400, 422], String(name)).toContain((await call('POST', '/workspaces', { name })).status)
    expect((await call('POST', '/workspaces', {})).body.error.code).toBe('MISSING_REQUIRED_FIELD')
    const both = await Promise.all([
      call('POST', '/workspaces', { name: 'x' }),
      call('POST', '/workspaces', { name: 'x' }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const list = (await call('GET', '/workspaces')).body
    expect(list).toEqual({
      data: [
        { name: 'default', base_url: url },
        { name: 'x', base_url: `${url}/w/x` },
      ],
      next: null,
    })
    expect((await call('DELETE', '/workspaces/default')).status).toBe(422)
    expect((await call('DELETE', '/workspaces/nope')).status).toBe(404)
    const dropped = await Promise.all([call('DELETE', '/workspaces/x'), call('DELETE', '/workspaces/x')])
    expect(dropped.map(({ status }) => status)).toContain(204)
    expect((await send('GET', `${url}/w/x/_sandbox/health`)).status).toBe(404)
    expect((await call('POST', '/workspaces', { name: 'x' })).status).toBe(200)
  })

  test('answer waiting callers when they are deleted', async () => {
    const { url } = await openSandbox()
    const call = control(url)
    await call('POST', '/workspaces', { name: 'x' })
    const api = await openClient(`${url}/w/x`)
    const waiting = send('GET', `${url}/w/x/_sandbox/webhooks/wait?timeout=2m`)
    const traffic = Array.from({ length: 30 }, () =>
      api.post('/v2/transactions/cashin', { amount: 5, currency: 'BRL' }),
    )
    await call('GET', '/health')
    expect((await call('DELETE', '/workspaces/x')).status).toBe(204)
    expect((await waiting).body.error.code).toBe('NOT_FOUND')
    for (const { status } of await Promise.all(traffic)) expect([200, 404]).toContain(status)
    expect((await call('GET', '/health')).status).toBe(200)
  })

  test('survive a restart on a file, also after a kill, and leave nothing behind when deleted', async () => {
    const folder = temporaryFolder()
    const db = join(folder, 'sandbox.db')
    const first = await openSandbox({}, { db })
    for (const name of ['a', 'a-wal', 'b']) await control(first.url)('POST', '/workspaces', { name })
    const id = await (await openClient(`${first.url}/w/a`)).charge()
    await control(`${first.url}/w/a`)('POST', '/snapshots', { name: 'kept' })
    expect(existsSync(`${db}.w-a.db-wal`)).toBe(true)
    await first.close(0)

    const second = await openSandbox({}, { db })
    const call = control(second.url)
    const names = (await call('GET', '/workspaces')).body.data.map((one: { name: string }) => one.name)
    expect(names).toEqual(['default', 'a', 'a-wal', 'b'])
    const inside = control(`${second.url}/w/a`)
    expect((await inside('GET', `/transactions/${id}`)).status).toBe(200)
    expect((await inside('GET', '/snapshots')).body.data).toMatchObject([{ name: 'kept' }])
    expect((await call('GET', '/snapshots')).body.data).toEqual([])
    for (const name of ['a', 'a-wal', 'b']) await call('DELETE', `/workspaces/${name}`)
    await second.close(0)
    expect(readdirSync(folder)).toEqual(['sandbox.db'])
  })
})

/** Opens a sandbox on the manual clock whose merchant sends to a receiver with planned responses. */
async function withReceiver(answers: number[] = []) {
  const ids: string[] = []
  const server = createServer((request, response) => {
    ids.push(String(request.headers['x-webhook-id']))
    request.resume()
    response.statusCode = answers.shift() ?? 200
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const sandbox = await openSandbox({ clock: 'manual' })
  const call = control(sandbox.url)
  await call('PATCH', `/credentials/${merchant.clientId}`, { postback_url: hook })
  const api = await openClient(sandbox.url)
  const pay = async (more: Record<string, unknown> = {}) => {
    const id = await api.charge(more)
    const { body } = await call('POST', '/trigger', { action: 'cashin.pay', id })
    return { id, event: body.events[0].id as string }
  }
  return { sandbox, url: sandbox.url, call, api, pay, ids, hook }
}

describe('a wait for a webhook', () => {
  test('returns as soon as a matching event is acknowledged', async () => {
    const { sandbox, call, pay } = await withReceiver()
    const waits = [
      call('GET', '/webhooks/wait?event=cashin.confirmed&timeout=2m'),
      call('GET', '/webhooks/wait?external_id=order-7&status=delivered&timeout=2m'),
      call('GET', '/webhooks/wait?status=pending&external_id=order-7&timeout=2m'),
    ]
    await eventually(
      () => sandbox.workspace.state.of(eventWaiters).size,
      (count) => count === waits.length,
    )
    const { id, event } = await pay({ external_id: 'order-7' })
    for (const { status, body } of await Promise.all(waits)) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ id: event, event: 'cashin.confirmed', transaction_id: id, external_id: 'order-7' })
    }
    const late = await call('GET', `/webhooks/wait?transaction_id=${id}&timeout=0`)
    expect(late.body).toMatchObject({
      id: event,
      status: 'delivered',
      attempts: [{ number: 1, outcome: 'ok', status: 200 }],
    })
  })

  test('returns 408 with the events that did occur when it times out', async () => {
    const { sandbox, call, pay } = await withReceiver([500])
    const { workspace } = sandbox
    const { event } = await pay()
    await eventually(
      () => call('GET', `/webhooks/${event}`),
      ({ body }) => body.attempts.length === 1,
    )
    const { status, body } = await call('GET', '/webhooks/wait?event=cashin.confirmed&timeout=200ms')
    expect(status).toBe(408)
    expect(body.error).toMatchObject({
      code: 'WAIT_TIMEOUT',
      details: { status: 'delivered', waited_ms: 200, matching: [{ id: event, status: 'pending', attempts: 1 }] },
    })
    expect((await call('GET', '/webhooks/wait?external_id=nobody&timeout=10ms')).body.error.details.matching).toEqual(
      [],
    )
    expect(workspace.bus.listeners).toBe(0)
  })

  test('is rejected with a suggestion when it names an unknown event', async () => {
    const { call } = await withReceiver()
    const message = async (query: string) => {
      const { status, body } = await call('GET', `/webhooks/wait?${query}`)
      expect(status).toBe(422)
      return body.error.message
    }
    expect(await message('event=cashin.confirmd')).toContain('did you mean cashin.confirmed?')
    expect(await message('status=deliverd')).toContain('did you mean delivered?')
    expect(await message('timeout=soon')).toContain('timeout')
    expect(await message('timeout=-1s')).toContain('timeout')
    expect(await message('timeout=1h')).toContain('10m')
    expect(await message('evnt=x')).toContain('did you mean event?')
  })

  test('leaves neither listener nor timer behind when the caller disconnects', async () => {
    const { sandbox, url } = await withReceiver()
    const { workspace } = sandbox
    const callers = new AbortController()
    const leaving = Array.from({ length: 10 }, () =>
      fetch(`${url}/_sandbox/webhooks/wait?timeout=60s`, { signal: callers.signal }).catch(() => 'gone'),
    )
    await eventually(
      async () => workspace.state.of(eventWaiters).size,
      (count) => count === 10,
    )
    expect(workspace.bus.listeners).toBe(1)
    callers.abort()
    expect(await Promise.all(leaving)).toEqual(Array(10).fill('gone'))
    await eventually(
      async () => workspace.state.of(eventWaiters).size + workspace.bus.listeners,
      (count) => count === 0,
    )
  })
})

describe('webhook events', () => {
  test('are listed with the number of attempts, and one event shows them all', async () => {
    const { call, pay, hook } = await withReceiver([503])
    const { id, event } = await pay()
    await call('POST', '/clock/advance', { by: '1s' })
    const [row] = (await call('GET', '/webhooks?event=cashin.confirmed&status=delivered')).body.data
    expect(row).toMatchObject({ id: event, transaction_id: id, url: hook, attempts: 2, next_attempt_at: null })
    expect(row).not.toHaveProperty('body')
    const { body } = await call('GET', `/webhooks/${event}`)
    expect(body.attempts.map((one: { number: number; outcome: string }) => [one.number, one.outcome])).toEqual([
      [1, 'http_error'],
      [2, 'ok'],
    ])
    expect(JSON.parse(body.body)).toMatchObject({ event: 'cashin.confirmed', transaction_id: id })
    expect((await call('GET', '/webhooks?status=failed')).body.data).toEqual([])
    expect((await call('GET', '/webhooks?status=done')).status).toBe(422)
    expect((await call('GET', '/webhooks/evt_nope')).status).toBe(404)
  })

  test('are sent again at once when delivered, with the same id and body, and stay delivered when that fails', async () => {
    const { call, pay, ids } = await withReceiver([200, 500])
    const { event } = await pay()
    await call('GET', '/webhooks/wait')
    expect((await call('POST', `/webhooks/${event}/redeliver`)).body).toMatchObject({ id: event, status: 'delivered' })
    const { body } = await eventually(
      () => call('GET', `/webhooks/${event}`),
      (answer) => answer.body.attempts.length === 2,
    )
    expect(body).toMatchObject({
      status: 'delivered',
      next_attempt_at: null,
      attempts: [{ outcome: 'ok' }, { outcome: 'http_error' }],
    })
    expect(ids).toEqual([event, event])
    await call('POST', '/clock/advance', { by: '1h' })
    expect(ids).toHaveLength(2)
  })

  test('need no further attempt when they arrive after a manual redelivery', async () => {
    const { call, pay, ids } = await withReceiver([500, 200])
    const { event } = await pay()
    await eventually(
      () => call('GET', `/webhooks/${event}`),
      (answer) => answer.body.attempts.length === 1,
    )
    await call('POST', `/webhooks/${event}/redeliver`)
    await call('GET', `/webhooks/wait?event=cashin.confirmed`)
    await call('POST', '/clock/advance', { by: '1h' })
    expect(ids).toHaveLength(2)
  })

  test('can be sent once they have an address', async () => {
    const { call, pay, hook } = await withReceiver()
    await call('PATCH', `/credentials/${merchant.clientId}`, { postback_url: null })
    const { event } = await pay()
    expect((await call('GET', `/webhooks/${event}`)).body).toMatchObject({
      status: 'failed',
      url: null,
      outcome: 'no_url',
      attempts: [{ outcome: 'no_url' }],
    })
    expect((await call('POST', `/webhooks/${event}/redeliver`)).body.error.code).toBe('INVALID_POSTBACK_URL')
    await call('PATCH', `/credentials/${merchant.clientId}`, { postback_url: hook })
    await call('POST', `/webhooks/${event}/redeliver`)
    const { body } = await call('GET', '/webhooks/wait?event=cashin.confirmed')
    expect(body).toMatchObject({ id: event, status: 'delivered', url: hook })
    expect((await call('POST', '/webhooks/evt_nope/redeliver')).status).toBe(404)
  })
})

describe('the request log', () => {
  test('has pages that continue where the last one ended, also when calls come in between', async () => {
    const { url } = await openSandbox()
    const call = control(url)
    const api = await openClient(url)
    for (let at = 0; at < 6; at++) await api.post('/v2/transactions/cashin', { amount: at, currency: 'BRL' })
    const seen: string[] = []
    for (let after = ''; ; ) {
      const { body } = await call('GET', `/requests?limit=3&path=/v2/transactions/cashin${after}`)
      seen.push(...body.data.map((entry: { request_id: string }) => entry.request_id))
      if (body.next === null) break
      after = `&after=${body.next}`
      await api.post('/v2/transactions/cashin', { amount: 9, currency: 'BRL' })
    }
    expect(seen).toHaveLength(6)
    expect(new Set(seen).size).toBe(6)
    expect((await call('GET', '/requests?after=nonsense')).status).toBe(422)
    expect((await call('GET', '/requests?limit=0')).status).toBe(422)
    expect((await call('GET', '/requests?status=422')).body.data[0]).toMatchObject({ error_code: 'INVALID_AMOUNT' })
    expect((await call('GET', '/requests/req_nope')).status).toBe(404)
  })

  test('shows caller and call, and masks secrets', async () => {
    const { url } = await openSandbox()
    const api = await openClient(url)
    const answer = await api.post('/v2/transactions/cashin?x=1', { amount: 5, currency: 'BRL', client_secret: 'hush' })
    const call = control(url)
    const { body } = await call('GET', `/requests/${answer.headers.get('x-request-id')}`)
    expect(body).toMatchObject({
      method: 'POST',
      path: '/v2/transactions/cashin?x=1',
      credential: merchant.clientId,
      account: 'merchant',
      error_code: null,
      status: 200,
    })
    expect(body.request_body).toContain('"client_secret":"***"')
    const token = (await call('GET', '/requests?path=/v2/oauth/token')).body.data[0]
    const { body: shown } = await call('GET', `/requests/${token.request_id}`)
    expect(shown.response_body).toContain('"access_token":"***"')
  })

  test('stores the newest calls, within limits of number and bytes', async () => {
    const { url, workspace } = await openSandbox({ rateLimits: false })
    const api = await openClient(url)
    const description = 'x'.repeat(200_000)
    const unsigned = { username: 'customer', amount: 1, currency: 'BRL', description }
    const enough = Math.ceil(requestLogLimits.bytes / 200_000) + 5
    for (let at = 0; at < enough; at++)
      await api.signed('/v2/internal_transfers/payment', unsigned, { 'X-Signature': 'ab'.repeat(32) })
    const kept = workspace.memory.of(requestLog).list()
    expect(kept.length).toBeLessThan(enough)
    expect(kept.reduce((sum, record) => sum + record.bytes, 0)).toBeLessThanOrEqual(requestLogLimits.bytes)
    for (let at = 0; at < requestLogLimits.calls + 5; at += 50)
      await Promise.all(Array.from({ length: 50 }, () => api.get('/v2/account/limits')))
    expect(workspace.memory.of(requestLog).list()).toHaveLength(requestLogLimits.calls)
  })
})
