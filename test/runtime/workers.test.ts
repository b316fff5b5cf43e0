/** The sandbox under workerd, the runtime of Durable Objects: charges, webhooks and alarms, and the features of a deployment. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { wakeWorkspaces } from '../../scripts/workerd.mjs'
import { builtInNames } from '../../src/runtime/node/scenario-files.js'
import { builtWorkers } from '../support/built.js'
import { startCheckedReceiver } from '../support/checked-receiver.js'
import { openClient } from '../support/client.js'
import { deploy } from '../support/deployment.js'
import { eventually } from '../support/eventually.js'
import { closeAfter } from '../support/hooks.js'
import { type Body, control, send } from '../support/http.js'
import { answersIn, sayAll } from '../support/raw-http.js'
import { secretsOf } from '../support/signing.js'

beforeAll(builtWorkers)

test('a charge under workerd is paid and its signed webhook delivered; page, document and built-in scenarios are served', async () => {
  const { url, call } = await deploy()
  const hooks = await startCheckedReceiver(secretsOf('merchant').webhookSecret)
  closeAfter(hooks.close)
  const charge = await (await openClient(url)).charge({ external_id: 'one', postback_url: hooks.url })
  expect((await call('POST', '/trigger', { action: 'cashin.pay', id: charge })).status).toBe(200)
  await eventually(
    async () => hooks.names(),
    (names) => names.length > 0,
  )
  expect([hooks.names(), hooks.problems]).toEqual([['cashin.confirmed'], []])
  expect((await call('GET', '/health')).body).toMatchObject({ workspace: 'default', database_driver: 'durable-object' })
  expect((await call('GET', '/ledger')).body.balanced).toBe(true)

  const page = await send('GET', `${url}/`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect((await send('GET', `${url}/assets/app.js`)).status).toBe(200)
  expect((await call('GET', '/openapi.json')).body.openapi).toMatch(/^3\./)
  const { body: scenarios } = await call('GET', '/scenarios')
  expect(scenarios.data).toHaveLength(builtInNames().length)
  expect((await call('POST', '/scenarios/pix-paid/run', { wait: true, fast_forward: true })).body.status).toBe('passed')
})

const json = { 'Content-Type': 'application/json' }
const chunked = { ...json, 'Transfer-Encoding': 'chunked' }
const long = JSON.stringify({ name: 'x'.repeat(300_000) })

const unread: readonly [status: number, call: string, headers: Record<string, string>, body: string][] = [
  [404, 'POST /v2/none', json, '{}'],
  [404, 'POST /v2/none', json, long],
  [405, 'PUT /v2/transactions/cashin', json, '{}'],
  [405, 'PROPFIND /_sandbox/health', json, '{}'],
  [415, 'POST /_sandbox/trigger', { 'Content-Type': 'text/plain' }, 'cashin.pay'],
  [403, 'POST /_sandbox/trigger', { ...json, Origin: 'http://elsewhere.example' }, '{}'],
  [401, 'POST /v2/transactions/cashin', chunked, long],
  [413, 'POST /_sandbox/trigger', json, long],
  [413, 'POST /_sandbox/trigger', chunked, long],
  [404, 'POST /w/none/_sandbox/trigger', json, '{}'],
  [200, 'GET /_sandbox/clock', json, '{}'],
]

test('an unread body does not break the connection of the next call', async () => {
  const { host, port } = new URL((await deploy()).url)
  const head = (call: string, headers: Record<string, string>) =>
    [`${call} HTTP/1.1`, `Host: ${host}`, ...Object.entries(headers).map((pair) => pair.join(': ')), '', ''].join(
      '\r\n',
    )
  const next = head('GET /_sandbox/health', {})
  const observed = await Promise.all(
    unread.map(async ([, call, headers, body]) => {
      const length = body.length.toString(16)
      const sent =
        headers === chunked
          ? `${head(call, headers)}${length}\r\n${body}\r\n0\r\n\r\n`
          : head(call, { ...headers, 'Content-Length': `${body.length}` }) + body
      return answersIn(await sayAll(Number(port), sent + next)).map(({ status }) => status)
    }),
  )
  expect(observed).toEqual(unread.map(([status]) => [status, 200]))
})

test('the workerd launcher calls over a new connection each time, at most a hundred at once', async () => {
  const { kill } = await deploy()
  let [connections, open, most] = [0, 0, 0]
  const server = createServer((request, response) => {
    most = Math.max(most, ++open)
    response.once('finish', () => open--)
    if (request.url === '/slow') setTimeout(() => response.end(), 200)
    else response.end()
  }).listen(0, '127.0.0.1')
  server.on('connection', () => connections++)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (let call = 0; call < 3; call++) await (await fetch(`http://127.0.0.1:${port}/`)).text()
  expect(connections).toBe(3)
  await Promise.all(Array.from({ length: 150 }, async () => (await fetch(`http://127.0.0.1:${port}/slow`)).text()))
  expect(most).toBeGreaterThan(50)
  expect(most).toBeLessThanOrEqual(100)
  await kill()
  server.close()
})

test('jobs that fell due while the process was dead run after its next start', async () => {
  const deployment = await deploy({ PAYMENTS_SANDBOX_LOCAL: 'true', PAYMENTS_SANDBOX_PIX_CHARGE_LIFE: '20s' })
  const inbox = `${deployment.url}/_sandbox/inbox/mine`
  const charge = await (await openClient(deployment.url)).charge({ postback_url: inbox })
  expect((await deployment.call('POST', '/clock/advance', { by: '18s' })).status).toBe(200)
  await deployment.kill()
  await deployment.start()
  expect(await wakeWorkspaces(deployment.url)).toBe(1)
  const events = await eventually(
    async () => (await deployment.call('GET', '/webhooks')).body.data,
    (data: Body[]) => data.length > 0,
  )
  expect(events).toMatchObject([{ event: 'cashin.expired', transaction_id: charge }])
  expect((await deployment.call('GET', `/transactions/${charge}`)).body.status).toBe('expired')
})

test('workspaces under workerd are isolated, and are gone when they are deleted', async () => {
  const { url, call } = await deploy()
  const names = Array.from({ length: 20 }, (_, index) => `shop-${index}`)
  for (const name of names) {
    const { status, body } = await call('POST', '/workspaces', { name })
    expect([status, body.base_url, body.admin_token]).toEqual([200, `${url}/w/${name}`, undefined])
  }
  expect((await call('POST', '/workspaces', { name: 'shop-0' })).status).toBe(409)
  const charges = await Promise.all(
    names.map(async (name) => (await openClient(`${url}/w/${name}`)).charge({ external_id: 'same' })),
  )
  for (const [index, name] of names.entries()) {
    const { body } = await control(`${url}/w/${name}`)('GET', '/transactions')
    expect(body.data.map((row: Body) => row.transaction_id)).toEqual([charges[index]])
  }
  expect((await call('GET', '/workspaces')).body.data).toHaveLength(21)
  const reported: string[] = []
  for (let next = ''; next !== null; ) {
    const { body } = await call('GET', `/workspaces?limit=7${next === '' ? '' : `&after=${next}`}`)
    reported.push(...body.data.map((one: Body) => one.name))
    next = body.next
  }
  expect(reported).toEqual(['default', ...names.toSorted()])
  expect((await call('DELETE', '/workspaces/shop-3')).status).toBe(204)
  expect((await control(`${url}/w/shop-3`)('GET', '/transactions')).status).toBe(404)
  expect((await call('POST', '/workspaces', { name: 'shop-3' })).status).toBe(200)
  expect((await control(`${url}/w/shop-3`)('GET', '/transactions')).body.data).toEqual([])
  expect((await control(`${url}/w/${randomUUID()}`)('GET', '/health')).status).toBe(404)
  expect((await control(`${url}/w/..%2f`)('GET', '/health')).status).toBe(404)
})

test('a snapshot under workerd restores everything, has the same file format, and a damaged one changes nothing', async () => {
  const { url, call } = await deploy({ PAYMENTS_SANDBOX_LOCAL: 'true', PAYMENTS_SANDBOX_CLOCK: 'manual' })
  const api = await openClient(url)
  const charge = await api.charge({ external_id: 'kept' })
  expect((await call('POST', '/snapshots', { name: 'base' })).status).toBe(200)
  await call('POST', '/trigger', { action: 'cashin.pay', id: charge })
  await api.charge({ external_id: 'lost' })
  expect((await call('POST', '/snapshots/base/restore')).status).toBe(200)
  const { body } = await call('GET', '/transactions')
  expect(body.data).toMatchObject([{ transaction_id: charge, status: 'pending' }])
  const file = await call('GET', '/snapshots/base/export')
  expect(file.status).toBe(200)
  expect((await call('POST', '/snapshots/again/import', file.body)).status).toBe(200)
  const damaged = { ...file.body, tables: { ...file.body.tables, accounts: { columns: [], rows: [] } } }
  expect((await call('POST', '/snapshots/bad/import', damaged)).status).toBe(422)
  expect((await call('GET', '/transactions')).body).toEqual(body)
  expect((await call('POST', '/reset')).status).toBe(200)
  expect((await call('GET', '/transactions')).body.data).toEqual([])
  expect((await call('POST', '/snapshots/again/restore')).status).toBe(200)
  expect((await call('GET', '/transactions')).body.data).toMatchObject([{ transaction_id: charge }])
  expect((await call('GET', '/ledger')).body.balanced).toBe(true)
})

test('a deployment without an operator token rejects everybody; with one, each workspace has its own token and secrets', async () => {
  const closed = await deploy({})
  expect((await send('GET', `${closed.url}/`)).status).toBe(503)

  const token = 'the-operator'
  const { url } = await deploy({ PAYMENTS_SANDBOX_OPERATOR_TOKEN: token })
  const as = (held: string) => ({ 'X-Sandbox-Admin-Token': held })
  expect((await send('POST', `${url}/_sandbox/workspaces`, { name: 'shop' })).status).toBe(401)
  const made = await send('POST', `${url}/_sandbox/workspaces`, { name: 'shop' }, as(token))
  expect(made.status).toBe(200)
  const { admin_token: own, accounts } = made.body
  expect(own).toMatch(/^[a-z0-9]{40}$/)
  expect(accounts[0].credentials[0].client_secret).not.toBe(secretsOf('merchant').clientSecret)
  await send('POST', `${url}/_sandbox/workspaces`, { name: 'other' }, as(token))
  const ledger = (name: string, held: string) => send('GET', `${url}/w/${name}/_sandbox/ledger`, undefined, as(held))
  expect((await ledger('shop', own)).status).toBe(200)
  expect((await ledger('shop', token)).status).toBe(200)
  expect((await ledger('other', own)).status).toBe(401)
  expect((await send('GET', `${url}/_sandbox/ledger`, undefined, as(own))).status).toBe(401)
  expect((await send('GET', `${url}/w/shop/_sandbox/workspaces`, undefined, as(own))).status).toBe(404)
  expect((await send('DELETE', `${url}/w/shop/_sandbox/workspaces/other`, undefined, as(own))).status).toBe(404)
  const private_ = { postback_url: 'http://127.0.0.1:9/hook' }
  const { client_id } = accounts[0].credentials[0]
  expect((await send('PATCH', `${url}/w/shop/_sandbox/credentials/${client_id}`, private_, as(own))).status).toBe(200)
  await send('POST', `${url}/w/shop/_sandbox/trigger`, { action: 'cashin.pay', create: true }, as(own))
  const hook = await eventually(
    async () => (await send('GET', `${url}/w/shop/_sandbox/webhooks`, undefined, as(own))).body.data[0],
    (event: Body) => event?.attempts > 0,
  )
  const { body } = await send('GET', `${url}/w/shop/_sandbox/webhooks/${hook.id}`, undefined, as(own))
  expect(body.attempts[0].outcome).toBe('refused')
})

test("the token of a hosted workspace can be rotated by its owner or the operator; the operator's own cannot", async () => {
  const token = 'the-operator'
  const deployment = await deploy({ PAYMENTS_SANDBOX_OPERATOR_TOKEN: token })
  const as = (held: string) => ({ 'X-Sandbox-Admin-Token': held })
  const made = await send('POST', `${deployment.url}/_sandbox/workspaces`, { name: 'shop' }, as(token))
  const rotate = (held: string, place = '/w/shop') =>
    send('POST', `${deployment.url}${place}/_sandbox/admin-token`, undefined, as(held))
  const statuses = (...tokens: string[]) =>
    Promise.all(
      tokens.map(
        async (held) => (await send('GET', `${deployment.url}/w/shop/_sandbox/ledger`, undefined, as(held))).status,
      ),
    )
  const first = made.body.admin_token
  const second = (await rotate(first)).body.admin_token
  expect(await statuses(first, second, token)).toEqual([401, 200, 200])
  expect((await rotate(first)).status).toBe(401)
  const third = (await rotate(token)).body.admin_token
  expect(third).toMatch(/^[a-z0-9]{40}$/)
  await send('POST', `${deployment.url}/w/shop/_sandbox/reset`, undefined, as(third))
  await deployment.kill()
  await deployment.start()
  expect(await statuses(first, second, third, token)).toEqual([401, 401, 200, 200])
  const refused = await rotate(token, '')
  expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
  expect(refused.body.error.message).toContain('PAYMENTS_SANDBOX_OPERATOR_TOKEN')
})

test('the calls of a hosted workspace are limited with 429, and an unused one is deleted; reading it is no use', async () => {
  const token = 'the-operator'
  const { url } = await deploy({
    PAYMENTS_SANDBOX_OPERATOR_TOKEN: token,
    PAYMENTS_SANDBOX_CALLS_PER_SECOND: '10',
    PAYMENTS_SANDBOX_SNAPSHOTS: '1',
    PAYMENTS_SANDBOX_WEBHOOKS_PER_MINUTE: '1',
    PAYMENTS_SANDBOX_IDLE: '5s',
  })
  const admin = { 'X-Sandbox-Admin-Token': token }
  await send('POST', `${url}/_sandbox/workspaces`, { name: 'shop' }, admin)
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `${url}/w/shop/_sandbox${path}`, body, admin)
  const { hosted } = (await call('GET', '/health')).body
  expect(hosted.limits).toEqual({
    calls_per_second: 10,
    stranger_calls_per_minute: 120,
    storage_bytes: 16 * 1024 * 1024,
    webhooks_per_minute: 1,
    certifications_per_hour: 20,
    snapshots: 1,
  })
  expect((await call('POST', '/snapshots', { name: 'one' })).status).toBe(200)
  expect((await call('POST', '/snapshots', { name: 'one' })).status).toBe(200)
  const refused = await call('POST', '/snapshots', { name: 'two' })
  expect([refused.status, refused.body.error.details.of]).toEqual([429, 'snapshots'])
  const answers = await Promise.all(Array.from({ length: 100 }, () => call('GET', '/clock')))
  const tooMany = answers.find(({ status }) => status === 429)
  expect(tooMany?.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { per: 'workspace' } })
  expect(tooMany?.headers.get('retry-after')).toBe('1')
  // The operator's own workspace has no limit.
  const own = await Promise.all(
    Array.from({ length: 100 }, () => send('GET', `${url}/_sandbox/clock`, undefined, admin)),
  )
  expect(own.every(({ status }) => status === 200)).toBe(true)
  const names = async () => (await send('GET', `${url}/_sandbox/workspaces`, undefined, admin)).body.data.length
  await eventually(names, (count) => count === 1, 250)
  expect((await call('GET', '/clock')).status).toBe(404)
})
