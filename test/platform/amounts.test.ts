/** Every amount has the same limit on every surface: 15 digits of the smallest unit (decision 7). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from '../support/client.js'
import type { Answer } from '../support/http.js'
import { scales } from '../support/interface.js'
import { closeChecked, openForFile, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
let api: Api
let wallet: number
beforeAll(async () => {
  sandbox = await openForFile()
  api = await sandbox.api()
  wallet = (await api.post('/v2/transactions/wallet', { currency: 'BRL' })).data.wallet_id
})
afterAll(() => closeChecked(sandbox))

/** Amounts of 16 and more digits in several notations; the first is just over the limit. */
const tooLarge = ['10000000000000', '9999999999999999', '92233720368547758.08', '1e18', '1e21', '1e300', '1e308']
const post = (path: string, body: string) => api.post(path, body)
const signed = (path: string, body: string) => api.signed(path, body)
const control = (method: string, path: string, body: string) => sandbox.control(method, path, body)
const conversion = (amount: string) => `{"base_currency":"BRL","destination_currency":"MXN","amount":${amount}}`
const limit = (field: string, amount: string) =>
  `{"limits":[{"currency":"BRL","operation":"cashin","${field}":${amount}}]}`

const doors: [string, (amount: string) => Promise<Answer>][] = [
  ['a charge', (amount) => post('/v2/transactions/cashin', `{"currency":"BRL","amount":${amount}}`)],
  [
    'a part of a split',
    (amount) =>
      post(
        '/v2/transactions/cashin',
        `{"currency":"BRL","amount":1,"split":[{"username":"customer","amount":${amount}}]}`,
      ),
  ],
  [
    'a withdrawal',
    (amount) =>
      signed('/v2/transactions/cashout', `{"external_id":"x","currency":"BRL","key":"a@b.co","amount":${amount}}`),
  ],
  ['a legacy payment', (amount) => signed('/v2/pix/payment', `{"creditParty":{"key":"a@b.co"},"amount":${amount}}`)],
  [
    'a transfer',
    (amount) => signed('/v2/internal_transfers/payment', `{"username":"customer","currency":"BRL","amount":${amount}}`),
  ],
  ['a conversion', (amount) => signed('/v2/conversions/new', conversion(amount))],
  ['a rate', (amount) => post('/v2/conversions/rate', conversion(amount))],
  ['a simulation', (amount) => post('/v2/conversions/simulate', conversion(amount))],
  [
    'a deposit',
    (amount) => control('POST', '/trigger', `{"action":"wallet.deposit","id":"${wallet}","amount":${amount}}`),
  ],
  [
    'a deposit as text',
    (amount) => control('POST', '/trigger', `{"action":"wallet.deposit","id":"${wallet}","amount":"${amount}"}`),
  ],
  ['a payment', async (amount) => act('cashin.pay', await charge('USDT'), amount)],
  ['a refund', async (amount) => act('cashin.refund', await paid(), amount)],
  ['a dispute', async (amount) => act('dispute.open', await paid(), amount)],
  ['a balance', (amount) => control('PUT', '/accounts/customer/balances', `{"BRL":${amount}}`)],
  ['a new account', (amount) => control('POST', '/accounts', `{"balances":{"BRL":${amount}}}`)],
  ['a minimum', (amount) => control('PATCH', '/accounts/customer', limit('min_amount', amount))],
  ['a maximum', (amount) => control('PATCH', '/accounts/customer', limit('max_amount', amount))],
  ['a daily limit', (amount) => control('PATCH', '/accounts/customer', limit('daily_limit', amount))],
  [
    'a fixed fee',
    (amount) =>
      control('PATCH', '/accounts/customer', `{"fees":[{"currency":"BRL","operation":"cashin","fixed":${amount}}]}`),
  ],
]

const charge = async (currency: string): Promise<string> =>
  (await api.cashin({ amount: 10, currency, ...(currency === 'USDT' ? { chain: 'tron' } : {}) })).data.transaction_id
const paid = async () => {
  const id = await charge('BRL')
  await sandbox.trigger('cashin.pay', id)
  return id
}
const act = (action: string, id: string, amount: string) =>
  control('POST', '/trigger', `{"action":"${action}","id":"${id}","amount":${amount}}`)

describe.each(doors)('%s', (_name, call) => {
  test('rejects an amount of over 15 digits and a negative one with 422 INVALID_AMOUNT', async () => {
    for (const amount of [...tooLarge, '-1', '-1e300']) {
      const { status, code } = await call(amount)
      expect([status, code], amount).toEqual([422, 'INVALID_AMOUNT'])
    }
  })
})

test('an amount beyond the range of the runtime is rejected without a fault', async () => {
  for (const [name, call] of doors)
    for (const amount of ['1e400', `1${'0'.repeat(500)}`, `0.${'0'.repeat(500)}1`]) {
      const { status, code } = await call(amount)
      expect([status, code], `${name} ${amount.slice(0, 9)}`).toEqual([422, 'INVALID_AMOUNT'])
    }
})

test('an amount of exactly 15 digits is valid, and only limits and balance can reject it', async () => {
  for (const [currency, scale] of Object.entries(scales)) {
    const largest = `${'9'.repeat(15 - scale)}.${'9'.repeat(scale)}`
    expect((await control('PUT', '/accounts/customer/balances', `{"${currency}":"${largest}"}`)).status).toBe(200)
    const { body } = await sandbox.control('GET', '/accounts/customer')
    expect(body.balances[currency].available).toBe(largest)
    const body2 = `{"base_currency":"${currency}","destination_currency":"${currency === 'BRL' ? 'MXN' : 'BRL'}","amount":${largest}}`
    expect((await post('/v2/conversions/rate', body2)).code).toBe('EXCEEDS_MAX_LIMIT')
  }
})

test('a payment that would take a balance beyond 15 digits is rejected and rolled back', async () => {
  await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '9999999999999.99' })
  const { data } = await post('/v2/transactions/cashin', '{"amount":100,"currency":"BRL"}')
  const paid = await sandbox.trigger('cashin.pay', data.transaction_id)
  expect([paid.status, paid.code]).toEqual([422, 'INVALID_AMOUNT'])
  expect((await sandbox.control('GET', `/transactions/${data.transaction_id}`)).body.status).toBe('pending')
  expect((await sandbox.control('GET', '/ledger')).body.balanced).toBe(true)
})

test('a refund may take a balance to 15 digits below zero, and not one cent lower', async () => {
  const deposit = async (amount: string) =>
    (await sandbox.trigger('wallet.deposit', wallet, { amount })).body.object.transaction_id
  const empty = () => sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '0' })
  await empty()
  const [cent, most] = [await deposit('0.01'), await deposit('9999999999999.99')]
  await empty()
  expect((await sandbox.trigger('cashin.refund', most)).status).toBe(200)
  const refused = await sandbox.trigger('cashin.refund', cent)
  expect([refused.status, refused.code]).toEqual([422, 'INVALID_AMOUNT'])
  expect((await api.balance('BRL')).available).toBe(-9999999999999.99)
})

test('a scenario that deposits too much fails with the same error', async () => {
  const scenario = {
    name: 'too-much',
    title: 'Too much',
    steps: [{ 'wallet.deposit': { id: String(wallet), amount: '1000000000000000000' } }],
  }
  expect((await sandbox.control('POST', '/scenarios', scenario)).status).toBeLessThan(300)
  const { body } = await sandbox.control('POST', '/scenarios/too-much/run', { fast_forward: true })
  expect(body.status).toBe('failed')
  expect(JSON.stringify(body.steps)).toContain('must be at most 9999999999999.99 BRL')
})
