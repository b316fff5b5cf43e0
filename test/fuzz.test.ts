/** Hostile input at every door: always the error body, never a 500, and the process lives. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adminRoutes } from '../src/http/admin/index.js'
import { endpoints } from '../src/spec/endpoints.js'
import { type Body, openTestSandbox, secretsOf, signatureOf, type TestSandbox } from './support/sandbox.js'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`fuzz: SEED=${seed}`)

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const brokenBodies = [
  '',
  '{',
  '}',
  'null',
  '[]',
  '"text"',
  '1',
  '{"a":}',
  "{'a':1}",
  '{"amount":1e400}',
  '{"amount":NaN}',
  '{"a":1,"a":2}',
  '\u0000',
  '{"amount":--1}',
  `{"a":${deep(33)}}`,
  deep(5000),
  `{"external_id":"\\ud800","amount":1,"currency":"BRL"}`,
  `{"external_id":"a\\u0000b","amount":1,"currency":"BRL"}`,
  '{"__proto__":{"success":true},"constructor":{"prototype":{}},"amount":5,"currency":"BRL"}',
  `{"amount":${'9'.repeat(5000)},"currency":"BRL"}`,
  `{"amount":0.${'0'.repeat(5000)}1,"currency":"BRL"}`,
  `{"external_id":"${'x'.repeat(300_000)}"}`,
]

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    ' ',
    '../../etc/passwd',
    '<script>alert(1)</script>',
    "' or 1=1 --",
    '%00',
    '\u202e',
    'NaN',
    '-0',
    '1e5',
    'x'.repeat(10_000),
    '__proto__',
  ),
)
const fieldNames = [
  'amount',
  'currency',
  'chain',
  'network',
  'key',
  'key_type',
  'external_id',
  'postback_url',
  'payer',
  'split',
  'username',
  'base_currency',
  'destination_currency',
  'creditParty',
  'page',
  'page_size',
  'from_date',
  'to_date',
  'status',
  'type',
  'id',
  'action',
  'by',
  'to',
  'until',
  'mode',
  'now',
  'name',
  'limits',
  'fees',
  'balances',
  'credential',
  'webhook_secret',
  'active',
  'grant_type',
  'responses',
  'params',
  'times',
  'fast_forward',
]
const plausible = fc.constantFrom<unknown>(
  'BRL',
  'USDT',
  'tron',
  'ethereum',
  10,
  0.01,
  -1,
  'merchant',
  'customer',
  'cashin.pay',
  'dispute.open',
  '10m',
  'idle',
  true,
  null,
  {},
  [],
)
const value = fc.oneof(
  { weight: 3, arbitrary: plausible },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: hostileText },
)
const object = fc.dictionary(fc.constantFrom(...fieldNames), value, { maxKeys: 8 })

/** Never a fault of the sandbox; a refusal is the documented body. */
async function check(answer: Response, what: string): Promise<void> {
  const text = await answer.text()
  expect(answer.status, `${what}: ${text.slice(0, 300)}`).toBeLessThan(500)
  if (answer.status < 400) return
  const body = JSON.parse(text) as Body
  expect(body, what).toEqual({
    success: false,
    error: {
      code: expect.any(String),
      message: expect.any(String),
      group: expect.any(String),
      retryable: expect.any(Boolean),
      details: expect.any(Object),
    },
  })
  expect(answer.headers.get('x-request-id'), what).toBeTruthy()
}

const alive = async (sandbox: TestSandbox) => expect((await fetch(`${sandbox.url}/_sandbox/health`)).status).toBe(200)

const json = { 'Content-Type': 'application/json' }
const ways = Object.values(endpoints)

test('broken JSON at every endpoint of the API', async () => {
  const sandbox = await openTestSandbox({ rateLimits: false })
  const { bearer } = await sandbox.api()
  for (const { method, path } of ways.filter(({ method }) => method === 'POST'))
    for (const body of brokenBodies)
      await check(
        await fetch(sandbox.url + path, { method, headers: { ...json, ...bearer }, body }),
        `${path} ${body.slice(0, 60)}`,
      )
  await alive(sandbox)
})

