/** The actions of the control API: their list, how an object is named, and rejections. */
import { expect, test } from 'vitest'
import type { Body } from '../support/http.js'
import { openWithReceivers } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

const documented: Record<string, string[]> = {
  'cashin.pay': ['payer', 'amount', 'hash'],
  'cashin.expire': [],
  'cashin.refund': ['amount', 'reason'],
  'cashout.confirm': ['hash', 'receiver'],
  'cashout.fail': ['error_code', 'error_message'],
  'cashout.refund': ['amount', 'reason'],
  'conversion.refund': ['reason'],
  'wallet.deposit': ['amount', 'payer', 'hash'],
  'dispute.open': ['amount', 'type', 'reason'],
  'dispute.respond': ['message'],
  'dispute.confirm': [],
  'dispute.win': [],
  'dispute.lose': [],
  'dispute.cancel': [],
}

test('GET /_sandbox/actions lists the actions of the contract, no more and no fewer', async () => {
  const sandbox = await openWithReceivers()
  const { status, body } = await sandbox.control('GET', '/actions')
  expect(status).toBe(200)
  expect(body.data.map((row: Body) => row.action ?? row.name).sort()).toEqual(Object.keys(documented).sort())
})

test('an unknown action is 422 with the list of all actions', async () => {
  const { status, code, body } = await (await openWithReceivers()).trigger('cashin.pya')
  expect([status, code]).toEqual([422, 'INVALID_VALUE'])
  expect(body.error.details.actions.sort()).toEqual(Object.keys(documented).sort())
})

test('an unknown parameter is rejected, never ignored', async () => {
  const sandbox = await openWithReceivers()
  const { data } = await (await sandbox.api()).cashin({ amount: 10, currency: 'BRL' })
  for (const action of Object.keys(documented)) {
    const required = action === 'wallet.deposit' ? { amount: 1 } : {}
    const { status, code, body } = await sandbox.trigger(action, data.transaction_id, { ...required, nonsense: 1 })
    expect([status, code, body.error.details.field], action).toEqual([422, 'INVALID_VALUE', 'nonsense'])
  }
  expect((await sandbox.trigger('cashin.expire', data.transaction_id, { amount: 1 })).code).toBe('INVALID_VALUE')
  expect(
    (await sandbox.trigger('cashin.pay', data.transaction_id, { payer: { nmae: 'x' } })).body.error.details.field,
  ).toBe('payer.nmae')
})

test('an action without an id takes the newest object that allows it', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  expect((await sandbox.trigger('cashin.pay')).code).toBe('NOT_FOUND')
  const ids: string[] = []
  for (const amount of [10, 20, 30]) ids.push((await api.cashin({ amount, currency: 'BRL' })).data.transaction_id)
  const newest = async (action: string) => (await sandbox.trigger(action)).body.object.transaction_id
  expect([await newest('cashin.pay'), await newest('cashin.pay'), await newest('cashin.refund')]).toEqual([
    ids[2],
    ids[1],
    ids[2],
  ])
  expect((await sandbox.trigger('dispute.open')).body.object.transaction_id).toBe(ids[1])
  expect((await sandbox.trigger('dispute.open')).code).toBe('NOT_FOUND')
  expect((await sandbox.trigger('dispute.win')).body.object.status).toBe('won')
})

test('an action finds an object by an external_id that is unique among objects of its kind', async () => {
  const sandbox = await openWithReceivers()
  const [api, customer] = [await sandbox.api(), await sandbox.api('customer')]
  await api.cashin({ amount: 10, currency: 'BRL', external_id: 'mine' })
  expect((await sandbox.trigger('cashin.pay', 'mine')).body.object).toMatchObject({
    external_id: 'mine',
    status: 'confirmed',
  })
  await api.cashin({ amount: 10, currency: 'BRL', external_id: 'both' })
  await customer.cashin({ amount: 10, currency: 'BRL', external_id: 'both' })
  const { status, body } = await sandbox.trigger('cashin.pay', 'both')
  expect([status, body.error.code, body.error.message]).toEqual([
    404,
    'NOT_FOUND',
    'More than one cashin has the external_id both: use its id instead.',
  ])
  expect((await sandbox.trigger('cashout.fail', 'mine')).body.error).toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no cashout mine.',
  })
})

test('an action finds its object by an external_id that a hundred accounts have used for another kind', async () => {
  const usernames = Array.from({ length: 100 }, (_, index) => `account-${index}`)
  const accounts = usernames.map((username) => ({
    username,
    credential: secretsOf(username),
    balances: { BRL: '10.00' },
  }))
  const sandbox = await openWithReceivers({ accounts, rateLimits: false })
  const id = await (await sandbox.api()).charge({ external_id: 'often' })
  for (const username of usernames) expect(await (await sandbox.api(username)).withdraw('often')).toBeDefined()
  expect((await sandbox.trigger('cashin.pay', 'often')).body.object).toMatchObject({ transaction_id: id })
})

test('the response names the action, the object after it, and the events with their ids', async () => {
  const sandbox = await openWithReceivers()
  const { data } = await (await sandbox.api()).cashin({ amount: 10, currency: 'BRL' })
  const { body } = await sandbox.trigger('cashin.pay', data.transaction_id)
  expect(Object.keys(body).sort()).toEqual(['action', 'events', 'object'])
  expect(body).toMatchObject({
    action: 'cashin.pay',
    object: { transaction_id: data.transaction_id, type: 'cashin', status: 'confirmed', amount: '10.00' },
  })
  expect(body.events).toEqual([{ id: expect.stringMatching(/^evt_/), event: 'cashin.confirmed' }])
  await sandbox.settle()
  expect(sandbox.hooks.hooks[0]?.id).toBe(body.events[0].id)
})

