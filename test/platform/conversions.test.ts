/** Conversions: quote, simulation, execution, reversal (§4.3, §6.5, decisions 10 and 24). */
import { beforeEach, describe, expect, test } from 'vitest'
import { byCurrency, currencies as table } from '../../src/protocol/platform/currencies.js'
import type { Api } from '../support/client.js'
import { currencies, scales, utcMoment } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
let api: Api
const shipped = byCurrency((name): string => table[name].valueInBrl)
// Round rates, so that the expected results can be computed by hand.
const rates = { ...shipped, USDT: '5', BTC: '500000' }
/** More digits than people quote; BRL is the unit of the others. */
const awkward = byCurrency((name) => (name === 'BRL' ? '1' : (Number(shipped[name]) * 1.0371).toFixed(4)))
beforeEach(async () => {
  sandbox = await openWithReceivers({ rates, spreadPercent: '1' })
  api = await sandbox.api()
})

const quote = (kind: string, body: object) => api.post(`/v2/conversions/${kind}`, body)
const convert = (body: object) => api.signed('/v2/conversions/new', body)
const byAllRoutes = async (body: object) =>
  (await Promise.all([quote('rate', body), quote('simulate', body), convert(body)])).map((answer) => answer.code)
const pair = (base_currency: string, destination_currency: string, amount: number) => ({
  base_currency,
  destination_currency,
  amount,
})

test('an amount that would buy more than the largest amount is 422 INVALID_AMOUNT', async () => {
  const limit = { operation: 'conversion', max_amount: '9999999', daily_limit: '9999999' }
  await sandbox.control('PATCH', '/accounts/merchant', { limits: [{ currency: 'BTC', ...limit }] })
  const { status, code, body } = await quote('simulate', pair('BTC', 'MXN', 9999999))
  expect([status, code, body.error.details.field]).toEqual([422, 'INVALID_AMOUNT', 'amount'])
  expect(body.error.details.rule).toBe('would convert to more than 9999999999999.99 MXN')
})

test('rate quotes the result of an amount, and moves nothing', async () => {
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

test('simulate adds spread, fee and validity', async () => {
  const { data } = await quote('simulate', pair('USDT', 'BRL', 10.01))
  expect(data).toEqual({
    from_amount: 10.01,
    to_amount: 49.54,
    base_currency: 'USDT',
    destination_currency: 'BRL',
    rate: 4.95,
    spread: 1,
    fee: 0,
    expires_at: expect.stringMatching(utcMoment),
  })
  expect(Date.parse(data.expires_at)).toBeGreaterThan(Date.parse((await sandbox.control('GET', '/clock')).body.now))
  expect((await sandbox.control('GET', '/transactions')).body.data).toEqual([])
})

test('new debits the amount, credits the result rounded down, and sends conversion.confirmed', async () => {
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
    fee: 0,
    status: 'completed',
    completed_at: expect.stringMatching(utcMoment),
  })
  expect(await api.balance('BRL')).toEqual({ available: 9900.01, blocked: 0, pending: 0 })
  expect(await api.balance('BTC')).toEqual({ available: 0.10019798, blocked: 0, pending: 0 })
  await sandbox.settle()
  const [hook] = sandbox.hooks.hooks
  expect(hook?.body.transaction_id).toBe(data.conversion_id)
  expect(hook?.data).toEqual({
    ...data,
    amount_from: '99.99',
    amount_to: '0.00019798',
    rate: '0.00000198',
    fee: '0.00',
  })
})

