/** The request log says why a signature was rejected: the tests make each known mistake. */
import { createHmac, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { effortSince } from '../support/effort.js'
import { control, send } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'

const route = '/v2/internal_transfers/payment'
const { signingKey, clientSecret, webhookSecret, clientId } = secretsOf('merchant')
const payload = { username: 'customer', amount: 1.5, currency: 'BRL', description: 'Pão/leite' }
const body = JSON.stringify(payload)

interface Parts {
  timestamp: string
  nonce: string
  body: string
}
type Made = Partial<Record<'X-Signature' | 'X-Timestamp' | 'X-Nonce', string>> & { body?: string }

const hmac = (key: string | Buffer, text: string | Buffer, name = 'sha256') => createHmac(name, key).update(text)
const hex = (text: string | Buffer, key: string | Buffer = signingKey) => hmac(key, text).digest('hex')
const plain = ({ timestamp, nonce, body }: Parts) => `${timestamp}.${nonce}.${body}`
const sorted = JSON.stringify(Object.fromEntries(Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1))))
const python = body.replaceAll('":', '": ').replaceAll(',"', ', "')

const mistakes: readonly (readonly [name: string, hint: RegExp, make: (parts: Parts) => Made])[] = [
  [
    'spaces after colons and commas',
    /with a space after colons and commas/,
    (p) => ({ 'X-Signature': hex(plain({ ...p, body: python })) }),
  ],
  ['compact JSON of a spaced body', /as compact JSON/, (p) => ({ body: python, 'X-Signature': hex(plain(p)) })],
  ['sorted keys', /with sorted keys/, (p) => ({ 'X-Signature': hex(plain({ ...p, body: sorted })) })],
  [
    'indented JSON',
    /indented by two/,
    (p) => ({ 'X-Signature': hex(plain({ ...p, body: JSON.stringify(payload, null, 2) })) }),
  ],
  [
    'escaped non-ASCII',
    /non-ASCII characters escaped/,
    (p) => ({ 'X-Signature': hex(plain({ ...p, body: body.replace('ã', '\\u00e3') })) }),
  ],
  [
    'escaped slashes',
    /slashes escaped/,
    (p) => ({ 'X-Signature': hex(plain({ ...p, body: body.replace('/', '\\/') })) }),
  ],
  [
    'numbers in another form',
    /numbers in another form/,
    (p) => ({ body: body.replace('1.5', '1.50'), 'X-Signature': hex(plain(p)) }),
  ],
  [
    'a trailing line break signed',
    /line break that was not sent/,
    (p) => ({ 'X-Signature': hex(plain({ ...p, body: `${body}\n` })) }),
  ],
  [
    'a trailing line break sent',
    /white space that was not signed/,
    (p) => ({ body: `${body}\n`, 'X-Signature': hex(plain(p)) }),
  ],
  ['no body', /left out/, (p) => ({ 'X-Signature': hex(plain({ ...p, body: '' })) })],
  ['Latin-1', /Latin-1/, (p) => ({ 'X-Signature': hex(Buffer.from(plain(p), 'latin1')) })],
  [
    'milliseconds signed',
    /in milliseconds, but sent in seconds/,
    (p) => ({ 'X-Signature': hex(plain({ ...p, timestamp: `${p.timestamp}417` })) }),
  ],
  ['milliseconds sent', /X-Timestamp is in milliseconds/, (p) => ({ 'X-Timestamp': `${p.timestamp}417` })],
  ['a date sent', /X-Timestamp is a date/, () => ({ 'X-Timestamp': new Date().toISOString() })],
  ['a word sent', /X-Timestamp is not a number/, () => ({ 'X-Timestamp': 'now' })],
  [
    'a clock behind',
    /10m behind the time of this machine|9m59s behind|10m1s behind/,
    (p) => ({ 'X-Timestamp': String(Number(p.timestamp) - 600) }),
  ],
  ['another number', /X-Timestamp is not the current Unix time/, () => ({ 'X-Timestamp': '42' })],
  [
    'another moment',
    /The signed time differs/,
    (p) => ({ 'X-Signature': hex(plain({ ...p, timestamp: String(Number(p.timestamp) - 1) })) }),
  ],
  ['upper-case hex', /upper-case hex/, (p) => ({ 'X-Signature': hex(plain(p)).toUpperCase() })],
  ['base64', /in base64; use lower-case hex/, (p) => ({ 'X-Signature': hmac(signingKey, plain(p)).digest('base64') })],
  [
    'base64url',
    /in base64; use lower-case hex/,
    (p) => ({ 'X-Signature': hmac(signingKey, plain(p)).digest('base64url') }),
  ],
  ['base64 of hex', /base64 of the hexadecimal text/, (p) => ({ 'X-Signature': btoa(hex(plain(p))) })],
  ['a prefix', /more than the signature/, (p) => ({ 'X-Signature': `sha256=${hex(plain(p))}` })],
  ['a cut signature', /has 63 characters/, (p) => ({ 'X-Signature': hex(plain(p)).slice(1) })],
  [
    'SHA-1',
    /made with SHA-1: use SHA-256/,
    (p) => ({ 'X-Signature': hmac(signingKey, plain(p), 'sha1').digest('hex') }),
  ],
  [
    'SHA-512',
    /made with SHA-512: use SHA-256/,
    (p) => ({ 'X-Signature': hmac(signingKey, plain(p), 'sha512').digest('hex') }),
  ],
  ['no dots', /joined without dots/, (p) => ({ 'X-Signature': hex(p.timestamp + p.nonce + p.body) })],
  [
    'the nonce first',
    /^"nonce\.timestamp\.body" was signed; the string to sign is "timestamp\.nonce\.body"/,
    (p) => ({ 'X-Signature': hex(`${p.nonce}.${p.timestamp}.${p.body}`) }),
  ],
  [
    'the body first',
    /^"body\.timestamp\.nonce" was signed/,
    (p) => ({ 'X-Signature': hex(`${p.body}.${p.timestamp}.${p.nonce}`) }),
  ],
  [
    'the nonce last',
    /^"timestamp\.body\.nonce" was signed/,
    (p) => ({ 'X-Signature': hex(`${p.timestamp}.${p.body}.${p.nonce}`) }),
  ],
  [
    'the body before the timestamp, without a nonce',
    /^"body\.timestamp" was signed/,
    (p) => ({ 'X-Signature': hex(`${p.body}.${p.timestamp}`) }),
  ],
  ['colons', /joined with ":"/, (p) => ({ 'X-Signature': hex(`${p.timestamp}:${p.nonce}:${p.body}`) })],
  ['lines', /joined with "\\n"/, (p) => ({ 'X-Signature': hex(`${p.timestamp}\n${p.nonce}\n${p.body}`) })],
  [
    'the nonce first, without dots',
    /^nonce, timestamp, body were signed, joined without dots/,
    (p) => ({ 'X-Signature': hex(p.nonce + p.timestamp + p.body) }),
  ],
  ['no nonce', /nonce was left out/, (p) => ({ 'X-Signature': hex(`${p.timestamp}.${p.body}`) })],
  ['the body alone', /The body alone was signed/, (p) => ({ 'X-Signature': hex(p.body) })],
  ['the client secret', /key was the client_secret/, (p) => ({ 'X-Signature': hex(plain(p), clientSecret) })],
  ['the webhook secret', /key was the webhook_secret/, (p) => ({ 'X-Signature': hex(plain(p), webhookSecret) })],
  ['the client id', /key was the client_id/, (p) => ({ 'X-Signature': hex(plain(p), clientId) })],
  [
    'a key with a line break',
    /signing_key ends with a line break/,
    (p) => ({ 'X-Signature': hex(plain(p), `${signingKey}\n`) }),
  ],
  [
    'a key read as base64',
    /decoded as base64/,
    (p) => ({ 'X-Signature': hex(plain(p), Buffer.from(signingKey.slice(3), 'base64')) }),
  ],
  ['a key without its prefix', /whole signing_key/, (p) => ({ 'X-Signature': hex(plain(p), signingKey.slice(3)) })],
  ['an empty key', /empty or undefined/, (p) => ({ 'X-Signature': hex(plain(p), '') })],
  [
    'a nonce that is no UUID',
    /not a UUID v4/,
    (p) => ({ 'X-Nonce': 'abc', 'X-Signature': hex(plain({ ...p, nonce: 'abc' })) }),
  ],
  ['no signature', /X-Signature is missing/, () => ({ 'X-Signature': '' })],
  ['no timestamp and nonce', /X-Timestamp and X-Nonce are missing/, () => ({ 'X-Timestamp': '', 'X-Nonce': '' })],
  [
    'something else altogether',
    /None of the known mistakes.*client_sandbox_merchant/,
    () => ({ 'X-Signature': 'ab'.repeat(32) }),
  ],
  [
    'another account’s key',
    /None of the known mistakes/,
    (p) => ({ 'X-Signature': hex(plain(p), secretsOf('customer').signingKey) }),
  ],
  ['no timestamp', /timestamp was left out/, (p) => ({ 'X-Signature': hex(`${p.nonce}.${p.body}`) })],
]

