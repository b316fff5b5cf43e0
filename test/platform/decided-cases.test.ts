/** Cases that the interface leaves open and that the page of assumptions decides: disputes after disputes and refunds, ignored and contradicting fields, transfer fees, reversals. */
import { expect, test } from 'vitest'
import { assumptions } from '../../src/protocol/platform/assumptions.js'
import type { Api } from '../support/client.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

const paid = async (sandbox: TestSandbox, api: Api) => {
  const { transaction_id: id } = (await api.cashin({ amount: 40, currency: 'BRL' })).data
  await sandbox.trigger('cashin.pay', id)
  return id as string
}

test('a charge can be disputed again after a canceled dispute, but not after a won one', async () => {
  const sandbox = await openWithReceivers()
  const id = await paid(sandbox, await sandbox.api())
  for (let round = 0; round < 2; round++) {
    expect((await sandbox.trigger('dispute.open', id)).status).toBe(200)
    expect((await sandbox.trigger('dispute.open', id)).code).toBe('INVALID_TRANSITION')
    await sandbox.trigger('dispute.cancel')
  }
  expect((await sandbox.trigger('dispute.open', id)).status).toBe(200)
  await sandbox.trigger('dispute.win')
  const again = await sandbox.trigger('dispute.open', id)
  expect([again.status, again.code]).toEqual([409, 'INVALID_TRANSITION'])
  const { body } = await sandbox.control('GET', `/transactions/${id}`)
  expect(body.allowed).toEqual(['cashin.refund'])
})

test('a disputed charge cannot be refunded, and a partly refunded one cannot be disputed', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const id = await paid(sandbox, api)
  await sandbox.trigger('dispute.open', id)
  expect((await sandbox.trigger('cashin.refund', id)).code).toBe('INVALID_TRANSITION')
  await sandbox.trigger('dispute.respond')
  expect((await sandbox.trigger('cashin.refund', id)).code).toBe('INVALID_TRANSITION')
  await sandbox.trigger('dispute.cancel')
  expect((await sandbox.trigger('cashin.refund', id, { amount: 10 })).status).toBe(200)
  expect((await sandbox.trigger('dispute.open', id)).code).toBe('INVALID_TRANSITION')
})

test('key_type is ignored outside PIX, whatever its value, also in a repeated call', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const spei = { amount: 50, currency: 'MXN', key: '032180000118359719', external_id: 'spei-1' }
  const first = await api.cashout({ ...spei, key_type: 'clabe' })
  expect([first.status, first.data.key_type]).toEqual([202, null])
  const again = await api.cashout({ ...spei, key_type: 'cpf' })
  expect([again.status, again.data.transaction_id]).toEqual([202, first.data.transaction_id])
  await sandbox.advance('2s')
  expect(sandbox.hooks.dataOf('cashout.confirmed')).toMatchObject([{ key_type: null }])
  const pix = { amount: 5, currency: 'BRL', key: 'ana@example.com', external_id: 'pix-1', key_type: 'clabe' }
  expect((await api.cashout(pix)).code).toBe('INVALID_VALUE')
})

test('a bank_code that contradicts the CLABE fails by event, and a matching or missing one does not', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  for (const [bank_code, expected] of [
    ['40012', 'failed'],
    ['032', 'confirmed'],
    ['99999', 'confirmed'],
  ]) {
    const fields = { amount: 50, currency: 'MXN', key: '032180000118359719', bank_code, external_id: `b-${bank_code}` }
    const { transaction_id: id } = (await api.cashout(fields)).data
    await sandbox.advance('2s')
    const { body } = await sandbox.control('GET', `/transactions/${id}`)
    expect([bank_code, body.status]).toEqual([bank_code, expected])
  }
  expect(sandbox.hooks.dataOf('cashout.failed')).toMatchObject([{ error_code: 'INVALID_ADDRESS' }])
})

test('a transfer fee is charged on top and shown to the sender only', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await sandbox.control('PATCH', '/accounts/merchant', {
    fees: [{ currency: 'BRL', operation: 'transfer', fixed: '1.50' }],
  })
  const before = (await api.balance('BRL')).available
  const sent = await api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 20, currency: 'BRL' })
  expect(Object.keys(sent.data)).not.toContain('fee')
  expect((await api.balance('BRL')).available).toBe(before - 21.5)
  await sandbox.settle()
  const [event] = sandbox.hooks.dataOf('transfer.confirmed')
  expect(Object.keys(event)).not.toContain('fee')
  expect(Number(event.old_balance) - Number(event.new_balance)).toBe(21.5)
  const listed = async (name: string) =>
    (await (await sandbox.api(name)).post('/v2/account/transactions/list', { type: 'transfer' })).data.items[0].fee
  expect([await listed('merchant'), await listed('customer')]).toEqual([1.5, 0])
})

test('a conversion cannot be reversed when its result was spent', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const pair = { amount: 100, base_currency: 'BRL', destination_currency: 'USDT' }
  const { conversion_id: id } = (await api.signed('/v2/conversions/new', pair)).data
  await sandbox.control('PUT', '/accounts/merchant/balances', { USDT: '0.00' })
  const refused = await sandbox.trigger('conversion.refund', id)
  expect([refused.status, refused.code]).toEqual([422, 'INSUFFICIENT_BALANCE'])
  expect((await sandbox.control('GET', `/transactions/${id}`)).body.status).toBe('completed')
})

