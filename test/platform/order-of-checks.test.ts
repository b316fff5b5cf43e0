/** The order of checks, and the common parts of all responses (docs/assumptions.md, order of checks; §2.1; §7). */
import { request } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { type Api, basicOf, requestToken } from '../support/client.js'
import { send } from '../support/http.js'
import { utcMoment } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const key = secretsOf('merchant').signingKey
const cashout = '/v2/transactions/cashout'
const good = {
  external_id: 'w1',
  amount: 10,
  currency: 'USDT',
  network: 'tron',
  key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
}

test('each call is rejected for the first mistake in the documented order, whatever else is wrong', async () => {
  await sandbox.control('PATCH', '/accounts/merchant', {
    limits: [{ currency: 'USDT', operation: 'cashout', max_amount: '2000' }],
  })
  await api.cashout({ ...good, external_id: 'used' })
  const armed = { name: 'no-provider', on: { operation: 'cashout' }, steps: [{ respond: { code: 'PROVIDER_ERROR' } }] }
  await sandbox.control('POST', '/scenarios', armed)
  await sandbox.control('POST', '/scenarios/no-provider/arm', {})
  const signed = (body: unknown, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return send('POST', sandbox.url + cashout, text, { ...api.bearer, ...signatureOf(key, text), ...headers })
  }
  const codes = async (...calls: Promise<{ code: string | undefined }>[]) =>
    (await Promise.all(calls)).map(({ code }) => code)
  expect(
    await codes(
      send('POST', `${sandbox.url}/v2/nothing`, '{'),
      send('GET', sandbox.url + cashout),
      send('POST', sandbox.url + cashout, '{'),
      send('POST', sandbox.url + cashout, '{', api.bearer),
      signed('{', { 'Content-Type': 'text/plain' }),
      signed('{'),
      signed({ amount: 'x', currency: 'EUR' }),
      signed({ ...good, currency: 'EUR', amount: 'x', network: 'x', external_id: 'used' }),
      signed({ ...good, amount: 'x', network: 'x', external_id: 'used' }),
      signed({ ...good, network: 'bitcoin', external_id: 'used', amount: 5000 }),
      signed({ ...good, external_id: 'used', amount: 5000 }),
      signed({ ...good, external_id: 'new', amount: 5000 }),
      signed({ ...good, external_id: 'new', amount: 1500 }),
    ),
  ).toEqual([
    'NOT_FOUND',
    'METHOD_NOT_ALLOWED',
    'UNAUTHORIZED',
    'MISSING_SIGNATURE',
    'UNSUPPORTED_CONTENT_TYPE',
    'INVALID_JSON',
    'MISSING_REQUIRED_FIELD',
    'INVALID_CURRENCY',
    'INVALID_AMOUNT',
    'UNSUPPORTED_CHAIN',
    'DUPLICATE_EXTERNAL_ID',
    'EXCEEDS_MAX_LIMIT',
    'INSUFFICIENT_BALANCE',
  ])
  expect((await signed({ ...good, external_id: 'new' })).code).toBe('PROVIDER_ERROR')
})

