/** Every code of §7 occurs in a real call, with status, group, retryable and details. */
import { expect, test, vi } from 'vitest'
import { errorCatalogue } from '../../src/protocol/platform/errors.js'
import { type Api, basicOf, requestToken } from '../support/client.js'
import type { Answer, Body } from '../support/http.js'
import { errorSpec } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'

const { clientId, clientSecret, signingKey } = secretsOf('merchant')
const cashin = { amount: 10, currency: 'BRL' }
const cashout = { external_id: 'w1', amount: 10, currency: 'BRL', key: 'maria@example.com' }
const limit = (sandbox: TestSandbox, row: object) =>
  sandbox.control('PATCH', '/accounts/merchant', { limits: [{ currency: 'BRL', operation: 'cashin', ...row }] })

type Case = [details: object, reach: (sandbox: TestSandbox, api: Api) => Promise<Answer>]

/** How a call gets each code, and the expected `details`. */
const cases: Record<string, Case> = {
  INVALID_CREDENTIALS: [{}, ({ url }) => requestToken(url, basicOf(clientId, 'wrong'))],
  IP_BLOCKED_TEMPORARILY: [
    {},
    async ({ url }) => {
      for (let n = 0; n < 5; n++) await requestToken(url, basicOf(clientId, 'wrong'))
      return requestToken(url, basicOf(clientId, clientSecret))
    },
  ],
  INVALID_TIMESTAMP: [{}, (_s, api) => api.cashout(cashout, { 'X-Timestamp': '1000000000' })],
  REPLAY_DETECTED: [
    {},
    async (_s, api) => {
      const headers = signatureOf(signingKey, JSON.stringify(cashout))
      await api.post('/v2/transactions/cashout', cashout, headers)
      return api.post('/v2/transactions/cashout', cashout, headers)
    },
  ],
  INVALID_SIGNATURE: [{}, (_s, api) => api.cashout(cashout, { 'X-Signature': '0'.repeat(64) })],
  MISSING_SIGNATURE: [{}, (_s, api) => api.post('/v2/transactions/cashout', cashout)],
  MISSING_REQUIRED_FIELD: [{ field: 'amount' }, (_s, api) => api.cashin({ currency: 'BRL' })],
  INVALID_AMOUNT: [{ field: 'amount' }, (_s, api) => api.cashin({ ...cashin, amount: -5 })],
  INVALID_CURRENCY: [{ field: 'currency' }, (_s, api) => api.cashin({ ...cashin, currency: 'EUR' })],
  UNSUPPORTED_CHAIN: [
    { supported: ['bitcoin'] },
    (_s, api) => api.cashin({ ...cashin, currency: 'BTC', chain: 'tron' }),
  ],
  BELOW_MIN_LIMIT: [{ min_amount: 1 }, (_s, api) => api.cashin({ ...cashin, amount: 0.99 })],
  EXCEEDS_MAX_LIMIT: [
    { max_amount: 9 },
    async (sandbox, api) => {
      await limit(sandbox, { max_amount: '9' })
      return api.cashin(cashin)
    },
  ],
  LIMIT_EXCEEDED: [
    {},
    async (sandbox, api) => {
      await limit(sandbox, { daily_limit: '9' })
      return api.cashin(cashin)
    },
  ],
  DUPLICATE_EXTERNAL_ID: [
    { transaction_id: expect.any(String) },
    async (_s, api) => {
      await api.cashin({ ...cashin, external_id: 'x' })
      return api.cashin({ ...cashin, amount: 11, external_id: 'x' })
    },
  ],
  PROVIDER_ERROR: [{}, (_s, api) => api.cashin(cashin, { 'X-Sandbox-Scenario': 'provider-error' })],
  UNAUTHORIZED: [{ reason: 'unknown' }, (_s, api) => api.get('/v2/account/balance', { Authorization: 'Bearer x' })],
  TOKEN_EXPIRED: [
    {},
    async (sandbox, api) => {
      await sandbox.advance(3600)
      return api.get('/v2/account/balance')
    },
  ],
  CREDENTIAL_INACTIVE: [
    {},
    async (sandbox, api) => {
      await sandbox.control('PATCH', `/credentials/${clientId}`, { active: false })
      return api.get('/v2/account/balance')
    },
  ],
  INVALID_JSON: [{}, (_s, api) => api.post('/v2/transactions/cashin', '{"amount":')],
  UNSUPPORTED_CONTENT_TYPE: [{}, (_s, api) => api.cashin(cashin, { 'Content-Type': 'text/plain' })],
  PAYLOAD_TOO_LARGE: [{}, (_s, api) => api.post('/v2/transactions/cashin', `{"a":"${'x'.repeat(256 * 1024)}"}`)],
  INVALID_VALUE: [
    { field: 'external_id', rule: expect.any(String) },
    (_s, api) => api.cashin({ ...cashin, external_id: 'x'.repeat(151) }),
  ],
  INVALID_POSTBACK_URL: [{}, (_s, api) => api.cashin({ ...cashin, postback_url: 'http://example.com' })],
  INVALID_SPLIT_CONFIG: [{}, (_s, api) => api.cashin({ ...cashin, split: [{ username: 'nobody', percentage: 1 }] })],
  INSUFFICIENT_BALANCE: [
    { available: 10000, required: 50001 },
    (_s, api) => api.cashout({ ...cashout, amount: 50000 }),
  ],
  SELF_TRANSFER_BLOCKED: [
    {},
    (_s, api) => api.signed('/v2/internal_transfers/payment', { username: 'merchant', amount: 1, currency: 'BRL' }),
  ],
  NOT_FOUND: [{}, (_s, api) => api.get('/v2/nothing/here')],
  METHOD_NOT_ALLOWED: [{}, (_s, api) => api.get('/v2/transactions/cashin')],
  INVALID_TRANSITION: [
    { from: 'canceled', allowed: [] },
    async (sandbox, api) => {
      const { transaction_id: id } = (await api.cashin(cashin)).data
      await sandbox.trigger('cashin.pay', id)
      const { infraction_id } = (await sandbox.trigger('dispute.open', id)).body.object
      await sandbox.trigger('dispute.cancel', infraction_id)
      return sandbox.trigger('dispute.lose', infraction_id)
    },
  ],
  RATE_LIMIT_EXCEEDED: [
    {},
    async ({ url }) => {
      for (let n = 0; n < 29; n++) await requestToken(url, basicOf(clientId, clientSecret))
      return requestToken(url, basicOf(clientId, clientSecret))
    },
  ],
  SERVICE_UNAVAILABLE: [
    {},
    async (sandbox, api) => {
      // SQLite's own error of a full disk.
      sandbox.running.workspace.db.exec('pragma query_only = on')
      const answer = await api.cashin(cashin)
      sandbox.running.workspace.db.exec('pragma query_only = off')
      return answer
    },
  ],
  INTERNAL_ERROR: [
    {},
    async (sandbox, api) => {
      const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined)
      // An internal error: one of the sandbox's tables is missing.
      sandbox.running.workspace.db.exec('alter table accounts rename to gone')
      const answer = await api.cashin({ ...cashin, split: [{ username: 'customer', percentage: 1 }] })
      sandbox.running.workspace.db.exec('alter table gone rename to accounts')
      expect(reported).toHaveBeenCalled()
      reported.mockRestore()
      return answer
    },
  ],
}

