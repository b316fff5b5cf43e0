/** Conversions: quote, simulation, execution, reversal (§4.3, §6.5, decisions 10 and 24). */
import { beforeEach, describe, expect, test } from 'vitest'
import { currencies, scales, utcMoment } from './support/interface.js'
import { type Api, openTestSandbox, type TestSandbox } from './support/sandbox.js'

let sandbox: TestSandbox
let api: Api
// Round figures, so that the expectations can be worked out by hand.
const rates = { BRL: '1', MXN: '0.30', USDT: '5', USDC: '5', BTC: '500000', ETH: '20000', SOL: '800', BNB: '5000' }
beforeEach(async () => {
  sandbox = await openTestSandbox({ rates, spreadPercent: '1' })
  api = await sandbox.api()
})

const quote = (kind: string, body: object) => api.post(`/v2/conversions/${kind}`, body)
const convert = (body: object) => api.signed('/v2/conversions/new', body)
const pair = (base_currency: string, destination_currency: string, amount: number) => ({
  base_currency,
  destination_currency,
  amount,
})

test('rate quotes what an amount would buy, and moves nothing', async () => {
  const { status, data } = await quote('rate', pair('BRL', 'USDT', 100))
  expect(status).toBe(200)
  expect(data).toEqual({
    base_currency: 'BRL',
    destination_currency: 'USDT',
    amount: 100,
    rate: 0.198,
    estimated_amount: 19.8,
    timestamp: expect.stringMatching(utcMoment),
  })
  expect(await api.balance('BRL')).toMatchObject({ available: 10000 })
})

test('simulate adds spread, fee and how long it holds', async () => {
  const { data } = await quote('simulate', pair('USDT', 'BRL', 10.01))
  expect(data).toEqual({
    from_amount: 10.01,
    to_amount: 49.54,
    base_currency: 'USDT',
    destination_currency: 'BRL',
    rate: 4.95,
    spread: 1,
    fee: 0.05,
    expires_at: expect.stringMatching(utcMoment),
  })
  expect(Date.parse(data.expires_at)).toBeGreaterThan(Date.parse((await sandbox.control('GET', '/clock')).body.now))
  expect((await sandbox.control('GET', '/transactions')).body.data).toEqual([])
})

test('new debits amount and fee in the source currency, credits the result rounded down, sends conversion.confirmed', async () => {
  const { status, data } = await convert({ ...pair('BRL', 'BTC', 99.99), external_id: 'c1' })
  expect(status).toBe(200)
  expect(data).toEqual({
    conversion_id: expect.any(String),
    external_id: 'c1',
    amount_from: 99.99,
    currency_from: 'BRL',
    amount_to: 0.00019798,
    currency_to: 'BTC',
    rate: 0.00000198,
    fee: 0.5,
    status: 'completed',
    completed_at: expect.stringMatching(utcMoment),
  })
  expect(await api.balance('BRL')).toEqual({ available: 9899.51, blocked: 0, pending: 0 })
  expect(await api.balance('BTC')).toEqual({ available: 0.10019798, blocked: 0, pending: 0 })
  await sandbox.settle()
  const [hook] = sandbox.hooks.hooks
  expect(hook?.body.transaction_id).toBe(data.conversion_id)
  expect(hook?.data).toEqual({
    ...data,
    amount_from: '99.99',
    amount_to: '0.00019798',
    rate: '0.00000198',
    fee: '0.50',
  })
})