describe('in every endpoint,', () => {
  const urlOf = (path: string) => sandbox.url + path

  test.each(endpointNames)('%s checks its token or credentials first', async (name) => {
    const { method, path, auth } = endpoints[name]
    const { status, code } = await send(method, urlOf(path), method === 'GET' ? undefined : '{')
    expect([status, code]).toEqual([401, auth === 'basic' ? 'INVALID_CREDENTIALS' : 'UNAUTHORIZED'])
  })

  test.each(endpointNames)('%s has one method, and names it in Allow', async (name) => {
    const { method, path } = endpoints[name]
    for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((one) => one !== method)) {
      const answer = await send(other, urlOf(path), undefined, api.bearer)
      expect([answer.status, answer.code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
      expect(answer.headers.get('allow')?.split(', ')).toEqual([method])
    }
  })

  const posts = endpointNames.filter((name) => endpoints[name].method === 'POST')
  test.each(posts)('%s rejects another content type with 415 and a body too large with 413', async (name) => {
    const { path, auth } = endpoints[name]
    const { clientId, clientSecret } = secretsOf('merchant')
    const authorization =
      auth === 'basic' ? { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` } : api.bearer
    const post = (body: string, type: string) =>
      send('POST', urlOf(path), body, { ...authorization, ...signatureOf(key, body), 'Content-Type': type })
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ])
      expect((await post('{}', type)).code, type).toBe('UNSUPPORTED_CONTENT_TYPE')
    if (name === 'infractionReply') return
    const large = `{"a":"${'x'.repeat(300 * 1024)}"}`
    const refused = await send('POST', urlOf(path), large, { ...authorization, ...signatureOf(key, large) })
    expect([refused.status, refused.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect((await post('{}', 'application/json; charset=utf-8')).status).not.toBe(415)
    expect((await post('{}', 'APPLICATION/JSON')).status).not.toBe(415)
  })

  const bodies = [
    '',
    'null',
    '[]',
    '"x"',
    '1',
    'true',
    '{"a":1',
    '{"a":1}}',
    "{'a':1}",
    '{"a":1,}',
    '{"a":"\u0000"}',
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
  ]
  test.each(posts.filter((name) => endpoints[name].input === 'json'))('%s accepts only a JSON object', async (name) => {
    const { path, auth } = endpoints[name]
    if (auth === 'basic' || name === 'transactionList') return
    for (const body of bodies) {
      const { status, code } = await send('POST', urlOf(path), body, { ...api.bearer, ...signatureOf(key, body) })
      expect([status, code], JSON.stringify(body)).toEqual([
        400,
        body === '' ? 'MISSING_REQUIRED_FIELD' : 'INVALID_JSON',
      ])
    }
  })
})

describe('responses', () => {
  test('are 404 with the error body for unknown paths, with a token or without', async () => {
    for (const path of [
      '/v2',
      '/v2/',
      '/v2/x',
      '/v2/transactions',
      '/v2/transactions/cashin/',
      '/v2/transactions/cashin/1',
      '/v2/../v2/x',
      '/v1/oauth/token',
      '/V2/account/balance',
      '/v2//account/balance',
      '/w/none/v2/account/balance',
    ]) {
      const answer = await send('GET', sandbox.url + path, undefined, api.bearer)
      expect([answer.status, answer.code], path).toEqual([404, 'NOT_FOUND'])
    }
  })

  test('name the nearest path for a path that the platform API does not have, and the object for an unknown object', async () => {
    const meant = {
      '/v2/transaction/cashin': '/v2/transactions/cashin',
      '/v2/transactions/cash-in': '/v2/transactions/cashin',
      '/v2/transactions/cashin/': '/v2/transactions/cashin',
      '/v2/cashin': '/v2/transactions/cashin',
      '/v2/wallet': '/v2/transactions/wallet',
      '/v2/account/balances': '/v2/account/balance',
      '/v2/acount/balance': '/v2/account/balance',
      '/v2//account/balance': '/v2/account/balance',
      '/v2/infractions': '/v2/account/infractions',
      '/v2/oauth/tokens': '/v2/oauth/token',
      '/v2/internal_transfer/payment': '/v2/internal_transfers/payment',
      '/v2/conversion/new': '/v2/conversions/new',
    }
    for (const [path, nearest] of Object.entries(meant))
      for (const method of ['GET', 'POST']) {
        const { status, code, body } = await send(method, sandbox.url + path, undefined, api.bearer)
        expect([status, code, body.error.details], path).toEqual([404, 'NOT_FOUND', { path, nearest }])
        expect(body.error.message).toBe(`The platform API has no path ${path}. The nearest path is ${nearest}.`)
      }
    const unknown = await api.get('/v2/account/infractions/detail?id=91d65e98-97c0-4b0f-b577-73625da1f9fc')
    expect([unknown.status, unknown.code, unknown.body.error.details]).toEqual([
      404,
      'NOT_FOUND',
      { object: 'dispute', id: '91d65e98-97c0-4b0f-b577-73625da1f9fc' },
    ])
  })

  test('stay small and quick for hostile paths', async () => {
    const paths = ['a'.repeat(16_000), 'a/'.repeat(8000), '%F0%9F%92%A9'.repeat(1300), 'transactions/'.repeat(1200)]
    for (const path of paths) {
      const { status, body } = await send('GET', `${sandbox.url}/v2/${path}`)
      expect(status).toBe(404)
      expect(JSON.stringify(body).length).toBeLessThan(1500)
      expect(endpointNames.map((name) => endpoints[name].path)).toContain(body.error.details.nearest)
    }
  })

  test('each have a request id, which is in the request log', async () => {
    const answers = await Promise.all([1, 2, 3].map((amount) => api.cashin({ amount, currency: 'BRL' })))
    const ids = answers.map((answer) => answer.headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(3)
    for (const [index, id] of ids.entries()) {
      expect(answers[index]?.body.request_id).toBe(id)
      expect((await sandbox.control('GET', `/requests/${id}`)).body).toMatchObject({
        request_id: id,
        status: 200,
        path: '/v2/transactions/cashin',
      })
    }
  })

  test('consist of success, data, request_id and timestamp in UTC when the call succeeds', async () => {
    const { body } = await api.get('/v2/account/balance')
    expect(Object.keys(body)).toEqual(['success', 'data', 'request_id', 'timestamp'])
    expect(body.timestamp).toMatch(utcMoment)
  })

  test("have the sandbox's date in envelope, token and content, also after an advance", async () => {
    await sandbox.advance('40d')
    const { now } = (await sandbox.control('GET', '/clock')).body
    const { clientId, clientSecret } = secretsOf('merchant')
    const token = await requestToken(sandbox.url, basicOf(clientId, clientSecret))
    expect(token.body.meta.timestamp).toBe(now)
    api = await sandbox.api()
    const pair = { base_currency: 'BRL', destination_currency: 'MXN', amount: 10 }
    const answers = [
      await api.cashin({ amount: 10, currency: 'BRL' }),
      await api.post('/v2/conversions/rate', pair),
      await api.signed('/v2/conversions/new', pair),
      await api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 1, currency: 'BRL' }),
      await api.get('/v2/account/profile'),
    ]
    for (const { body } of answers) expect(body.timestamp).toBe(now)
    const [charge, rate, conversion, transfer] = answers.map(({ data }) => data)
    expect([new Date(charge.created_at).toISOString(), rate.timestamp]).toEqual([now, now])
    expect([conversion.completed_at, transfer.confirmed_at]).toEqual([now, now])
  })

  test.each([
    [
      '/v2/transactions/cashin',
      { amount: 'x', currency: 'BRL', payer: 5, split: [{ percentage: 5 }] },
      'split.0.username',
    ],
    [
      '/v2/transactions/cashin',
      { amount: 'x', currency: 'BRL', split: [{ username: null, amount: 1 }] },
      'split.0.username',
    ],
    ['/v2/transactions/cashin', { currency: 'XXX', split: [{ percentage: 5 }] }, 'amount'],
    ['/v2/transactions/cashin', { currency: 'USDT', amount: 'x', external_id: 5 }, 'chain'],
    ['/v2/pix/payment', { amount: 'x', creditParty: { name: 5 } }, 'creditParty.key'],
    ['/v2/pix/payment', { amount: -1, creditParty: { key: null } }, 'creditParty.key'],
    ['/v2/conversions/rate', { amount: 'x', base_currency: 'XXX', destination_currency: null }, 'destination_currency'],
  ])('to %s %j name what is missing before what is wrong: %s', async (path, body, field) => {
    const { status, code, body: answer } = await api.signed(path, body)
    expect([status, code, answer.error.details.field]).toEqual([400, 'MISSING_REQUIRED_FIELD', field])
  })

  test('treat null fields as missing', async () => {
    const body = {
      amount: 10,
      currency: 'BRL',
      chain: null,
      external_id: null,
      postback_url: null,
      payer: null,
      split: null,
    }
    expect((await api.cashin(body)).data).toMatchObject({ external_id: null, postback_url: sandbox.hooks.url })
    const nested = {
      amount: 10,
      currency: 'BRL',
      payer: { name: 'Ana', document: null, email: null },
      split: [{ username: 'customer', percentage: 10, amount: null }],
    }
    const first = await api.cashin({ ...nested, external_id: 'nulls' })
    expect(first.status).toBe(200)
    const bare = { ...nested, payer: { name: 'Ana' }, split: [{ username: 'customer', percentage: 10 }] }
    expect((await api.cashin({ ...bare, external_id: 'nulls' })).data).toEqual(first.data)
    const credit = { key: 'ana@example.com', name: null, keyType: null, taxId: null }
    expect((await api.signed('/v2/pix/payment', { amount: 10, creditParty: credit, description: null })).status).toBe(
      202,
    )
  })

  test('are the same with unknown fields and unknown query parameters', async () => {
    expect(
      (await api.post('/v2/transactions/cashin?x=1', { amount: 10, currency: 'BRL', nonsense: { a: [1] } })).status,
    ).toBe(200)
  })

  test('are the same for a body without a length: it is read to its end, within the limit', async () => {
    const post = (chunks: string[]) =>
      new Promise<number>((resolve, reject) => {
        const headers = { ...api.bearer, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }
        const call = request(`${sandbox.url}/v2/transactions/cashin`, { method: 'POST', headers }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        call.on('error', reject)
        for (const chunk of chunks) call.write(chunk)
        call.end()
      })
    expect(await post(['{"amount":', '10,"currency"', ':"BRL"}'])).toBe(200)
    expect(await post(['{"a":"', ...Array.from({ length: 30 }, () => 'x'.repeat(10_000)), '"}'])).toBe(413)
  })
})
