/** One `external_id`, one transaction: for charges, withdrawals, transfers and conversions (decision 13). */
import { beforeEach, describe, expect, test } from 'vitest'
import { type Api, basicOf, clientWith, requestToken } from '../support/client.js'
import type { Answer, Body } from '../support/http.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const cashin = { external_id: 'same', amount: 10, currency: 'BRL', payer: { name: 'Ana' } }
const cashout = { external_id: 'same', amount: 10, currency: 'BRL', key: 'maria@example.com', key_type: 'email' }
const transfer = { external_id: 'same', username: 'customer', amount: 10, currency: 'BRL', description: 'rent' }
const conversion = { external_id: 'same', base_currency: 'BRL', destination_currency: 'USDT', amount: 10 }
const legacy = { external_id: 'same', amount: 10, creditParty: { key: 'maria@example.com', keyType: 'email' } }

const calls: [string, object, object, (body: object) => Promise<Answer>][] = [
  ['cash-in', cashin, { ...cashin, amount: 11 }, (body) => api.cashin(body)],
  ['cash-out', cashout, { ...cashout, key: 'ana@example.com' }, (body) => api.cashout(body)],
  [
    'transfer',
    transfer,
    { ...transfer, description: 'food' },
    (body) => api.signed('/v2/internal_transfers/payment', body),
  ],
  ['conversion', conversion, { ...conversion, amount: 10.01 }, (body) => api.signed('/v2/conversions/new', body)],
  ['legacy payment', legacy, { ...legacy, description: 'x' }, (body) => api.signed('/v2/pix/payment', body)],
]
const idOf = (data: Body) => data.transaction_id ?? data.conversion_id

describe.each(calls)('a repeated %s', (_name, body, other, call) => {
  test('returns the original, moves nothing more and sends nothing more', async () => {
    const first = await call(body)
    const balance = await api.balance('BRL')
    await sandbox.settle()
    const events = sandbox.hooks.names()
    const second = await call(body)
    expect([200, 202]).toContain(second.status)
    expect(second.data).toEqual(first.data)
    expect(second.body.request_id).not.toBe(first.body.request_id)
    await sandbox.settle()
    expect(await api.balance('BRL')).toEqual(balance)
    expect(sandbox.hooks.names()).toEqual(events)
  })

  test('may differ in the order of fields, in spaces, and in 10 or 10.0', async () => {
    const first = await call(body)
    const turned = Object.fromEntries(Object.entries(body).reverse())
    expect(idOf((await call(turned)).data)).toBe(idOf(first.data))
    const text = JSON.stringify(body, null, 2).replace('"amount": 10', '"amount": 1.00e1')
    expect(text).toContain('1.00e1')
    const raw = text as unknown as object
    expect(idOf((await call(raw)).data)).toBe(idOf(first.data))
  })

  test('with another content is 409 DUPLICATE_EXTERNAL_ID with the id of the first', async () => {
    const first = await call(body)
    const { status, code, body: answer } = await call(other)
    expect([status, code]).toEqual([409, 'DUPLICATE_EXTERNAL_ID'])
    expect(answer.error.details.transaction_id).toBe(idOf(first.data))
  })

  test('with an id of another operation is 409 DUPLICATE_EXTERNAL_ID', async () => {
    const first = _name === 'cash-in' ? await api.cashout(cashout) : await api.cashin(cashin)
    const { code, body: answer } = await call(body)
    expect(code).toBe('DUPLICATE_EXTERNAL_ID')
    expect(answer.error.details.transaction_id).toBe(first.data.transaction_id)
  })

  test('without the optional external_id is a new transaction', async () => {
    const { external_id: _, ...anonymous } = body as { external_id: string }
    const answers = [await call(anonymous), await call(anonymous)]
    if (_name === 'cash-out')
      expect(answers.map((answer) => answer.code)).toEqual(Array(2).fill('MISSING_REQUIRED_FIELD'))
    else expect(new Set(answers.map((answer) => idOf(answer.data))).size).toBe(2)
  })
})

test('a repeated call returns the original in its current state', async () => {
  const first = await api.cashin(cashin)
  await sandbox.trigger('cashin.pay', first.data.transaction_id)
  expect((await api.cashin(cashin)).data).toEqual({ ...first.data, status: 'confirmed' })
  const paid = await api.cashout({ ...cashout, external_id: 'out' })
  await sandbox.advance(2)
  expect((await api.cashout({ ...cashout, external_id: 'out' })).data).toEqual({ ...paid.data, status: 'confirmed' })
})

test('an external_id belongs to its account: another account may use the same', async () => {
  const customer = await sandbox.api('customer')
  const [mine, theirs] = [await api.cashin(cashin), await customer.cashin(cashin)]
  expect([mine.status, theirs.status]).toEqual([200, 200])
  expect(mine.data.transaction_id).not.toBe(theirs.data.transaction_id)
})

