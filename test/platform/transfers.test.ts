/** Internal transfers: one response, two transactions, two events, each for its own account (§4.3, §6.5, decisions 10, 23, 33). */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Api } from '../support/client.js'
import { currencies, utcMoment } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const path = '/v2/internal_transfers/payment'
const send = (body: object) => api.signed(path, body)

test('a transfer is confirmed at once, and its response has both names', async () => {
  const { status, data } = await send({
    username: 'customer',
    amount: 12.34,
    currency: 'BRL',
    external_id: 't1',
    description: 'rent',
  })
  expect(status).toBe(200)
  expect(data).toEqual({
    transaction_id: expect.any(String),
    external_id: 't1',
    from_user: 'merchant',
    to_user: 'customer',
    amount: 12.34,
    currency: 'BRL',
    description: 'rent',
    status: 'confirmed',
    confirmed_at: expect.stringMatching(utcMoment),
  })
  expect(await api.balance('BRL')).toEqual({ available: 9987.66, blocked: 0, pending: 0 })
  expect(await (await sandbox.api('customer')).balance('BRL')).toEqual({ available: 1012.34, blocked: 0, pending: 0 })
})

test('transfer.confirmed goes to both accounts, with own ids and directions, each signed with its own secret', async () => {
  const { data } = await send({ username: 'customer', amount: 12.34, currency: 'BRL', description: 'rent' })
  await sandbox.settle()
  const [sent, received] = [sandbox.hooks.hooks, sandbox.customerHooks.hooks]
  expect([sent.length, received.length]).toEqual([1, 1])
  const common = { amount: '12.34', currency: 'BRL', description: 'rent', confirmed_at: data.confirmed_at }
  expect(sent[0]?.data).toEqual({
    ...common,
    transaction_id: data.transaction_id,
    direction: 'sent',
    counterparty: 'customer',
    old_balance: '10000.00',
    new_balance: '9987.66',
  })
  expect(received[0]?.data).toEqual({
    ...common,
    transaction_id: expect.any(String),
    direction: 'received',
    counterparty: 'merchant',
    old_balance: '1000.00',
    new_balance: '1012.34',
  })
  expect(received[0]?.data.transaction_id).not.toBe(data.transaction_id)
  expect(received[0]?.id).not.toBe(sent[0]?.id)
  for (const [event, action] of [
    [sent[0], 'create'],
    [received[0], 'receive'],
  ] as const) {
    const { body } = await sandbox.control('GET', `/transactions/${event?.data.transaction_id}`)
    expect(body.history).toMatchObject([{ action, from: null, to: 'confirmed' }])
  }
})

test('earlier transfers count towards the daily limit', async () => {
  const limits = [{ currency: 'BRL', operation: 'transfer', daily_limit: '10.00' }]
  await sandbox.control('PATCH', '/accounts/merchant', { limits })
  expect((await send({ username: 'customer', amount: 6, currency: 'BRL' })).status).toBe(200)
  const over = await send({ username: 'customer', amount: 4.01, currency: 'BRL' })
  expect([over.code, over.body.error.details.remaining]).toEqual(['LIMIT_EXCEEDED', 4])
})

test('the recipient of a transfer pays no fee', async () => {
  const fees = [{ currency: 'BRL', operation: 'transfer', fixed: '0.50' }]
  for (const username of ['merchant', 'customer']) await sandbox.control('PATCH', `/accounts/${username}`, { fees })
  await send({ username: 'customer', amount: 6, currency: 'BRL' })
  const { body } = await sandbox.control('GET', '/transactions?type=transfer')
  expect(body.data.map((row: { direction: string; fee: string }) => [row.direction, row.fee]).sort()).toEqual([
    ['received', '0.00'],
    ['sent', '0.50'],
  ])
})

test('a limit for transfers allows a transfer larger than any charge', async () => {
  const limits = [
    { currency: 'BRL', operation: 'transfer', max_amount: '99999999999.99', daily_limit: '99999999999.99' },
  ]
  await sandbox.control('PATCH', '/accounts/merchant', { limits })
  await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '99999999999.99' })
  expect((await send({ username: 'customer', amount: 20_000_000_000, currency: 'BRL' })).status).toBe(200)
})