test('conversion.refund returns the source amount, takes the result, and sends conversion.refunded', async () => {
  const { data } = await convert(pair('BRL', 'USDT', 100))
  expect((await sandbox.trigger('conversion.refund', data.conversion_id)).body.object).toMatchObject({
    status: 'refunded',
  })
  expect(await api.balance('BRL')).toMatchObject({ available: 10000 })
  expect(await api.balance('USDT')).toMatchObject({ available: 1000 })
  await sandbox.settle()
  expect(sandbox.hooks.dataOf('conversion.confirmed')).toMatchObject([{ external_id: null }])
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

test('conversion.refund does not make the destination balance negative', async () => {
  const { data } = await convert(pair('BRL', 'USDT', 100))
  await sandbox.control('PUT', '/accounts/merchant/balances', { USDT: '19.79' })
  const { status, code } = await sandbox.trigger('conversion.refund', data.conversion_id)
  expect([status, code]).toEqual([422, 'INSUFFICIENT_BALANCE'])
})

/** Decimal text as a fraction of whole numbers. */
const fraction = (text: string): [bigint, bigint] => {
  const [whole = '', places = ''] = text.split('.')
  return [BigInt(whole + places), 10n ** BigInt(places.length)]
}
/** A JSON number without an exponent. */
const shownText = (number: number) => (number < 1e-6 ? number.toFixed(12) : String(number))
/** Converts `1.5` with scale 2 to 150. Throws if the text has more decimals. */
const minorOf = (amount: number, scale: number): bigint => {
  const [over, under] = fraction(amount.toFixed(scale))
  expect(Number(amount.toFixed(scale))).toBe(amount)
  return (over * 10n ** BigInt(scale)) / under
}
const pairs = currencies.flatMap((from) => currencies.filter((to) => to !== from).map((to) => [from, to] as const))
describe.each([
  ['shipped', shipped, '1', undefined],
  ['awkward', awkward, '0.7', '1.25'],
])('at the %s rates, all pairs', (_name, values, spread, feePercent) => {
  test('show the exact quotient to 12 decimals, and pay the shown rate, rounded down once', async () => {
    const other = await openWithReceivers({ rates: values, spreadPercent: spread })
    const merchant = await other.api()
    const fees = currencies.map((currency) => ({ currency, operation: 'conversion', percent: feePercent ?? '0' }))
    if (feePercent !== undefined) await other.control('PATCH', '/accounts/merchant', { fees })
    const plenty = Object.fromEntries(currencies.map((currency) => [currency, '10000']))
    await other.control('PUT', '/accounts/merchant/balances', plenty)
    for (const [from, to] of pairs) {
      const reported = `${from} to ${to}`
      const [worth, worthUnder] = fraction(values[from])
      const [price, priceUnder] = fraction(values[to])
      const [kept, keptUnder] = fraction((100 - Number(spread)).toFixed(1))
      const over = worth * priceUnder * kept * 10n ** 12n
      const exact = over / (worthUnder * price * keptUnder * 100n)
      for (const amount of from === 'BTC' || from === 'ETH' ? [0.003_217_89] : [9.97]) {
        const simulated = (await merchant.post('/v2/conversions/simulate', pair(from, to, amount))).data
        const quoted = (await merchant.post('/v2/conversions/rate', pair(from, to, amount))).data
        const { data } = await merchant.signed('/v2/conversions/new', pair(from, to, amount))
        const [shown, shownUnder] = fraction(shownText(data.rate))
        // Above 15 digits a JSON number cannot hold more.
        const unit = 10n ** BigInt(Math.max(0, String(exact).length - 15))
        expect((shown * 10n ** 12n) / shownUnder / unit, reported).toBe(exact / unit)
        expect([shownUnder <= 10n ** 12n, String(shown).length <= 15], reported).toEqual([true, true])
        const [fromScale, toScale] = [scales[from] ?? 0, scales[to] ?? 0]
        const net = minorOf(data.amount_from, fromScale) - minorOf(data.fee, fromScale)
        const result = (net * shown * 10n ** BigInt(toScale)) / (shownUnder * 10n ** BigInt(fromScale))
        expect(minorOf(data.amount_to, toScale), reported).toBe(result)
        expect([simulated.to_amount, simulated.rate, simulated.fee], reported).toEqual([
          data.amount_to,
          data.rate,
          data.fee,
        ])
        expect([quoted.estimated_amount, quoted.rate], reported).toEqual([data.amount_to, data.rate])
      }
    }
  })
})

test('at the default rates 100 BRL buy 330.00 MXN, and a peso buys 0.00034375 SOL', async () => {
  const merchant = await (await openWithReceivers()).api()
  const { data } = await merchant.signed('/v2/conversions/new', pair('BRL', 'MXN', 100))
  expect([data.amount_to, data.rate]).toEqual([330, 3.3])
  expect((await merchant.post('/v2/conversions/rate', pair('MXN', 'SOL', 1))).data.rate).toBe(0.00034375)
})

test('a spread may be written with an exponent', async () => {
  const quoted = []
  for (const spreadPercent of ['10', '1e1']) {
    const other = await openWithReceivers({ rates, spreadPercent })
    quoted.push((await (await other.api()).post('/v2/conversions/rate', pair('BRL', 'USDT', 10))).data.rate)
  }
  expect(quoted).toEqual([0.18, 0.18])
})

test('a fee is deducted before the conversion, and stays with the platform when the conversion is reversed', async () => {
  const fees = [{ currency: 'BRL', operation: 'conversion', fixed: '1.00', percent: '0.5' }]
  await sandbox.control('PATCH', '/accounts/merchant', { fees })
  const { data } = await convert(pair('BRL', 'USDT', 100))
  expect([data.amount_from, data.fee, data.rate, data.amount_to]).toEqual([100, 1.5, 0.198, 19.5])
  expect(await api.balance('BRL')).toMatchObject({ available: 9900 })
  await sandbox.trigger('conversion.refund', data.conversion_id)
  expect(await api.balance('BRL')).toMatchObject({ available: 9998.5 })
  await sandbox.settle()
  expect(sandbox.hooks.dataOf('conversion.refunded')[0]).toMatchObject({ amount_returned_to: '98.50' })
  expect((await convert(pair('BRL', 'USDT', 1))).code).toBe('BELOW_MIN_LIMIT')
})

test('a conversion may buy the largest amount, and not one cent more', async () => {
  const large = await openWithReceivers({ rates: { ...rates, BRL: '3', MXN: '1' }, spreadPercent: '0' })
  await large.control('PATCH', '/accounts/merchant', {
    limits: [
      { currency: 'BRL', operation: 'conversion', max_amount: '9999999999999.99', daily_limit: '9999999999999.99' },
    ],
  })
  await large.control('PUT', '/accounts/merchant/balances', { BRL: '9999999999999.99', MXN: '0' })
  const merchant = await large.api()
  const buy = (amount: number) => merchant.signed('/v2/conversions/new', pair('BRL', 'MXN', amount))
  expect((await buy(3333333333333.34)).code).toBe('INVALID_AMOUNT')
  expect((await buy(3333333333333.33)).data.amount_to).toBe(9999999999999.99)
})

const others = (currency: string) => currencies.filter((name) => name !== currency)

describe('a conversion is rejected', () => {
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
  ])('for %j with %s, on all three routes', async (body, code) => {
    for (const kind of ['rate', 'simulate']) expect((await quote(kind, body)).code, kind).toBe(code)
    expect((await convert(body)).code).toBe(code)
  })

  test('when the balance does not cover amount and fee, when it exceeds a limit, and when it buys nothing', async () => {
    expect((await convert(pair('BRL', 'USDT', 10000.01))).body.error).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { available: 10000, required: 10000.01 },
    })
    expect((await quote('simulate', pair('BRL', 'USDT', 10000.01))).status).toBe(200)
    expect(await byAllRoutes(pair('BRL', 'USDT', 100_000.01))).toEqual(Array(3).fill('EXCEEDS_MAX_LIMIT'))
    expect(await byAllRoutes(pair('BRL', 'USDT', 0.05))).toEqual(Array(3).fill('BELOW_MIN_LIMIT'))
    const limits = [{ currency: 'BRL', operation: 'conversion', daily_limit: '10.00', min_amount: '2.00' }]
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    expect(await byAllRoutes(pair('BRL', 'USDT', 10.01))).toEqual(Array(3).fill('LIMIT_EXCEEDED'))
    expect((await convert(pair('BRL', 'USDT', 6))).status).toBe(200)
    expect(await byAllRoutes(pair('BRL', 'USDT', 4.01))).toEqual(Array(3).fill('LIMIT_EXCEEDED'))
    const { body } = await quote('rate', pair('BRL', 'USDT', 1.99))
    expect(body.error).toMatchObject({ code: 'BELOW_MIN_LIMIT', details: { currency: 'BRL', min_amount: 2 } })
    expect(await api.balance('BRL')).toMatchObject({ available: 9994 })
  })

  test('when both currencies are the same, even with a used external_id', async () => {
    expect((await convert({ ...pair('BRL', 'USDT', 10), external_id: 'taken' })).status).toBe(200)
    const refused = await convert({ ...pair('BRL', 'BRL', 10), external_id: 'taken' })
    expect([refused.code, refused.body.error.details.supported]).toEqual(['INVALID_CURRENCY', others('BRL')])
  })

  test('when it buys nothing: the error has the least amount that buys something, which works', async () => {
    const fees = [{ currency: 'BRL', operation: 'conversion', fixed: '0.30', percent: '10' }]
    await sandbox.control('PATCH', '/accounts/merchant', { fees })
    const { min_amount } = (await convert(pair('BRL', 'USDT', 0.35))).body.error.details
    expect((await convert(pair('BRL', 'USDT', min_amount - 0.01))).code).toBe('BELOW_MIN_LIMIT')
    expect((await convert(pair('BRL', 'USDT', min_amount))).data.amount_to).toBe(0.01)
    const other = await openWithReceivers({ rates, belowMinimum: 'INVALID_AMOUNT' })
    const refused = await (await other.api()).post('/v2/conversions/rate', pair('BRL', 'USDT', 0.05))
    expect([refused.status, refused.code]).toEqual([422, 'INVALID_AMOUNT'])
    expect(refused.body.error.details).toEqual({ currency: 'BRL', min_amount: 0.06 })
  })
})