test('a rejected call does not use up its external_id', async () => {
  expect((await api.cashin({ ...cashin, amount: 0.5 })).code).toBe('BELOW_MIN_LIMIT')
  expect((await api.cashin(cashin)).status).toBe(200)
  expect((await api.cashout({ ...cashout, external_id: 'o2', amount: 99_999 })).code).toBe('INSUFFICIENT_BALANCE')
  expect((await api.cashout({ ...cashout, external_id: 'o2' })).status).toBe(202)
})

test('a repeated call counts towards no limit and needs no balance', async () => {
  const limits = [{ currency: 'BRL', operation: 'cashout', daily_limit: '10.00' }]
  await sandbox.control('PATCH', '/accounts/merchant', { limits })
  const first = await api.cashout(cashout)
  await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '0' })
  expect((await api.cashout(cashout)).data).toEqual(first.data)
  expect((await api.cashout({ ...cashout, external_id: 'new' })).code).toBe('LIMIT_EXCEEDED')
})

test('a repeated call must have the same split and chain', async () => {
  const split = [{ username: 'customer', percentage: 10 }]
  const first = await api.cashin({ ...cashin, split })
  expect((await api.cashin({ ...cashin, split })).data).toEqual(first.data)
  expect((await api.cashin(cashin)).code).toBe('DUPLICATE_EXTERNAL_ID')
  const usdt = { external_id: 'u', amount: 10, currency: 'USDT', chain: 'tron' }
  await api.cashin(usdt)
  expect((await api.cashin({ ...usdt, chain: 'ethereum' })).code).toBe('DUPLICATE_EXTERNAL_ID')
})

test('a repeated call finds the original after changes of fees, limits, split accounts and credential', async () => {
  const split = [{ username: 'customer', amount: 9 }]
  const cases: [string, () => Promise<Answer>][] = [
    ['cash-in', () => api.cashin({ ...cashin, external_id: 'in', split })],
    ['cash-out', () => api.cashout({ ...cashout, external_id: 'out' })],
    ['transfer', () => api.signed('/v2/internal_transfers/payment', { ...transfer, external_id: 'move' })],
    ['conversion', () => api.signed('/v2/conversions/new', { ...conversion, external_id: 'swap' })],
  ]
  const firsts = await Promise.all(cases.map(async ([, call]) => (await call()).data))
  const operations = ['cashin', 'cashout', 'transfer', 'conversion']
  const limits = operations.map((operation) => ({ currency: 'BRL', operation, min_amount: 5000, daily_limit: 0 }))
  const fees = operations.map((operation) => ({ currency: 'BRL', operation, fixed: '9.50', percent: 50 }))
  expect((await sandbox.control('PATCH', '/accounts/merchant', { limits, fees })).status).toBe(200)
  await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: 0 })
  for (const [index, [name, call]] of cases.entries()) {
    const again = await call()
    expect([again.status, again.data], name).toEqual([name === 'cash-out' ? 202 : 200, firsts[index]])
  }
})

test('the postback_url of a repeated charge is that of the original, whoever repeats it', async () => {
  const anonymous = { amount: 10, currency: 'BRL' }
  const first = await api.cashin({ ...anonymous, external_id: 'default' })
  await api.cashin({ ...anonymous, external_id: 'own', postback_url: 'https://example.com/own' })
  const { body: second } = await sandbox.control('POST', '/accounts/merchant/credentials', {
    postback_url: 'https://example.com/second',
  })
  const { body: token } = await requestToken(sandbox.url, basicOf(second.client_id, second.client_secret))
  const other = clientWith(sandbox.url, token.access_token, second.signing_key)
  expect((await other.cashin({ ...anonymous, external_id: 'new' })).data.postback_url).toBe(
    'https://example.com/second',
  )
  expect((await other.cashin({ ...anonymous, external_id: 'default' })).data).toEqual(first.data)
  expect(first.data.postback_url).toBe(sandbox.hooks.url)
  const own = await other.cashin({ ...anonymous, external_id: 'own', postback_url: 'https://example.com/own' })
  expect(own.data.postback_url).toBe('https://example.com/own')
})

test('split percentages are compared as numbers, however they are written', async () => {
  const body = (percentage: string) =>
    `{"external_id":"s","amount":10,"currency":"BRL","split":[{"username":"customer","percentage":${percentage}}]}`
  const first = await api.cashin(body('10') as unknown as object)
  expect((await api.cashin(body('1.00e1') as unknown as object)).data).toEqual(first.data)
  expect((await api.cashin(body('10.0001') as unknown as object)).code).toBe('DUPLICATE_EXTERNAL_ID')
})