test('each of these cases is on the page of assumptions', () => {
  const cases = [
    /second dispute/,
    /refund of a charge under an open dispute/,
    /refunded, in full or in part/,
    /key_type` of a withdrawal that is not PIX/,
    /bank_code/,
    /fee of a transfer/,
    /conversion whose result was spent/,
    /count towards a daily limit/,
    /Solana address/,
    /How a sandbox is selected/,
    /Unusual JSON/,
    /form of a `postback_url`/,
    /A second refund/,
    /webhook that is sent again/,
    /does not have/,
    /identifies a duplicate/,
    /receiver\.bank/,
    /`hash` of a SPEI/,
  ]
  for (const one of cases) expect(assumptions.filter(({ open }) => one.test(open)).length, String(one)).toBe(1)
})

test('a split can name the account itself, and has at most four decimals', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const charge = (percentage: number) =>
    api.cashin({ amount: 100, currency: 'BRL', split: [{ username: 'merchant', percentage }] })
  const { data } = await charge(33.3333)
  await sandbox.trigger('cashin.pay', data.transaction_id)
  expect(await api.balance('BRL')).toMatchObject({ available: 10_099 })
  expect(await charge(33.33333)).toMatchObject({ status: 422, code: 'INVALID_SPLIT_CONFIG' })
  expect((await charge(0.0001)).status).toBe(200)
})

test('other accounts are checked after idempotency and before limits', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const overLimit = { amount: 9_000_000, currency: 'BRL' }
  const transfer = (body: object) => api.signed('/v2/internal_transfers/payment', { ...overLimit, ...body })
  const split = [{ username: 'nobody', percentage: 1 }]
  expect((await api.cashin({ ...overLimit, split })).code).toBe('INVALID_SPLIT_CONFIG')
  expect((await api.cashin(overLimit)).code).toBe('EXCEEDS_MAX_LIMIT')
  expect((await transfer({ username: 'nobody' })).code).toBe('NOT_FOUND')
  expect((await transfer({ username: 'merchant' })).code).toBe('SELF_TRANSFER_BLOCKED')
  expect((await transfer({ username: 'customer' })).code).toBe('EXCEEDS_MAX_LIMIT')
  await api.cashin({ amount: 10, currency: 'BRL', external_id: 'used' })
  expect((await api.cashin({ ...overLimit, split, external_id: 'used' })).code).toBe('DUPLICATE_EXTERNAL_ID')
  for (const username of ['nobody', 'merchant'])
    expect((await transfer({ username, external_id: 'used' })).code).toBe('DUPLICATE_EXTERNAL_ID')
})

test('a refund is final: a second one is rejected, also after a refund of a part', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const charge = await paid(sandbox, api)
  const { data } = await api.cashout({ amount: 40, currency: 'BRL', key: '52998224725', external_id: 'out' })
  await sandbox.trigger('cashout.confirm', data.transaction_id)
  for (const [action, id] of [
    ['cashin.refund', charge],
    ['cashout.refund', data.transaction_id],
  ]) {
    expect((await sandbox.trigger(`${action}`, id, { amount: 10 })).status).toBe(200)
    expect(await sandbox.trigger(`${action}`, id, { amount: 10 })).toMatchObject({
      status: 409,
      code: 'INVALID_TRANSITION',
    })
  }
})

test('repeated keys, NUL and half surrogates are not JSON; a byte order mark and any spelling of a number are accepted', async () => {
  const api = await (await openWithReceivers()).api()
  const codeOf = async (text: string) => {
    const { status, code } = await api.post('/v2/transactions/cashin', text)
    return code ?? status
  }
  const rest = '"currency":"BRL"'
  for (const text of [
    `{"amount":10,"amount":20,${rest}}`,
    `{"amount":10,${rest},"payer":{"name":"a","name":"b"}}`,
    `{"amount":10,${rest},"external_id":"a\\u0000"}`,
    `{"amount":10,${rest},"external_id":"a\\ud800"}`,
  ])
    expect(await codeOf(text), text).toBe('INVALID_JSON')
  expect(await codeOf(`\ufeff{"amount":10,${rest}}`)).toBe(200)
  for (const amount of ['10', '10.0', '1e1', '0.1E+2', '1000e-2', '10.000000000000000000'])
    expect(await codeOf(`{"amount":${amount},${rest}}`), amount).toBe(200)
  for (const amount of ['10.001', '10.000000000000000001', '19.990000000000002', '1e-3'])
    expect(await codeOf(`{"amount":${amount},${rest}}`), amount).toBe('INVALID_AMOUNT')
})

test('a webhook that is sent again goes to the URL that it was first sent to', async () => {
  const sandbox = await openWithReceivers()
  await paid(sandbox, await sandbox.api())
  await sandbox.settle()
  const { body } = await sandbox.control('GET', '/webhooks?event=cashin.confirmed')
  const [{ id, url }] = body.data
  const account = await sandbox.control('GET', '/accounts/merchant')
  const other = 'http://127.0.0.1:9/other'
  const { client_id } = account.body.credentials[0]
  expect((await sandbox.control('PATCH', `/credentials/${client_id}`, { postback_url: other })).status).toBe(200)
  await sandbox.control('POST', `/webhooks/${id}/redeliver`)
  await sandbox.settle()
  const again = await sandbox.control('GET', `/webhooks/${id}`)
  expect([again.body.url, again.body.attempts.length]).toEqual([url, 2])
  expect(sandbox.hooks.names()).toEqual(['cashin.confirmed', 'cashin.confirmed'])
})
