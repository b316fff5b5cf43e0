/** Request signatures: order of checks, time window, nonces (§5.2, decisions 3 to 5), with a controlled real time. */
import { createHmac, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { hmacHex } from '../../src/base/crypto.js'
import type { Api } from '../support/client.js'
import { send } from '../support/http.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'
import { onWorkers } from '../support/workers.js'
import vectors from '../vectors.json' with { type: 'json' }

const key = secretsOf('merchant').signingKey
const route = '/v2/internal_transfers/payment'
const body = '{"username":"customer","amount":1,"currency":"BRL"}'

let sandbox: TestSandbox
let api: Api

// Real time stands still shortly after a whole second, so that "exactly 300 s" is exact.
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: onWorkers ? Date.now() : Date.UTC(2026, 10, 21, 12, 0, 0, 437) })
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})
afterEach(async () => {
  await sandbox.settle()
  vi.useRealTimers()
})

const nowSeconds = () => Math.floor(Date.now() / 1000)
const call = (headers: Record<string, string>, text = body) => api.post(route, text, headers)
const without = (headers: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
const at = (timestamp: number | string, nonce: string = randomUUID()) =>
  signatureOf(key, body, { timestamp: String(timestamp), nonce })

describe('the published signature vectors', () => {
  test('are what the test client and the sandbox compute', () => {
    for (const { timestamp, nonce, body: text, signature } of vectors.request_hmac.valid) {
      expect(signatureOf(vectors.request_hmac.signing_key, text, { timestamp, nonce })['X-Signature']).toBe(signature)
      expect(hmacHex(vectors.request_hmac.signing_key, `${timestamp}.${nonce}.${text}`)).toBe(signature)
    }
    for (const { body: text, signature } of vectors.webhook_hmac.valid)
      expect(hmacHex(vectors.webhook_hmac.webhook_secret, text)).toBe(signature)
  })

  test('pass and fail over HTTP as documented', async () => {
    const { valid, invalid, signing_key: signingKey } = vectors.request_hmac
    const accounts = [
      { username: 'vector', balances: { BRL: '1000.00' }, credential: { ...secretsOf('vector'), signingKey } },
    ]
    const other = await openWithReceivers({ accounts })
    const caller = await other.api('vector')
    const post = ({ body: text, ...headers }: (typeof valid)[number]) => {
      vi.setSystemTime(Number(headers.timestamp) * 1000)
      return caller.post('/v2/transactions/cashout', text, {
        'X-Timestamp': headers.timestamp,
        'X-Nonce': headers.nonce,
        'X-Signature': headers.signature,
      })
    }
    for (const vector of invalid) expect((await post(vector)).code, vector.reason).toBe('INVALID_SIGNATURE')
    const [first] = valid
    if (first !== undefined) expect((await post(first)).status).toBe(202)
  })
})

describe('the signature headers', () => {
  test.each([[['X-Signature']], [['X-Timestamp']], [['X-Nonce']], [['X-Signature', 'X-Timestamp', 'X-Nonce']]])(
    'are all required: %j missing is MISSING_SIGNATURE',
    async (names) => {
      const { status, code } = await call(without(at(nowSeconds()), ...names))
      expect([status, code]).toEqual([401, 'MISSING_SIGNATURE'])
    },
  )

  test('count as missing when they are empty', async () => {
    expect((await call({ ...at(nowSeconds()), 'X-Nonce': '' })).code).toBe('MISSING_SIGNATURE')
  })

  test('are required on the four financial routes and on no other', async () => {
    const signed = ['/v2/transactions/cashout', '/v2/pix/payment', route, '/v2/conversions/new']
    for (const path of signed) expect((await api.post(path, '{}')).code, path).toBe('MISSING_SIGNATURE')
    const open = [
      '/v2/transactions/cashin',
      '/v2/transactions/wallet',
      '/v2/conversions/rate',
      '/v2/conversions/simulate',
    ]
    for (const path of open) expect((await api.post(path, '{}')).code, path).toBe('MISSING_REQUIRED_FIELD')
    expect((await api.post('/v2/account/transactions/list', '{}')).status).toBe(200)
  })
})

describe('the order of signature checks', () => {
  test('is missing header, timestamp, nonce, signature', async () => {
    const used = at(nowSeconds())
    expect((await call(used)).status).toBe(200)
    const stale = String(nowSeconds() - 1000)
    const bad = { 'X-Timestamp': stale, 'X-Nonce': String(used['X-Nonce']), 'X-Signature': 'nonsense' }
    expect((await call(without(bad, 'X-Signature'))).code).toBe('MISSING_SIGNATURE')
    expect((await call(bad)).code).toBe('INVALID_TIMESTAMP')
    expect((await call({ ...bad, 'X-Timestamp': String(nowSeconds()) })).code).toBe('REPLAY_DETECTED')
    const fresh = { ...bad, 'X-Timestamp': String(nowSeconds()), 'X-Nonce': randomUUID() }
    expect((await call(fresh)).code).toBe('INVALID_SIGNATURE')
  })

  test('has the bearer before the signature, and the signature before the body', async () => {
    const headers = { ...at(nowSeconds()), Authorization: 'Bearer nonsense' }
    expect((await call(headers)).code).toBe('UNAUTHORIZED')
    expect((await call({ ...at(nowSeconds()), 'X-Signature': '0'.repeat(64) }, '{')).code).toBe('INVALID_SIGNATURE')
    expect((await call(signatureOf(key, '{'), '{')).code).toBe('INVALID_JSON')
    const typed = { ...signatureOf(key, 'x'), 'Content-Type': 'text/plain' }
    expect((await call(typed, 'x')).code).toBe('UNSUPPORTED_CONTENT_TYPE')
  })
})

describe('X-Timestamp', () => {
  test.each([-300, -1, 0, 1, 300])('may be %i seconds off', async (offset) => {
    expect((await call(at(nowSeconds() + offset))).status).toBe(200)
  })

  test.each([-301, 301, -3600, 86_400])('may not be %i seconds off', async (offset) => {
    const { status, code } = await call(at(nowSeconds() + offset))
    expect([status, code]).toEqual([401, 'INVALID_TIMESTAMP'])
  })

  test.each(['abc', '1e9', '-1', '1.5', '0x5f', '2026-11-21T12:00:00Z', 'NaN', '99999999999999999999'])(
    'is rejected as %s',
    async (timestamp) => {
      expect((await call(at(timestamp))).code).toBe('INVALID_TIMESTAMP')
    },
  )

  test('must be in seconds, not in milliseconds', async () => {
    expect((await call(at(Date.now()))).code).toBe('INVALID_TIMESTAMP')
  })

  test('is compared with real time: an advance of seven days changes nothing', async () => {
    await sandbox.advance('7d')
    const fresh = await sandbox.api()
    expect((await fresh.post(route, body, at(nowSeconds()))).status).toBe(200)
    const { now } = (await sandbox.control('GET', '/clock')).body
    expect((await fresh.post(route, body, at(Math.floor(Date.parse(now) / 1000)))).code).toBe('INVALID_TIMESTAMP')
  })
})

describe('X-Signature', () => {
  const headers = () => at(nowSeconds())
  test.each([
    ['upper-case hex', (text: string) => text.toUpperCase()],
    ['too short', (text: string) => text.slice(0, 63)],
    ['too long', (text: string) => `${text}0`],
    ['not hex', (text: string) => `zz${text.slice(2)}`],
    ['one digit changed', (text: string) => (text.startsWith('0') ? '1' : '0') + text.slice(1)],
    ['base64', (text: string) => Buffer.from(text, 'hex').toString('base64')],
  ])('is rejected: %s', async (_name, change) => {
    const own = headers()
    const { status, code } = await call({ ...own, 'X-Signature': change(String(own['X-Signature'])) })
    expect([status, code]).toEqual([401, 'INVALID_SIGNATURE'])
  })

  test('is rejected over another body, a re-serialized body, another key, and without the dots', async () => {
    const spaced = JSON.stringify(JSON.parse(body), null, 1)
    expect((await call(headers(), spaced)).code).toBe('INVALID_SIGNATURE')
    expect((await call(signatureOf(secretsOf('customer').signingKey, body))).code).toBe('INVALID_SIGNATURE')
    const timestamp = String(nowSeconds())
    const nonce = randomUUID()
    const signature = createHmac('sha256', key)
      .update(timestamp + nonce + body)
      .digest('hex')
    const dotless = { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
    expect((await call(dotless)).code).toBe('INVALID_SIGNATURE')
  })

  test('covers the exact bytes, including spaces, order and text beyond ASCII', async () => {
    const text = '{ "amount" : 1.0,\n\t"username":"customer", "currency":"BRL","description":"São José — março 🎉" }'
    const { status, data } = await call(signatureOf(key, text), text)
    expect([status, data.description]).toEqual([200, 'São José — março 🎉'])
  })
})

describe('X-Nonce', () => {
  test('may be used once', async () => {
    const headers = at(nowSeconds())
    expect((await call(headers)).status).toBe(200)
    const { status, code } = await call(headers)
    expect([status, code]).toEqual([401, 'REPLAY_DETECTED'])
    const anew = signatureOf(key, body, { nonce: String(headers['X-Nonce']), timestamp: String(nowSeconds() + 5) })
    expect((await call(anew)).code).toBe('REPLAY_DETECTED')
    expect((await call({ ...anew, 'X-Nonce': String(headers['X-Nonce']).toUpperCase() })).code).toBe('REPLAY_DETECTED')
  })

  test('is not used up by a call with a wrong signature', async () => {
    const headers = at(nowSeconds())
    expect((await call({ ...headers, 'X-Signature': '0'.repeat(64) })).code).toBe('INVALID_SIGNATURE')
    expect((await call(headers)).status).toBe(200)
  })

  test('stays used when the call fails for another reason', async () => {
    const poor = '{"username":"customer","amount":99999,"currency":"BRL"}'
    const headers = signatureOf(key, poor)
    expect((await call(headers, poor)).code).toBe('INSUFFICIENT_BALANCE')
    expect((await call(headers, poor)).code).toBe('REPLAY_DETECTED')
    const broken = signatureOf(key, '{')
    expect((await call(broken, '{')).code).toBe('INVALID_JSON')
    expect((await call(broken, '{')).code).toBe('REPLAY_DETECTED')
  })

  test('belongs to its credential', async () => {
    const headers = at(nowSeconds())
    expect((await call(headers)).status).toBe(200)
    const other = await sandbox.api('customer')
    const text = '{"username":"merchant","amount":1,"currency":"BRL"}'
    const same = signatureOf(secretsOf('customer').signingKey, text, { nonce: String(headers['X-Nonce']) })
    expect((await other.post(route, text, same)).status).toBe(200)
  })

  test.each(['abc', '00000000-0000-0000-0000-000000000000', 'f47ac10b-58cc-1372-8567-0e02b2c3d479'])(
    'is INVALID_SIGNATURE if it is not a UUID v4: %s',
    async (nonce) => {
      expect((await call(at(nowSeconds(), nonce))).code).toBe('INVALID_SIGNATURE')
    },
  )

  test('is remembered for as long as its timestamp is valid, and may be used again afterwards', async () => {
    const start = nowSeconds()
    const nonce = randomUUID()
    expect((await call(at(start + 300, nonce))).status).toBe(200)
    vi.setSystemTime((start + 600) * 1000)
    expect((await call(at(start + 300, nonce))).code).toBe('REPLAY_DETECTED')
    expect((await call(at(start + 600, nonce))).code).toBe('REPLAY_DETECTED')
    vi.setSystemTime((start + 602) * 1000)
    expect((await call(at(start + 602, nonce))).status).toBe(200)
  })

  test('is not forgotten when the clock advances', async () => {
    const headers = at(nowSeconds())
    expect((await call(headers)).status).toBe(200)
    await sandbox.advance('10m')
    expect((await call(headers)).code).toBe('REPLAY_DETECTED')
  })

  test('is accepted in exactly one of a hundred concurrent calls', async () => {
    const headers = at(nowSeconds())
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => send('POST', sandbox.url + route, body, { ...api.bearer, ...headers })),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.code === 'REPLAY_DETECTED')).toHaveLength(99)
    expect(await api.balance('BRL')).toMatchObject({ available: 9999 })
  })
})
