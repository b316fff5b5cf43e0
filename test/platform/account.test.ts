/** The account queries: balance, profile, limits, fees (§4.3, decisions 7, 8, 25). */
import { beforeEach, expect, test } from 'vitest'
import { currencies as table } from '../../src/protocol/platform/currencies.js'
import type { Api } from '../support/client.js'
import type { Body } from '../support/http.js'
import { currencies, currencyTypeOf, scales, utcMoment } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const operations = ['cashin', 'cashout', 'transfer', 'conversion']
const rowOf = (rows: Body[], currency: string, operation: string) =>
  rows.find((row) => row.currency === currency && row.operation === operation)

test('the balance lists every currency with its type and three amounts', async () => {
  const { status, data } = await api.get('/v2/account/balance')
  expect(status).toBe(200)
  expect(data.balances.map((row: Body) => row.currency)).toEqual([...currencies])
  for (const row of data.balances)
    expect(row).toEqual({
      currency: row.currency,
      currency_type: currencyTypeOf(row.currency),
      available: expect.any(Number),
      blocked: 0,
      pending: 0,
    })
  expect((await (await sandbox.api('customer')).balance('USDT')).available).toBe(0)
})

test('the balance counts withdrawals as pending and disputes as blocked', async () => {
  const { data } = await api.cashin({ amount: 200, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', data.transaction_id)
  await sandbox.trigger('dispute.open', data.transaction_id, { amount: 150 })
  await api.cashout({ external_id: 'w', amount: 49, currency: 'BRL', key: 'maria@example.com' })
  expect(await api.balance('BRL')).toEqual({ available: 9998, blocked: 150, pending: 50 })
})

test('the profile shows the account and the webhook URL in effect', async () => {
  const { status, data } = await api.get('/v2/account/profile')
  expect([status, data]).toEqual([
    200,
    {
      username: 'merchant',
      name: 'Merchant Demo Ltda',
      document: '12ABC34501DE35',
      created_at: expect.stringMatching(utcMoment),
      webhook_url: sandbox.hooks.url,
    },
  ])
  const { body } = await sandbox.control('POST', '/accounts', {
    username: 'shop',
    name: 'Shop',
    document: '52998224725',
  })
  expect(body).toMatchObject({ username: 'shop', name: 'Shop', document: '52998224725' })
})

test('the limits list every currency and operation with its minimum, documented or the smallest amount, and what was used today', async () => {
  const { data } = await api.get('/v2/account/limits')
  expect(data.limits).toHaveLength(currencies.length * operations.length)
  const documented: Record<string, number> = { BRL: 1, USDT: 2, USDC: 2, BTC: 0.0001, ETH: 0.001, SOL: 0.001 }
  for (const currency of currencies) {
    for (const operation of operations) {
      const row = rowOf(data.limits, currency, operation)
      expect(row.daily_used).toBe(0)
      expect(row.max_amount).toBeGreaterThan(row.min_amount)
      expect(row.daily_limit).toBeGreaterThanOrEqual(row.max_amount)
    }
    expect(rowOf(data.limits, currency, 'cashin').min_amount).toBe(documented[currency] ?? Number(table[currency].min))
    for (const operation of ['transfer', 'conversion'])
      expect(rowOf(data.limits, currency, operation).min_amount).toBe(Number(`1e-${scales[currency]}`))
  }
  await api.cashin({ amount: 12.5, currency: 'BRL' })
  await api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 3, currency: 'BRL' })
  const used = (await api.get('/v2/account/limits')).data.limits
  expect([rowOf(used, 'BRL', 'cashin').daily_used, rowOf(used, 'BRL', 'transfer').daily_used]).toEqual([12.5, 3])
  await sandbox.advance('1d')
  const anew = (await (await sandbox.api()).get('/v2/account/limits')).data.limits
  expect(rowOf(anew, 'BRL', 'cashin').daily_used).toBe(0)
})

test('changed limits and fees apply to their account only, and are shown', async () => {
  const limits = [{ currency: 'BRL', operation: 'cashin', min_amount: '5.00', max_amount: '6', daily_limit: 11 }]
  const fees = [{ currency: 'BRL', operation: 'cashin', fixed: '0.10', percent: '2.5' }]
  expect((await sandbox.control('PATCH', '/accounts/merchant', { limits, fees })).status).toBe(200)
  const shown = rowOf((await api.get('/v2/account/limits')).data.limits, 'BRL', 'cashin')
  expect(shown).toMatchObject({ min_amount: 5, max_amount: 6, daily_limit: 11, daily_used: 0 })
  expect(rowOf((await api.get('/v2/account/fees')).data.fees, 'BRL', 'cashin')).toMatchObject({
    fixed: 0.1,
    percent: 2.5,
  })
  expect((await api.cashin({ amount: 4.99, currency: 'BRL' })).body.error.details.min_amount).toBe(5)
  expect((await api.cashin({ amount: 6.01, currency: 'BRL' })).body.error.details.max_amount).toBe(6)
  expect((await api.cashin({ amount: 6, currency: 'BRL' })).data.fee).toBe(0.25)
  expect((await (await sandbox.api('customer')).cashin({ amount: 100, currency: 'BRL' })).data.fee).toBe(1)
})

test.each(['-1', '100.0001', '101', '1.23456'])('a fee of %s percent is 422 INVALID_VALUE', async (percent) => {
  const fees = [{ currency: 'BRL', operation: 'cashin', percent }]
  const { status, body } = await sandbox.control('PATCH', '/accounts/customer', { fees })
  expect([status, body.error.code, body.error.details.field]).toEqual([422, 'INVALID_VALUE', 'percent'])
})

test('the fees list every currency and operation', async () => {
  const { data } = await api.get('/v2/account/fees')
  expect(data.fees).toHaveLength(currencies.length * operations.length)
  expect(rowOf(data.fees, 'BRL', 'cashout')).toEqual({ currency: 'BRL', operation: 'cashout', fixed: 1, percent: 0 })
})