test.each(Object.entries(cases))('%s occurs in a real call, as documented', async (expected, [details, reach]) => {
  const sandbox = await openWithReceivers()
  const answer = await reach(sandbox, await sandbox.api())
  expect(answer.code, answer.text).toBe(expected)
  const [status, group, retryable] = errorSpec[expected] ?? []
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual({
    success: false,
    error: { code: expected, message: expect.any(String), group, retryable, details: expect.any(Object) },
  })
  expect(answer.body.error.details).toMatchObject(details)
  expect(answer.headers.get('x-request-id')).toMatch(/^\S+$/)
  if (status === 429 || expected === 'IP_BLOCKED_TEMPORARILY')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('every error code of the platform occurs in these tests', () => {
  const own = ['FORBIDDEN_ORIGIN', 'CONFLICT', 'WAIT_TIMEOUT', 'INBOX_FULL']
  expect(Object.keys(cases).sort()).toEqual(
    Object.keys(errorCatalogue)
      .filter((code) => !own.includes(code))
      .sort(),
  )
  expect(Object.keys(cases).sort()).toEqual(Object.keys(errorSpec).sort())
})

test('the sandbox’s own error codes have the same body', async () => {
  const sandbox = await openWithReceivers()
  const foreign = await fetch(`${sandbox.url}/_sandbox/health`, { headers: { Origin: 'https://example.com' } })
  const conflict = await sandbox.control('POST', '/accounts', { username: 'customer' })
  const timeout = await sandbox.control('GET', '/webhooks/wait?event=cashin.confirmed&timeout=10ms')
  const bodies: [number, Body][] = [
    [foreign.status, await foreign.json()],
    [conflict.status, conflict.body],
    [timeout.status, timeout.body],
  ]
  expect(bodies.map(([status, body]) => [status, body.error.code])).toEqual([
    [403, 'FORBIDDEN_ORIGIN'],
    [409, 'CONFLICT'],
    [408, 'WAIT_TIMEOUT'],
  ])
  for (const [, body] of bodies)
    expect(Object.keys(body.error).sort()).toEqual(['code', 'details', 'group', 'message', 'retryable'])
})

test('a provider that fails leaves nothing behind, and the same call works when repeated', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await sandbox.control('POST', '/scenarios/cashout-provider-error/arm', { times: 1 })
  const failed = await api.cashout(cashout)
  expect([failed.status, failed.code, failed.body.error.retryable]).toEqual([502, 'PROVIDER_ERROR', true])
  expect(await api.balance('BRL')).toEqual({ available: 10000, blocked: 0, pending: 0 })
  expect((await api.cashout(cashout)).status).toBe(202)
})

test('a full store answers 503 to writes, continues to read, loses nothing, and recovers by itself', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const { db } = sandbox.running.workspace
  db.exec('pragma max_page_count = 1')
  const charge = (n: number) => api.cashin({ ...cashin, external_id: `${n}`.padEnd(150, 'x') })
  const statuses: number[] = []
  for (let n = 0; n < 500 && statuses.at(-1) !== 503; n++) statuses.push((await charge(n)).status)
  expect(statuses.at(-1)).toBe(503)
  const answers = await Promise.all([charge(1000), api.get('/v2/account/balance'), charge(1001)])
  expect(answers.map((answer) => answer.status)).toEqual([503, 200, 503])
  db.exec('pragma max_page_count = 1000000')
  expect((await charge(statuses.length - 1)).status).toBe(200)
  const kept = (await sandbox.control('GET', '/transactions?limit=500')).body.data
  expect(kept).toHaveLength(statuses.length)
})
