/** Signatures against the published vectors: sent calls (§5.2), received webhooks (§6.1), and credentials (§4.1). */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hmacHex } from '../../src/base/crypto.js'
import { basic } from '../../src/client/token-session.js'
import { signRequest, verifyWebhook } from '../../src/testing/index.js'

interface Vectors {
  request_hmac: { signing_key: string; valid: SignedRequest[]; invalid: SignedRequest[]; nonce_regex_uuid_v4: string }
  webhook_hmac: { webhook_secret: string; valid: SignedBody[]; invalid: (SignedBody & { reason: string })[] }
  basic_auth: { valid: { client_id: string; client_secret: string; header: string }[] }
}
interface SignedRequest {
  timestamp: string
  nonce: string
  body: string
  signature: string
  reason?: string
}
interface SignedBody {
  body: string
  signature: string
}

const vectors = JSON.parse(readFileSync(new URL('../vectors.json', import.meta.url), 'utf8')) as Vectors

describe('signing a request', () => {
  const { signing_key: signingKey, valid, invalid, nonce_regex_uuid_v4: uuid } = vectors.request_hmac
  const signatureOf = ({ body, timestamp, nonce }: SignedRequest) =>
    signRequest({ signingKey, body, timestamp, nonce })['X-Signature']

  test.each(valid)('returns the documented signature of $body', (vector) => {
    expect(signatureOf(vector)).toBe(vector.signature)
    expect(
      signRequest({
        signingKey,
        body: new TextEncoder().encode(vector.body),
        timestamp: Number(vector.timestamp),
        nonce: vector.nonce,
      }),
    ).toEqual({ 'X-Signature': vector.signature, 'X-Timestamp': vector.timestamp, 'X-Nonce': vector.nonce })
  })

  test.each(invalid)('returns a different signature for a different input: $reason', (vector) => {
    expect(signatureOf(vector)).not.toBe(vector.signature)
  })

  test('uses the current time and a new nonce by default', () => {
    const [first, second] = [signRequest({ signingKey, body: '' }), signRequest({ signingKey, body: '' })]
    expect(Math.abs(Number(first['X-Timestamp']) - Date.now() / 1000)).toBeLessThan(30)
    expect(first['X-Nonce']).toMatch(new RegExp(uuid))
    expect(first['X-Nonce']).not.toBe(second['X-Nonce'])
  })
})

describe('verifying a webhook', () => {
  const { webhook_secret: secret, valid, invalid } = vectors.webhook_hmac
  const now = 1_795_262_400
  const [{ body, signature } = { body: '', signature: '' }] = valid
  const headers = { 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': String(now) }
  const verify = (changes: Partial<Parameters<typeof verifyWebhook>[0]>) =>
    verifyWebhook({ secret, body, headers, now, ...changes })

  test.each(valid)('accepts a webhook that is signed as documented: $body', ({ body, signature }) => {
    const signed = { ...headers, 'X-Webhook-Signature': signature }
    expect(verify({ body, headers: signed })).toEqual({ ok: true, event: JSON.parse(body) })
    expect(verify({ body: new TextEncoder().encode(body), headers: signed }).ok).toBe(true)
  })

  test.each(invalid)('rejects a wrong one: $reason', ({ body, signature }) => {
    const signed = { ...headers, 'X-Webhook-Signature': signature }
    expect(verify({ body, headers: signed })).toEqual({ ok: false, reason: 'signature_mismatch' })
  })

  test('accepts headers from a Fetch request, from Node and from any plain object, in any case', () => {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const source of [headers, lower, lists, new Headers(headers), new Map(Object.entries(lower))])
      expect(verify({ headers: source })).toMatchObject({ ok: true })
  })

  test.each([
    ['no signature', { 'X-Webhook-Signature': undefined }, 'missing_signature'],
    ['an empty signature', { 'X-Webhook-Signature': '' }, 'missing_signature'],
    ['half a signature', { 'X-Webhook-Signature': signature.slice(32) }, 'malformed_signature'],
    ['a signature with something behind it', { 'X-Webhook-Signature': `${signature}zz` }, 'malformed_signature'],
    ['a signature in capitals', { 'X-Webhook-Signature': signature.toUpperCase() }, 'malformed_signature'],
    ['two different signatures', { 'X-Webhook-Signature': [signature, 'a'.repeat(64)] }, 'missing_signature'],
    ['no timestamp', { 'X-Webhook-Timestamp': undefined }, 'missing_timestamp'],
    ['a timestamp that is none', { 'X-Webhook-Timestamp': '0x6b000000' }, 'malformed_timestamp'],
    ['a timestamp in milliseconds', { 'X-Webhook-Timestamp': `${now}000` }, 'malformed_timestamp'],
    ['a timestamp 301 seconds ago', { 'X-Webhook-Timestamp': String(now - 301) }, 'stale_timestamp'],
    ['a timestamp 301 seconds ahead', { 'X-Webhook-Timestamp': String(now + 301) }, 'stale_timestamp'],
  ])('rejects %s', (_name, changes, reason) => {
    expect(verify({ headers: { ...headers, ...changes } })).toEqual({ ok: false, reason })
  })

  test('accepts a timestamp up to 300 seconds off, or up to the given tolerance', () => {
    for (const off of [300, -300]) expect(verify({ now: now + off }).ok).toBe(true)
    expect(verify({ now: now + 10, toleranceSeconds: 9 }).ok).toBe(false)
    expect(verify({ now: now + 10, toleranceSeconds: 10 }).ok).toBe(true)
  })

  test('reports a wrong signature before an old timestamp, so that a forgery is not reported as a clock problem', () => {
    expect(verify({ secret: 'another', now: now + 9999 })).toEqual({ ok: false, reason: 'signature_mismatch' })
  })

  test.each(['', 'no json', '[]', 'null', '{"event":"cashin.confirmed"}', '{"event":1,"data":{}}'])(
    'rejects a signed body that is not an event: %s',
    (text) => {
      const signed = { ...headers, 'X-Webhook-Signature': hmacHex(secret, text) }
      expect(verify({ body: text, headers: signed })).toEqual({ ok: false, reason: 'malformed_body' })
    },
  )
})

test.each(vectors.basic_auth.valid)(
  'client_id $client_id is sent as $header',
  ({ client_id, client_secret, header }) => {
    expect(basic(client_id, client_secret)).toBe(header)
  },
)