test('every currency can be transferred, to the last digit', async () => {
  await sandbox.control(
    'PUT',
    '/accounts/merchant/balances',
    Object.fromEntries(currencies.map((currency) => [currency, '3'])),
  )
  await sandbox.control(
    'PUT',
    '/accounts/customer/balances',
    Object.fromEntries(currencies.map((currency) => [currency, '0'])),
  )
  const customer = await sandbox.api('customer')
  const smallest: Record<string, number> = {
    BRL: 0.01,
    MXN: 0.01,
    USDT: 0.01,
    USDC: 0.01,
    BTC: 1e-8,
    ETH: 1e-8,
    BNB: 1e-8,
    SOL: 1e-9,
  }
  for (const currency of currencies) {
    expect((await send({ username: 'customer', amount: smallest[currency], currency })).status, currency).toBe(200)
    expect((await customer.balance(currency)).available).toBe(smallest[currency])
    expect((await send({ username: 'customer', amount: 3, currency })).code).toBe('INSUFFICIENT_BALANCE')
  }
})

describe('a transfer is rejected', () => {
  test.each([
    [{ amount: 1, currency: 'BRL' }, 400, 'MISSING_REQUIRED_FIELD'],
    [{ username: 'customer', currency: 'BRL' }, 400, 'MISSING_REQUIRED_FIELD'],
    [{ username: 'customer', amount: 1 }, 400, 'MISSING_REQUIRED_FIELD'],
    [{ username: 'customer', amount: '1', currency: 'BRL' }, 422, 'INVALID_AMOUNT'],
    [{ username: 'customer', amount: 0.001, currency: 'BRL' }, 422, 'INVALID_AMOUNT'],
    [{ username: 'customer', amount: 1, currency: 'XXX' }, 422, 'INVALID_CURRENCY'],
    [{ username: 1, amount: 1, currency: 'BRL' }, 422, 'INVALID_VALUE'],
    [{ username: 'nobody', amount: 1, currency: 'BRL' }, 404, 'NOT_FOUND'],
    [{ username: 'merchant', amount: 1, currency: 'BRL' }, 422, 'SELF_TRANSFER_BLOCKED'],
    [{ username: 'customer', amount: 10000.01, currency: 'BRL' }, 422, 'INSUFFICIENT_BALANCE'],
    [{ username: 'customer', amount: 100_000.01, currency: 'BRL' }, 409, 'EXCEEDS_MAX_LIMIT'],
  ])('for %j, with %i %s', async (body, status, code) => {
    const answer = await send(body)
    expect([answer.status, answer.code]).toEqual([status, code])
    await sandbox.settle()
    expect(sandbox.hooks.names()).toEqual([])
  })
})

test('a transfer fee is charged on top, to the sender', async () => {
  const fees = [{ currency: 'BRL', operation: 'transfer', fixed: '0.50', percent: '1' }]
  await sandbox.control('PATCH', '/accounts/merchant', { fees })
  await send({ username: 'customer', amount: 100, currency: 'BRL' })
  expect((await api.balance('BRL')).available).toBe(9898.5)
  expect((await (await sandbox.api('customer')).balance('BRL')).available).toBe(1100)
  const { body } = await send({ username: 'customer', amount: 9898, currency: 'BRL' })
  expect(body.error.details).toMatchObject({ available: 9898.5, required: 9997.48 })
})

test('a transfer to a recipient without a webhook URL has a failed event with no_url, which can be sent later', async () => {
  const { body: made } = await sandbox.control('POST', '/accounts', { username: 'quiet' })
  await send({ username: 'quiet', amount: 1, currency: 'BRL' })
  await sandbox.settle()
  const { body } = await sandbox.control('GET', '/webhooks?status=failed')
  expect(body.data).toMatchObject([{ event: 'transfer.confirmed', status: 'failed', outcome: 'no_url', url: null }])
  const [credential] = made.credentials
  const own = {
    postback_url: sandbox.customerHooks.url,
    webhook_secret: 'whsec_sandbox_customer_0000000000000000000000000000000000000000',
  }
  await sandbox.control('PATCH', `/credentials/${credential.client_id}`, own)
  await sandbox.control('POST', `/webhooks/${body.data[0].id}/redeliver`)
  await sandbox.settle()
  expect(sandbox.customerHooks.dataOf('transfer.confirmed')).toMatchObject([
    { direction: 'received', counterparty: 'merchant' },
  ])
})
