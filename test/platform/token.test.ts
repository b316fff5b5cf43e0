/** Access tokens: credentials, lockout, rate, life, inactive credentials (§4.1, §5.1, decisions 1, 2 and 5). */
import { describe, expect, test, vi } from 'vitest'
import { createApp } from '../../src/http/app.js'
import { basicOf, clientWith, requestToken } from '../support/client.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

const { clientId, clientSecret, signingKey } = secretsOf('merchant')
const right = basicOf(clientId, clientSecret)
const wrong = basicOf(clientId, 'wrong')

const ask = (sandbox: TestSandbox, headers: Record<string, string> = right, body?: unknown) =>
  requestToken(sandbox.url, headers, body)

/** Returns the statuses of sequential calls. */
async function times(count: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push((await call()).status)
  return statuses
}

describe('a token', () => {
  test('has an expiry and meta, nothing else, and gives access to the API', async () => {
    const sandbox = await openWithReceivers()
    const { status, body } = await ask(sandbox)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'meta'])
    expect(body.expires_in).toBe(3600)
    expect(Object.keys(body.meta).sort()).toEqual(['request_id', 'timestamp'])
    const answer = await clientWith(sandbox.url, body.access_token, signingKey).get('/v2/account/balance')
    expect(answer.status).toBe(200)
  })

  test('is independent of other tokens of its credential', async () => {
    const sandbox = await openWithReceivers()
    const first = (await ask(sandbox)).body.access_token
    await sandbox.advance(3000)
    const second = (await ask(sandbox)).body.access_token
    expect(second).not.toBe(first)
    await sandbox.advance(600)
    const [old, young] = [first, second].map((token) => clientWith(sandbox.url, token, signingKey))
    expect((await old?.get('/v2/account/balance'))?.code).toBe('TOKEN_EXPIRED')
    expect((await young?.get('/v2/account/balance'))?.status).toBe(200)
  })

  test('is valid for 3600 seconds of business time and not a moment longer', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    await sandbox.advance('3599999ms')
    expect((await api.get('/v2/account/balance')).status).toBe(200)
    await sandbox.advance('1ms')
    const { status, code } = await api.get('/v2/account/balance')
    expect([status, code]).toEqual([401, 'TOKEN_EXPIRED'])
  })

  test('is reported as expired however long ago it expired, also after newer tokens were requested', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    await sandbox.advance('365d')
    await ask(sandbox)
    const { status, code } = await api.get('/v2/account/balance')
    expect([status, code]).toEqual([401, 'TOKEN_EXPIRED'])
  })

  test('stays valid for any real time while business time stands still', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const sandbox = await openWithReceivers()
      const api = await sandbox.api()
      vi.setSystemTime(Date.now() + 7200_000)
      expect((await api.get('/v2/account/balance')).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
  })

  test.each([
    [undefined, 'missing'],
    ['Basic abc', 'malformed'],
    ['Bearer', 'malformed'],
    ['Bearer ', 'malformed'],
    ['Bearer a b', 'malformed'],
    ['Bearer nonsense', 'unknown'],
  ])('is rejected when sent as %j: %s', async (authorization, reason) => {
    const sandbox = await openWithReceivers()
    const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization }
    const answer = await fetch(`${sandbox.url}/v2/account/balance`, { headers })
    expect(answer.status).toBe(401)
    expect((await answer.json()).error).toMatchObject({ code: 'UNAUTHORIZED', group: 'auth', details: { reason } })
  })
})

describe('the body of a token request', () => {
  test('requires grant_type, which has one value', async () => {
    const sandbox = await openWithReceivers()
    const missing = await ask(sandbox, right, {})
    expect([missing.status, missing.code]).toEqual([400, 'MISSING_REQUIRED_FIELD'])
    expect(missing.body.error.details.field).toBe('grant_type')
    const other = await ask(sandbox, right, { grant_type: 'password' })
    expect([other.status, other.code]).toEqual([422, 'INVALID_VALUE'])
    expect(other.body.error.details).toMatchObject({ field: 'grant_type', rule: expect.any(String) })
  })

  test('is read only once the credentials are right', async () => {
    const sandbox = await openWithReceivers()
    expect((await ask(sandbox, wrong, '{')).code).toBe('INVALID_CREDENTIALS')
    expect((await ask(sandbox, right, '{')).code).toBe('INVALID_JSON')
    expect((await ask(sandbox, { ...right, 'Content-Type': 'text/plain' }, 'x')).code).toBe('UNSUPPORTED_CONTENT_TYPE')
  })
})

