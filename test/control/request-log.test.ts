/** The request log stores enough of a call to replay it, and no secret in any form. */
import { beforeEach, describe, expect, test } from 'vitest'
import { connectControl } from '../../src/client/control.js'
import type { Api } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { gate } from '../support/gate.js'
import type { Body } from '../support/http.js'
import { answersIn, sayAll } from '../support/raw-http.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const cashin = '/v2/transactions/cashin'

/** Sends one call as bytes and returns its log entry. */
async function logged(path: string, headers: Record<string, string>, body: string | Buffer): Promise<Body> {
  const { host, port } = new URL(sandbox.url)
  const all = {
    Host: host,
    Connection: 'close',
    ...api.bearer,
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const [answer] = answersIn(await sayAll(Number(port), Buffer.concat([head, Buffer.from(body)])))
  const { body: entry } = await sandbox.control('GET', `/requests/${answer?.headers['x-request-id']}`)
  expect(entry.request_id).toBe(answer?.headers['x-request-id'])
  return entry
}

const json = { 'Content-Type': 'application/json' }

describe('a secret', () => {
  const long = 'x'.repeat(9000)
  const part = (name: string, value: string) =>
    `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const cases: [name: string, path: string, headers: Record<string, string>, body: string][] = [
    ['in a field', cashin, json, '{"client_secret":"hush"}'],
    ['behind an escaped quote', cashin, json, '{"client_secret":"a\\"hush"}'],
    ['in a field whose name is escaped', cashin, json, '{"client\\u005fsecret":"hush"}'],
    ['in a field whose name is written otherwise', cashin, json, '{"Client-Secret":"hush","accessToken":"hush"}'],
    ['in a string that does not end', cashin, json, '{"amount":10,"client_secret":"hush'],
    ['in text that is no JSON', cashin, { 'Content-Type': 'text/plain' }, 'client_secret=hush'],
    ['where no type is said', cashin, {}, 'my secret is hush'],
    ['deep inside', cashin, json, '{"a":[{"b":{"signing_key":["hush"]}}]}'],
    ['under a name that comes twice', cashin, json, '{"a":{"client_secret":"hush"},"a":1}'],
    ['in a long body', cashin, json, `{"client_secret":"hush","a":"${long}"}`],
    ['at the end of a long body', cashin, json, `{"a":"${long}","client_secret":"hush"}`],
    ['in a long body that is no JSON', cashin, json, `{"client_secret":"hush","a":"${long}`],
    [
      'in a form',
      cashin,
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      'a=1&client%5Fsecret=hush&password=hush',
    ],
    ['in a query', `${cashin}?a=1&access_token=hush`, json, '{}'],
    ['in a query whose names are escaped', `${cashin}?access%5Ftoken=hush&client%2Dsecret=hush`, json, '{}'],
    ['in a query that cannot be read', `${cashin}?a=%zz&access_token=hush`, json, '{}'],
    ['in a cookie', cashin, { ...json, Cookie: 'session=hush' }, '{}'],
    [
      'in headers',
      cashin,
      { ...json, 'X-Api-Key': 'hush', 'X-Signature': 'hush', 'X-Sandbox-Admin-Token': 'hush' },
      '{}',
    ],
    ['in an authorization of any kind', cashin, { ...json, Authorization: 'Custom hush' }, '{}'],
    [
      'in a field of a multipart body',
      '/v2/account/infractions/reply',
      { 'Content-Type': 'multipart/form-data; boundary=xyz' },
      `${part('client_secret', 'hush')}${part('message', 'hello')}--xyz--`,
    ],
  ]
  test.each(cases)('in %s is masked', async (_name, path, headers, body) => {
    const entry = await logged(path, headers, body)
    const { data } = (await sandbox.control('GET', '/requests?limit=1')).body
    expect(JSON.stringify([entry, data])).not.toContain('hush')
    expect(entry.path.startsWith(path.split('?')[0] ?? '')).toBe(true)
  })

  test('that belongs to the sandbox is masked in every field', async () => {
    const { clientSecret, signingKey, webhookSecret } = secretsOf('merchant')
    const token = (api.bearer.Authorization ?? '').replace('Bearer ', '')
    for (const secret of [clientSecret, signingKey, webhookSecret, token]) {
      const entry = await logged(
        `${cashin}?x=${secret}`,
        { ...json, 'X-Note': secret },
        JSON.stringify({ a: secret, [secret]: 1 }),
      )
      const { signature: _, ...shown } = entry
      expect(JSON.stringify(shown)).not.toContain(secret)
    }
  })

  test('is masked on the event stream as well', async () => {
    const seen: string[] = []
    const [leaving, opened] = [new AbortController(), gate()]
    const streaming = connectControl(sandbox.url).stream(
      (change) => void seen.push(JSON.stringify(change)),
      leaving.signal,
      { onOpen: opened.open },
    )
    await opened.opened
    await logged(`${cashin}?access_token=hush`, json, '{}')
    await eventually(
      () => seen.join(),
      (text) => text.includes(`${cashin}?access_token=***`),
    )
    leaving.abort()
    await streaming
    expect(seen.join()).not.toContain('hush')
  })
})

describe('a call is shown', () => {
  test('unchanged if it contains no secret', async () => {
    const body = '{ "amount": 10.00,\n "currency": "BRL", "external_id": "olá" }'
    const entry = await logged(`${cashin}?b=2&a=1`, json, body)
    expect([entry.status, entry.path, entry.request_body]).toEqual([200, `${cashin}?b=2&a=1`, body])
    expect(JSON.parse(entry.response_body).data.external_id).toBe('olá')
  })

  test('with numbers as they were written, beside a masked field', async () => {
    const entry = await logged(cashin, json, '{"amount":10.00,"currency":"BRL","client_secret":"x"}')
    expect(entry.request_body).toBe('{"amount":10.00,"currency":"BRL","client_secret":"***"}')
  })

  test('with the headers of the request and of the response', async () => {
    const entry = await logged(cashin, { ...json, 'X-Trace': 'abc', 'Idempotency-Key': 'one' }, '{}')
    expect(entry.request_headers).toMatchObject({
      authorization: 'Bearer ***',
      'content-type': 'application/json',
      'x-trace': 'abc',
      'idempotency-key': 'one',
    })
    expect(entry.response_headers).toEqual({
      'Content-Type': 'application/json; charset=utf-8',
      'X-Request-Id': entry.request_id,
    })
    const { data } = (await sandbox.control('GET', '/requests')).body
    expect(data[0]).not.toHaveProperty('request_headers')
  })

  test('with the fields of a form and the names of its files', async () => {
    const file = `--xyz\r\nContent-Disposition: form-data; name="files[]"; filename="a.pdf"\r\n\r\n%PDF-\r\n`
    const field = `--xyz\r\nContent-Disposition: form-data; name="message"\r\n\r\nhello\r\n`
    const type = { 'Content-Type': 'multipart/form-data; boundary=xyz' }
    const entry = await logged('/v2/account/infractions/reply', type, `${field}${file}--xyz--`)
    expect(JSON.parse(entry.request_body)).toEqual({
      message: 'hello',
      'files[]': [{ name: 'a.pdf', size: 5, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    })
  })
})

test('the list has the reference and the amount of each call, as its body has them', async () => {
  await logged(cashin, json, '{"amount":25.50,"currency":"BRL","external_id":"order-1"}')
  await logged(cashin, json, '{"amount":"many","currency":7}')
  await logged('/v2/conversions/new', json, '{"amount":10,"base_currency":"BRL"}')
  await logged(cashin, json, `{"external_id":"${'x'.repeat(300)}"`)
  await logged(cashin, json, `{"external_id":"${'x'.repeat(300)}"}`)
  const { body } = await sandbox.control('GET', '/requests?method=POST&account=merchant')
  const shown = body.data.map(({ external_id, amount, currency }: Body) => [external_id, amount, currency])
  expect(shown).toEqual([
    ['x'.repeat(200), undefined, undefined],
    [undefined, undefined, undefined],
    [undefined, '10', 'BRL'],
    [undefined, 'many', '7'],
    ['order-1', '25.50', 'BRL'],
  ])
})