test('the list of actions names the kind of object of each, and its parameters as JSON Schema', async () => {
  const { status, body } = await (await openWithReceivers()).control('GET', '/actions')
  expect(status).toBe(200)
  expect(body.data.map(({ name }: { name: string }) => name).sort()).toEqual(Object.keys(documented).sort())
  const deposit = body.data.find(({ name }: { name: string }) => name === 'wallet.deposit')
  expect(deposit).toMatchObject({ subject: 'wallet', params: { type: 'object', required: ['amount'] } })
})

test.each([
  [250, undefined],
  [125, '250.00'],
])('a charge of 250 that is paid with %d has the requested amount %s', async (amount, requested) => {
  const sandbox = await openWithReceivers()
  const { data } = await (await sandbox.api()).cashin({ amount: 250, currency: 'MXN' })
  const pay = { action: 'cashin.pay', id: data.transaction_id, amount }
  expect((await sandbox.control('POST', '/trigger', pay)).status).toBe(200)
  const { body } = await sandbox.control('GET', `/transactions/${data.transaction_id}`)
  expect([body.amount, body.amount_requested]).toEqual([`${amount}.00`, requested])
})

test('an action on a charge does not accept the id of its dispute or of a wallet', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const { data } = await api.cashin({ amount: 10, currency: 'BRL' })
  const { data: wallet } = await api.post('/v2/transactions/wallet', { currency: 'BRL' })
  for (const action of ['cashin.pay', 'dispute.open']) await sandbox.trigger(action, data.transaction_id)
  const [dispute] = (await sandbox.control('GET', '/disputes')).body.data
  for (const id of [dispute.infraction_id, String(wallet.wallet_id), wallet.address])
    expect(await sandbox.trigger('cashin.refund', id), id).toMatchObject({ status: 404, code: 'NOT_FOUND' })
})

test('an action without an id takes the newest wallet, or the newest one of the account that is named', async () => {
  const sandbox = await openWithReceivers()
  for (const username of ['merchant', 'customer'])
    await (await sandbox.api(username)).post('/v2/transactions/wallet', { currency: 'USDT', chain: 'tron' })
  const ownerOf = async (more: object) => {
    await sandbox.control('POST', '/trigger', { action: 'wallet.deposit', amount: 5, ...more })
    const { body } = await sandbox.control('GET', '/transactions?limit=1')
    return body.data[0].account
  }
  expect([await ownerOf({}), await ownerOf({ account: 'merchant' })]).toEqual(['customer', 'merchant'])
  const [newest] = (await sandbox.control('GET', '/wallets')).body.data
  for (const id of [newest.wallet_id, newest.address])
    expect((await sandbox.control('GET', `/wallets/${id}`)).body.address).toBe(newest.address)
})

test('an action that the state does not allow is rejected with the allowed ones', async () => {
  const sandbox = await openWithReceivers()
  const { data } = await (await sandbox.api()).cashin({ amount: 10, currency: 'BRL' })
  const id = data.transaction_id
  const refusal = async (action: string) => (await sandbox.trigger(action, id)).body.error
  await sandbox.trigger('cashin.pay', id)
  expect(await refusal('cashin.expire')).toMatchObject({
    message: `cashin.expire is not possible: the cashin ${id} is confirmed.`,
    details: { allowed: ['cashin.refund', 'dispute.open'] },
  })
  await sandbox.trigger('cashin.refund', id)
  expect(await refusal('cashin.pay')).toMatchObject({
    message: `cashin.pay is not possible: the cashin ${id} is refunded, which is final.`,
    details: { allowed: [] },
  })
})

test('an amount as text is a plain decimal number: an exponent is rejected, and a JSON number may have one', async () => {
  const sandbox = await openWithReceivers()
  const calls = (amount: unknown): [method: string, path: string, body: object][] => [
    ['POST', '/trigger', { action: 'wallet.deposit', create: true, amount }],
    ['POST', '/trigger', { action: 'cashin.pay', create: true, fields: { amount, currency: 'BRL' } }],
    ['POST', '/trigger', { action: 'cashin.refund', create: true, amount }],
    ['PUT', '/accounts/merchant/balances', { BRL: amount }],
    ['PATCH', '/accounts/merchant', { limits: [{ currency: 'BRL', operation: 'cashin', min_amount: amount }] }],
    ['PATCH', '/accounts/merchant', { fees: [{ currency: 'BRL', operation: 'cashin', fixed: amount }] }],
    ['POST', '/accounts', { balances: { BRL: amount } }],
  ]
  for (const amount of ['1e1', '1E1', '1e+1', '+10', '0x10', ' 10', '10.', '.5', '1_0', ''])
    for (const [method, path, body] of calls(amount)) {
      const { status, code } = await sandbox.control(method, path, body)
      expect([status, code], `${path} ${JSON.stringify(body)}`).toEqual([422, 'INVALID_AMOUNT'])
    }
  for (const amount of ['10', '10.00', 10, 1e1])
    for (const [method, path, body] of calls(amount))
      expect((await sandbox.control(method, path, body)).status, `${path} ${JSON.stringify(body)}`).toBeLessThan(300)
  const raw = await fetch(`${sandbox.url}/_sandbox/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"action":"wallet.deposit","create":true,"amount":1e1}',
  })
  expect(raw.status).toBe(200)
})