test('the request log names each known signature mistake, and the response does not', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const api = await openClient(url)
  for (const [name, hint, make] of mistakes) {
    const parts = { timestamp: String(Math.floor(Date.now() / 1000)), nonce: randomUUID(), body }
    const { body: sent = body, ...made } = make(parts)
    const headers = {
      'X-Timestamp': parts.timestamp,
      'X-Nonce': parts.nonce,
      'X-Signature': hex(plain({ ...parts, body: sent })),
      ...made,
    }
    const answer = await api.post(route, sent, headers)
    expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBe(401)
    const { body: entry } = await control(url)('GET', `/requests/${answer.headers.get('x-request-id')}`)
    const { signature } = entry
    expect(signature.hint, name).toMatch(hint)
    expect(signature.received).toBe(headers['X-Signature'])
    expect(signature.verdict).not.toBe('valid')
    for (const secret of [signingKey, clientSecret, webhookSecret]) expect(JSON.stringify(entry)).not.toContain(secret)
    expect(JSON.stringify(answer.body)).not.toContain(signature.expected || 'nothing expected')
    expect(answer.body.error.details).not.toHaveProperty('hint')
  }
})

test('the signature that the request log expects is accepted', async () => {
  const { url } = await openSandbox()
  const api = await openClient(url)
  const headers = { ...signatureOf(signingKey, body), 'X-Signature': 'ab'.repeat(32) }
  const refused = await api.post(route, body, headers)
  const { body: entry } = await control(url)('GET', `/requests/${refused.headers.get('x-request-id')}`)
  expect(entry.signature).toMatchObject({
    verdict: 'invalid',
    string_to_sign: `${headers['X-Timestamp']}.${headers['X-Nonce']}.${body}`,
    received: 'ab'.repeat(32),
  })
  const again = await api.post(route, body, { ...headers, 'X-Signature': entry.signature.expected })
  expect(again.status).toBe(200)
  const { body: passed } = await control(url)('GET', `/requests/${again.headers.get('x-request-id')}`)
  expect(passed.signature).toMatchObject({ verdict: 'valid', hint: null, expected: passed.signature.received })

  const replayed = await api.post(route, body, { ...headers, 'X-Signature': entry.signature.expected })
  const { body: replay } = await control(url)('GET', `/requests/${replayed.headers.get('x-request-id')}`)
  expect(replay.signature).toMatchObject({ verdict: 'replayed', hint: expect.stringContaining('every call') })
})

