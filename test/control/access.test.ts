/** Access to the control API: decided by the path that is routed, in any spelling. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { temporaryFolder } from '../support/folder.js'
import { control, send } from '../support/http.js'
import { answersIn, talk } from '../support/raw-http.js'
import { openSandbox } from '../support/sandbox.js'

/** Sends one request as bytes with exactly these headers. */
async function raw(url: string, target: string, headers: Record<string, string>, method = 'GET', body = '') {
  const { port } = new URL(url)
  const lines = Object.entries({ Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  const [answer] = answersIn(
    await talk(Number(port), `${method} ${target} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`),
  )
  if (answer === undefined) throw new Error('no answer')
  return { ...answer, code: /"code":"(\w+)"/.exec(answer.body)?.[1] ?? null }
}

const spellings = [
  '/_sandbox/reset',
  '/%5fsandbox/reset',
  '/%5Fsandbox/%72eset',
  '/v2/../_sandbox/reset',
  '/v2/%2e%2e/_sandbox/reset',
  '/v2/.%2E/_sandbox/reset',
  '/v2/./../_sandbox/reset',
  '/v2/transactions/../../_sandbox/reset',
  '/w/default/_sandbox/reset',
  '/w/default/v2/../_sandbox/reset',
  '/w/default/v2/../../../w/default/_sandbox/reset',
  '/%77/default/_sandbox/reset',
  '/w/d%65fault/_sandbox/reset',
  '/w/default/%2e%2e/%2e%2e/_sandbox/reset',
  '//_sandbox/reset',
  '/v2//../../_sandbox/reset',
  '/_sandbox/./reset',
  '/v2?/../_sandbox/reset',
  '/v2#/../_sandbox/reset',
  '/_sandbox/reset?x=/v2/',
  '/x/../_sandbox/reset',
  'http://rebound.example/_sandbox/reset',
  'http://rebound.example/v2/../_sandbox/reset',
  'http://127.0.0.1/v2/../_sandbox/reset',
]

test('no spelling of a path lets a rebound host reach the control API', async () => {
  const { url } = await openSandbox()
  const api = await openClient(url)
  const id = await api.charge()
  for (const target of spellings) {
    const answer = await raw(url, target, { Host: 'rebound.example' }, 'POST')
    expect([401, 403, 404], `${target}: ${answer.body}`).toContain(answer.status)
    expect(answer.headers['access-control-allow-origin'], target).toBeUndefined()
  }
  expect((await control(url)('GET', `/transactions/${id}`)).status).toBe(200)
})

test('no spelling of a path passes without the admin token of a shared sandbox', async () => {
  const { url } = await openSandbox({}, { adminToken: 'let-me-in' })
  const { host } = new URL(url)
  const api = await openClient(url)
  await api.charge()
  for (const target of spellings) {
    const answer = await raw(url, target, { Host: host }, 'POST')
    expect([401, 403, 404], `${target}: ${answer.body}`).toContain(answer.status)
  }
  const list = await send('GET', `${url}/_sandbox/transactions`, undefined, { 'X-Sandbox-Admin-Token': 'let-me-in' })
  expect(list.body.data).toHaveLength(1)
  expect((await send('GET', `${url}/_sandbox/ledger`)).body.error.code).toBe('UNAUTHORIZED')
  expect((await send('GET', `${url}/_sandbox/ledger`, undefined, { 'X-Sandbox-Admin-Token': '' })).status).toBe(401)
})

test('callers without the admin token can read health and nothing else', async () => {
  const { url } = await openSandbox({}, { adminToken: 'let-me-in' })
  for (const headers of [{}, { 'X-Sandbox-Admin-Token': 'wrong' }]) {
    const { status, body } = await send('GET', `${url}/_sandbox/health`, undefined, headers)
    expect([status, body]).toEqual([200, { status: 'ok' }])
  }
  const { body } = await send('GET', `${url}/_sandbox/health`, undefined, { 'X-Sandbox-Admin-Token': 'let-me-in' })
  expect(Object.keys(body)).toEqual([
    'status',
    'version',
    'interface',
    'workspace',
    'clock',
    'database_driver',
    'process',
  ])
  expect((await send('POST', `${url}/_sandbox/health`)).status).toBe(401)
  expect((await send('GET', `${url}/w/default/_sandbox/health`)).body).toEqual({ status: 'ok' })
})

test('health checks without the admin token write to the store at most every ten seconds', async () => {
  const folder = temporaryFolder()
  const { url } = await openSandbox({}, { adminToken: 'let-me-in', db: join(folder, 'sandbox.db') })
  const size = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  const check = (headers = {}) => send('GET', `${url}/_sandbox/health`, undefined, headers)
  expect((await check()).status).toBe(200)
  const before = size()
  for (let call = 0; call < 20; call++) expect((await check()).status).toBe(200)
  expect(size()).toBe(before)
  await check({ 'X-Sandbox-Admin-Token': 'let-me-in' })
  expect(size()).toBeGreaterThan(before)
})

test('an escaped path reaches the control API for authorized callers', async () => {
  const { url } = await openSandbox()
  const { host } = new URL(url)
  for (const target of ['/%5fsandbox/health', '/v2/../_sandbox/health', '/w/default/v2/%2e%2e/_sandbox/health']) {
    expect((await raw(url, target, { Host: host })).status, target).toBe(200)
  }
  expect((await raw(url, `http://${host}/_sandbox/health`, { Host: host })).status).toBe(200)
  expect((await raw(url, 'http://rebound.example/_sandbox/health', { Host: host })).code).toBe('FORBIDDEN_ORIGIN')
})

test('the Host header must name loopback, in any notation, or an allowed name, for both APIs', async () => {
  const { url } = await openSandbox({}, { allowHosts: ['sandbox.test', 'only.test:8080'] })
  const ask = async (hostHeader: string) => {
    const [own, platform] = await Promise.all(
      ['/_sandbox/health', '/v2/account/balance'].map((path) => raw(url, path, { Host: hostHeader })),
    )
    // The platform API checks its token next.
    expect([hostHeader, platform?.status]).toEqual([hostHeader, own?.status === 200 ? 401 : own?.status])
    if (own?.code === 'FORBIDDEN_ORIGIN' && hostHeader.includes('rebound') && !hostHeader.includes('@'))
      for (const refused of [own, platform]) expect(refused?.body).toContain('--allow-host')
    return own?.status
  }
  for (const good of [
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1',
    '127.0.0.1:65535',
    '127.9.8.7',
    '[::1]',
    '[::1]:4010',
    'sandbox.test',
    'Sandbox.Test:99',
    'only.test:8080',
  ])
    expect(await ask(good), good).toBe(200)
  for (const bad of [
    'rebound.example',
    'localhost.rebound.example',
    '127.0.0.1.rebound.example',
    'rebound.example:4010',
    'only.test',
    'only.test:8081',
    'sandbox.test.rebound.example',
    '[::2]',
    '0.0.0.0',
    '127.0.0.1@rebound.example',
    '',
  ])
    expect([400, 403], bad).toContain(await ask(bad))
})

test('pages of other origins are rejected and get no CORS headers', async () => {
  const { url } = await openSandbox()
  const own = new URL(url).origin
  const ask = (origin: string, method = 'GET', path = '/_sandbox/health') =>
    send(method, url + path, undefined, { Origin: origin })
  expect((await ask(own)).status).toBe(200)
  const charge = (origin: string) => send('POST', `${url}/v2/transactions/cashin`, {}, { Origin: origin })
  expect((await charge(own)).body.error.code).toBe('UNAUTHORIZED')
  expect((await charge('https://evil.example')).body.error.code).toBe('FORBIDDEN_ORIGIN')
  for (const origin of ['null', 'https://evil.example', 'http://localhost:1', `${own}.evil.example`, 'file://', '']) {
    const answer = await ask(origin)
    expect(answer.body?.error?.code, origin).toBe('FORBIDDEN_ORIGIN')
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  }
  const preflight = await send('OPTIONS', `${url}/_sandbox/reset`, undefined, {
    Origin: own,
    'Access-Control-Request-Method': 'POST',
  })
  expect(preflight.status).toBe(405)
  expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('a control call accepts JSON or no body, and rejects every content type that a form can post', async () => {
  const { url } = await openSandbox()
  const post = (type: string, body = '{}') => send('POST', `${url}/_sandbox/reset`, body, { 'Content-Type': type })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
  ])
    expect((await post(type)).body.error.code, type).toBe('UNSUPPORTED_CONTENT_TYPE')
  expect((await post('application/json')).status).toBe(200)
  expect((await post('Application/JSON; charset=UTF-8')).status).toBe(200)
  const { host } = new URL(url)
  expect((await raw(url, '/_sandbox/reset', { Host: host }, 'POST')).status).toBe(200)
  expect((await raw(url, '/_sandbox/reset', { Host: host }, 'POST', '{}')).code).toBe('UNSUPPORTED_CONTENT_TYPE')
  const chunked = await raw(
    url,
    '/_sandbox/reset',
    { Host: host, 'Transfer-Encoding': 'chunked', 'Content-Type': 'text/plain' },
    'POST',
  )
  expect(chunked.code ?? chunked.status).not.toBe(200)
})

test('an inbox accepts posts from anybody, and only posts', async () => {
  const { url } = await openSandbox({}, { adminToken: 'let-me-in' })
  const owner = { 'X-Sandbox-Admin-Token': 'let-me-in' }
  expect((await send('PUT', `${url}/_sandbox/inbox/mine`, { responses: [] }, owner)).status).toBeLessThan(300)
  expect((await send('POST', `${url}/_sandbox/inbox/mine`, 'hello', { 'Content-Type': 'text/plain' })).status).toBe(200)
  expect((await send('GET', `${url}/_sandbox/inbox/mine`)).status).toBe(401)
  expect((await send('DELETE', `${url}/_sandbox/inbox/mine`)).status).toBe(401)
  expect((await send('POST', `${url}/_sandbox/inbox/mine/../../reset`)).status).toBe(401)
  expect((await send('POST', `${url}/_sandbox/inbox/mine%2f..%2f..%2freset`)).status).toBe(422)
})

test('off loopback the sandbox requires a token that it generates', async () => {
  const { url, adminToken } = await openSandbox({}, { host: '0.0.0.0' })
  expect(adminToken).toMatch(/^[a-z0-9]{40}$/)
  expect((await send('GET', `${url}/_sandbox/ledger`)).status).toBe(401)
  const token = { 'X-Sandbox-Admin-Token': adminToken ?? '' }
  expect((await send('GET', `${url}/_sandbox/ledger`, undefined, token)).status).toBe(200)
})