test('hostile headers at every endpoint of the API', async () => {
  const sandbox = await openTestSandbox({ rateLimits: false })
  const { bearer } = await sandbox.api()
  const odd: Record<string, string>[] = [
    { Authorization: 'Bearer' },
    { Authorization: `Bearer ${'x'.repeat(8000)}` },
    { Authorization: 'Basic %%%' },
    { Authorization: 'Basic bm9jb2xvbg==' },
    { ...bearer, 'Content-Type': 'application/json; charset=utf-16' },
    { ...bearer, 'Content-Type': 'multipart/form-data' },
    { ...bearer, 'Content-Type': 'multipart/form-data; boundary=' },
    { ...bearer, 'X-Signature': 'abzz', 'X-Timestamp': '1e9', 'X-Nonce': 'x' },
    { ...bearer, 'X-Signature': 'é'.repeat(32), 'X-Timestamp': '99999999999999999999', 'X-Nonce': '-' },
    { ...bearer, 'X-Sandbox-Scenario': '../../x' },
  ]
  for (const { method, path } of ways)
    for (const headers of odd)
      await check(
        await fetch(sandbox.url + path, {
          method,
          headers: { ...json, ...headers },
          ...(method === 'GET' ? {} : { body: '{}' }),
        }),
        `${path} ${JSON.stringify(headers).slice(0, 80)}`,
      )
  await alive(sandbox)
})

test('odd multipart bodies at the reply endpoint', async () => {
  const sandbox = await openTestSandbox()
  const { bearer } = await sandbox.api()
  const reply = (body: string | FormData, type?: string) =>
    fetch(`${sandbox.url}/v2/account/infractions/reply`, {
      method: 'POST',
      headers: { ...bearer, ...(type === undefined ? {} : { 'Content-Type': type }) },
      body,
    })
  for (const body of [
    '',
    '--x',
    '--x\r\n\r\n--x--',
    '--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--',
    '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\n1',
    '\r\n'.repeat(1000),
  ])
    await check(await reply(body, 'multipart/form-data; boundary=x'), JSON.stringify(body.slice(0, 40)))
  const form = new FormData()
  for (let index = 0; index < 200; index++) form.append('id', String(index))
  await check(await reply(form), 'many ids')
  await alive(sandbox)
})

test('random objects at every endpoint, signed where it takes a signature', async () => {
  const sandbox = await openTestSandbox({ rateLimits: false })
  const api = await sandbox.api()
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ways), object, async ({ method, path }, body) => {
      const text = JSON.stringify(body)
      const headers = { ...json, ...api.bearer, ...signatureOf(secretsOf('merchant').signingKey, text) }
      const query =
        method === 'GET'
          ? `?${new URLSearchParams(Object.entries(body).map(([key, item]) => [key, String(JSON.stringify(item))]))}`
          : ''
      await check(
        await fetch(sandbox.url + path + query, { method, headers, ...(method === 'GET' ? {} : { body: text }) }),
        `${path} ${text}`,
      )
    }),
    { seed, numRuns: 600 },
  )
  await alive(sandbox)
})

/** Routes that answer late, or take what stands by design away from under the test. */
const unsuited = ['/_sandbox/webhooks/wait', '/_sandbox/stream', '/_sandbox/clock/advance']

test('random objects and queries at every control route', async () => {
  const sandbox = await openTestSandbox({ rateLimits: false })
  const routes = adminRoutes.filter(({ path }) => !unsuited.includes(path))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      object,
      fc.webSegment({ size: 'small' }),
      async ({ method, path }, body, segment) => {
        const target = path.replace(/:[a-z_]+/g, segment === '' || /^\.\.?$/.test(segment) ? 'merchant' : segment)
        const query =
          method === 'GET'
            ? `?${new URLSearchParams(Object.entries(body).map(([key, item]) => [key, String(item)]))}`
            : ''
        const answer = await fetch(sandbox.url + target + query, {
          method,
          headers: json,
          ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
        })
        await check(answer, `${method} ${target} ${JSON.stringify(body)}`)
      },
    ),
    { seed, numRuns: 600 },
  )
  await alive(sandbox)
})

test('broken bodies at every control route', async () => {
  const sandbox = await openTestSandbox({ rateLimits: false })
  for (const { method, path } of adminRoutes.filter(
    (route) => route.method !== 'GET' && !unsuited.includes(route.path),
  ))
    for (const body of brokenBodies)
      await check(
        await fetch(sandbox.url + path.replace(/:[a-z_]+/g, 'merchant'), { method, headers: json, body }),
        `${method} ${path} ${body.slice(0, 60)}`,
      )
  await alive(sandbox)
})