test('conversion.refund gives back the source amount, takes the result, keeps the fee, sends conversion.refunded', async () => {
  const { data } = await convert(pair('BRL', 'USDT', 100))
  expect((await sandbox.trigger('conversion.refund', data.conversion_id)).body.object).toMatchObject({
    status: 'refunded',
  })
  expect(await api.balance('BRL')).toMatchObject({ available: 9999.5 })
  expect(await api.balance('USDT')).toMatchObject({ available: 1000 })
  await sandbox.settle()
  const [event] = sandbox.hooks.dataOf('conversion.refunded')
  expect(event).toMatchObject({
    original_conversion_id: data.conversion_id,
    amount_reverted_from: '19.80',
    currency_reverted_from: 'USDT',
    amount_returned_to: '100.00',
    currency_returned_to: 'BRL',
    reason: 'SUPPORT_MANUAL_REVERSAL',
  })
  expect(event.conversion_id).not.toBe(data.conversion_id)
  const again = await sandbox.trigger('conversion.refund', data.conversion_id)
  expect(again.body.error.details).toMatchObject({ from: 'refunded', action: 'conversion.refund', allowed: [] })
})

test('conversion.refund does not drive the destination below zero', async () => {
  const { data } = await convert(pair('BRL', 'USDT', 100))
  await sandbox.control('PUT', '/accounts/merchant/balances', { USDT: '19.79' })
  const { status, code } = await sandbox.trigger('conversion.refund', data.conversion_id)
  expect([status, code]).toEqual([422, 'INSUFFICIENT_BALANCE'])
})

test('every pair of currencies converts at the quotient of their rates, less the spread, never rounded up', async () => {
  for (const from of currencies)
    for (const to of currencies.filter((other) => other !== from)) {
      const amount = from === 'BTC' || from === 'ETH' ? 0.01 : 1
      const simulated = (await quote('simulate', pair(from, to, amount))).data
      const { data } = await convert(pair(from, to, amount))
      const exact = ((amount * Number(rates[from])) / Number(rates[to])) * 0.99
      const unit = 10 ** -(scales[to] ?? 0)
      expect(data.amount_to, `${from} ${to}`).toBeLessThanOrEqual(exact + unit * 1e-3)
      expect(exact - data.amount_to, `${from} ${to}`).toBeLessThan(unit * 1.001 + exact * 1e-6)
      expect([data.amount_to, data.rate, data.fee]).toEqual([simulated.to_amount, simulated.rate, simulated.fee])
    }
})

describe('a conversion is refused', () => {
  test.each([
    [{ destination_currency: 'USDT', amount: 1 }, 'MISSING_REQUIRED_FIELD'],
    [{ base_currency: 'BRL', amount: 1 }, 'MISSING_REQUIRED_FIELD'],
    [{ base_currency: 'BRL', destination_currency: 'USDT' }, 'MISSING_REQUIRED_FIELD'],
    [pair('XXX', 'USDT', 1), 'INVALID_CURRENCY'],
    [pair('BRL', 'usdt', 1), 'INVALID_CURRENCY'],
    [pair('BRL', 'BRL', 1), 'INVALID_CURRENCY'],
    [pair('BRL', 'USDT', 1.001), 'INVALID_AMOUNT'],
    [pair('BRL', 'USDT', -1), 'INVALID_AMOUNT'],
    [{ ...pair('BRL', 'USDT', 1), amount: '1' }, 'INVALID_AMOUNT'],
  ])('%j: %s, by all three routes', async (body, code) => {
    for (const kind of ['rate', 'simulate']) expect((await quote(kind, body)).code, kind).toBe(code)
    expect((await convert(body)).code).toBe(code)
  })

  test('when amount and fee are not covered, when it is over a limit, when it buys nothing', async () => {
    expect((await convert(pair('BRL', 'USDT', 9999))).body.error).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { available: 10000, required: 10049 },
    })
    expect((await convert(pair('BRL', 'USDT', 100_000.01))).code).toBe('EXCEEDS_MAX_LIMIT')
    expect((await convert(pair('BRL', 'USDT', 0.01))).code).toBe('BELOW_MIN_LIMIT')
    const limits = [{ currency: 'BRL', operation: 'conversion', daily_limit: '10.00' }]
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    expect((await convert(pair('BRL', 'USDT', 10.01))).code).toBe('LIMIT_EXCEEDED')
    expect(await api.balance('BRL')).toMatchObject({ available: 10000 })
  })
})