test('unsigned routes and calls without a token have no signature report', async () => {
  const { url } = await openSandbox()
  const api = await openClient(url)
  const made = await api.post('/v2/transactions/cashin', { amount: 5, currency: 'BRL' })
  const refused = await send('POST', url + route, body, signatureOf(signingKey, body))
  for (const { headers } of [made, refused]) {
    const { body: entry } = await control(url)('GET', `/requests/${headers.get('x-request-id')}`)
    expect(entry).not.toHaveProperty('signature')
  }
})

test('a signature report takes time proportional to the body, even if the signature cannot be explained', async () => {
  const { url } = await openSandbox()
  const api = await openClient(url)
  const explainedMs = async (length: number) => {
    const body = JSON.stringify({ ...payload, description: 'ã'.repeat(length) })
    const refused = await api.post(route, body, { ...signatureOf(signingKey, body), 'X-Signature': 'ab'.repeat(32) })
    const sofar = effortSince()
    const { body: entry } = await control(url)('GET', `/requests/${refused.headers.get('x-request-id')}`)
    const tookMs = sofar()
    expect(entry.signature.hint).toContain('None of the known mistakes')
    expect(entry.signature.string_to_sign.length).toBeLessThan(9000)
    return tookMs
  }
  await explainedMs(12_500)
  const shortMs = Math.max(await explainedMs(12_500), await explainedMs(12_500))
  const longMs = Math.min(await explainedMs(100_000), await explainedMs(100_000))
  expect(longMs).toBeLessThan(8 * 3 * shortMs)
})