describe('wrong credentials', () => {
  test.each([
    ['no header', {}],
    ['another scheme', { Authorization: 'Bearer abc' }],
    ['no base64', { Authorization: 'Basic %%%' }],
    ['no colon', { Authorization: 'Basic bm9jb2xvbg==' }],
    ['an unknown id', basicOf('client_nobody', clientSecret)],
    ['a wrong secret', wrong],
    ['the secret of another account', basicOf(clientId, secretsOf('customer').clientSecret)],
    ['an empty secret', basicOf(clientId, '')],
  ] as [string, Record<string, string>][])('are 401 INVALID_CREDENTIALS: %s', async (_name, headers) => {
    const { status, code } = await ask(await openWithReceivers(), headers)
    expect([status, code]).toEqual([401, 'INVALID_CREDENTIALS'])
  })

  test('are split at the first colon, because a secret may contain colons', async () => {
    const secret = 'with:colon'
    const accounts = [{ username: 'colon', credential: { clientId: 'client_colon', clientSecret: secret } }]
    const sandbox = await openWithReceivers({ accounts })
    expect((await ask(sandbox, basicOf('client_colon', secret))).status).toBe(200)
  })

  test('block the IP for 300 seconds after five in a row, even with the right secret', async () => {
    const sandbox = await openWithReceivers()
    expect(await times(5, () => ask(sandbox, wrong))).toEqual([401, 401, 401, 401, 401])
    const blocked = await ask(sandbox)
    expect([blocked.status, blocked.code]).toEqual([403, 'IP_BLOCKED_TEMPORARILY'])
    expect(blocked.headers.get('retry-after')).toBe('300')
    await sandbox.advance('299999ms')
    expect((await ask(sandbox)).status).toBe(403)
    await sandbox.advance('1ms')
    expect((await ask(sandbox)).status).toBe(200)
  })

  test('do not count without credentials: no header, another scheme, an unreadable value', async () => {
    const sandbox = await openWithReceivers()
    const bare = [{}, { Authorization: 'Bearer abc' }, { Authorization: 'Basic' }, { Authorization: 'Basic %%%' }]
    for (const headers of [...bare, ...bare])
      expect((await ask(sandbox, headers as Record<string, string>)).status).toBe(401)
    expect((await ask(sandbox)).status).toBe(200)
    // They do not reset the count either; only a success does.
    expect(await times(4, () => ask(sandbox, wrong))).toEqual([401, 401, 401, 401])
    await ask(sandbox, {})
    expect((await ask(sandbox, wrong)).status).toBe(401)
    expect((await ask(sandbox)).status).toBe(403)
  })

  test('neither count nor extend the block while the IP is blocked', async () => {
    const sandbox = await openWithReceivers()
    await times(5, () => ask(sandbox, wrong))
    await sandbox.advance(200)
    expect(await times(10, () => ask(sandbox, wrong))).toEqual(Array(10).fill(403))
    await sandbox.advance(100)
    expect(await times(4, () => ask(sandbox, wrong))).toEqual([401, 401, 401, 401])
    expect((await ask(sandbox)).status).toBe(200)
  })

  test('are counted from zero after a success', async () => {
    const sandbox = await openWithReceivers()
    await times(4, () => ask(sandbox, wrong))
    expect((await ask(sandbox)).status).toBe(200)
    expect(await times(4, () => ask(sandbox, wrong))).toEqual([401, 401, 401, 401])
    expect((await ask(sandbox)).status).toBe(200)
  })

  test('are counted for each IP separately', async () => {
    const sandbox = await openWithReceivers()
    const app = createApp(sandbox.running.host)
    const from = async (ip: string, headers: Record<string, string>) => {
      const request = new Request(`${sandbox.url}/v2/oauth/token`, {
        method: 'POST',
        headers: { ...headers, Host: new URL(sandbox.url).host, 'Content-Type': 'application/json' },
        body: '{"grant_type":"client_credentials"}',
      })
      return app(request, { ip, rawTarget: '/v2/oauth/token', disconnect: () => undefined })
    }
    await times(5, async () => from('203.0.113.1', wrong))
    expect((await from('203.0.113.1', right)).status).toBe(403)
    expect((await from('203.0.113.2', right)).status).toBe(200)
    expect((await ask(sandbox)).status).toBe(200)
  })

  test('are forgotten by a reset', async () => {
    const sandbox = await openWithReceivers()
    await times(5, () => ask(sandbox, wrong))
    await sandbox.control('POST', '/reset')
    expect((await ask(sandbox)).status).toBe(200)
  })

  test('do not count if only the grant_type is missing', async () => {
    const sandbox = await openWithReceivers()
    expect(await times(6, () => ask(sandbox, right, {}))).toEqual(Array(6).fill(400))
    expect((await ask(sandbox)).status).toBe(200)
  })
})

describe('token requests', () => {
  test('are limited to 30 a minute for each IP; the next is 429 with Retry-After', async () => {
    const sandbox = await openWithReceivers()
    expect(await times(30, () => ask(sandbox))).toEqual(Array(30).fill(200))
    const over = await ask(sandbox)
    expect([over.status, over.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(over.headers.get('retry-after')).toBe('60')
    await sandbox.advance('59999ms')
    expect((await ask(sandbox)).status).toBe(429)
    await sandbox.advance('1ms')
    expect((await ask(sandbox)).status).toBe(200)
  })

  test('over the rate limit are 429 whatever their credentials, and do not count as wrong ones', async () => {
    const sandbox = await openWithReceivers()
    await times(30, () => ask(sandbox))
    expect(await times(6, () => ask(sandbox, wrong))).toEqual(Array(6).fill(429))
    await sandbox.advance(60)
    expect((await ask(sandbox)).status).toBe(200)
  })

  test('have no limit when rate limits are off, and a new count after a reset', async () => {
    const free = await openWithReceivers({ rateLimits: false })
    expect(await times(40, () => ask(free))).toEqual(Array(40).fill(200))
    const sandbox = await openWithReceivers()
    await times(31, () => ask(sandbox))
    await sandbox.control('POST', '/reset')
    expect((await ask(sandbox)).status).toBe(200)
  })
})

describe('an inactive credential', () => {
  test('is 403 CREDENTIAL_INACTIVE with the right secret, and does not count towards the lockout', async () => {
    const sandbox = await openWithReceivers()
    await sandbox.control('PATCH', `/credentials/${clientId}`, { active: false })
    expect(await times(6, () => ask(sandbox))).toEqual(Array(6).fill(403))
    const { code } = await ask(sandbox)
    expect(code).toBe('CREDENTIAL_INACTIVE')
    expect((await ask(sandbox, wrong)).code).toBe('INVALID_CREDENTIALS')
    await sandbox.control('PATCH', `/credentials/${clientId}`, { active: true })
    expect((await ask(sandbox)).status).toBe(200)
  })

  test('invalidates its tokens', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    await sandbox.control('PATCH', `/credentials/${clientId}`, { active: false })
    const { status, code } = await api.get('/v2/account/balance')
    expect([status, code]).toEqual([403, 'CREDENTIAL_INACTIVE'])
  })

  test('may be one of several credentials of an account, each with its own keys', async () => {
    const sandbox = await openWithReceivers()
    const { body } = await sandbox.control('POST', '/accounts/merchant/credentials', { active: true })
    const token = (await ask(sandbox, basicOf(body.client_id, body.client_secret))).body.access_token
    const second = clientWith(sandbox.url, token, body.signing_key)
    const withdrawal = { external_id: 'w1', amount: 5, currency: 'BRL', key: 'maria@example.com' }
    expect((await second.cashout(withdrawal)).status).toBe(202)
    const mixed = clientWith(sandbox.url, token, signingKey)
    expect((await mixed.cashout({ ...withdrawal, external_id: 'w2' })).code).toBe('INVALID_SIGNATURE')
  })
})
