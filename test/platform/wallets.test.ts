/** Fixed wallets and their deposits (§4.3, §6.5, decisions 18 and 22). */
import { beforeEach, expect, test } from 'vitest'
import { isAddress } from '../../src/protocol/rails/chain.js'
import { isClabe } from '../../src/protocol/rails/spei.js'
import { type Api, basicOf, clientWith, requestToken } from '../support/client.js'
import { chainPairs, currencyTypeOf, utcMoment } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const path = '/v2/transactions/wallet'
const everywhere = [...chainPairs, ['BRL', undefined, 'PIX'], ['MXN', undefined, 'SPEI']] as const

test.each(everywhere)(
  'a wallet for %s (%s) has a valid destination, and sends wallet.created',
  async (currency, chain, label) => {
    const { status, data } = await api.post(path, { currency, ...(chain === undefined ? {} : { chain }) })
    expect(status).toBe(200)
    expect(data).toEqual({
      wallet_id: expect.any(Number),
      currency,
      currency_type: currencyTypeOf(currency),
      chain: chain ?? null,
      network: label,
      address: expect.any(String),
      min_confirmations: expect.any(Number),
      created_at: expect.stringMatching(utcMoment),
    })
    const isValid =
      currency === 'BRL'
        ? /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(data.address)
        : chain === undefined
          ? isClabe(data.address)
          : isAddress(chain, data.address)
    expect(isValid, data.address).toBe(true)
    await sandbox.settle()
    const kept = (await sandbox.control('GET', `/wallets/${data.wallet_id}`)).body
    expect(kept.history).toMatchObject([{ action: 'create', from: null, to: 'created' }])
    const [hook] = sandbox.hooks.hooks
    expect(hook?.body).toMatchObject({ event: 'wallet.created', transaction_id: String(data.wallet_id), data })
  },
)

test.each(everywhere)(
  'a deposit of %s (%s) is a confirmed charge with source static',
  async (currency, chain, label) => {
    const { data: wallet } = await api.post(path, { currency, ...(chain === undefined ? {} : { chain }) })
    const before = await api.balance(currency)
    const payer = { name: 'Ana', document: '52998224725' }
    const deposited = await sandbox.trigger('wallet.deposit', wallet.wallet_id, { amount: '20', payer })
    expect(deposited.body.object).toMatchObject({
      type: 'cashin',
      source: 'static',
      status: 'confirmed',
      wallet_id: wallet.wallet_id,
    })
    await sandbox.settle()
    const [event] = sandbox.hooks.dataOf('cashin.confirmed')
    expect(event).toMatchObject({
      external_id: null,
      type: 'cashin',
      currency,
      source: 'static',
      network: label,
      status: 'confirmed',
      payer,
    })
    expect([Number(event.amount), Number(event.fee), Number(event.amount_net)]).toEqual([20, 0.2, 19.8])
    const { data: rows } = (await sandbox.control('GET', '/webhooks')).body
    expect(rows.map((row: { event: string; source: string | null }) => [row.event, row.source]).slice(0, 2)).toEqual([
      ['cashin.confirmed', 'static'],
      ['wallet.created', null],
    ])
    expect((await api.balance(currency)).available).toBeCloseTo(before.available + 19.8, 9)
  },
)

test('each call creates a new wallet, which takes any number of deposits', async () => {
  const [first, second] = [
    await api.post(path, { currency: 'USDT', chain: 'tron' }),
    await api.post(path, { currency: 'USDT', chain: 'tron' }),
  ]
  expect(second.data.wallet_id).not.toBe(first.data.wallet_id)
  expect(second.data.address).not.toBe(first.data.address)
  await sandbox.advance('365d')
  for (let n = 0; n < 3; n++)
    expect((await sandbox.trigger('wallet.deposit', first.data.wallet_id, { amount: 1 })).status).toBe(200)
  const missing = await sandbox.trigger('wallet.deposit', first.data.wallet_id)
  expect(missing.body.error).toMatchObject({ code: 'MISSING_REQUIRED_FIELD', details: { field: 'amount' } })
  expect((await sandbox.trigger('wallet.deposit', first.data.wallet_id, { amount: '0' })).code).toBe('INVALID_AMOUNT')
})

test('a deposit can be refunded like any charge', async () => {
  const { data } = await api.post(path, { currency: 'BRL' })
  const { body } = await sandbox.trigger('wallet.deposit', data.wallet_id, { amount: '50' })
  expect((await sandbox.trigger('cashin.refund', body.object.transaction_id)).body.object.status).toBe('refunded')
  await sandbox.settle()
  expect(sandbox.hooks.names()).toEqual(['wallet.created', 'cashin.confirmed', 'cashin.refunded'])
  const { body: whole } = await sandbox.control('GET', `/transactions/${body.object.transaction_id}`)
  expect(whole.history).toMatchObject([
    { action: 'deposit', from: null, to: 'confirmed' },
    { action: 'refund', from: 'confirmed', to: 'refunded' },
  ])
})

test('a wallet requires a currency, and a chain as a charge does', async () => {
  const refusals: [object, string][] = [
    [{}, 'MISSING_REQUIRED_FIELD'],
    [{ currency: 'EUR' }, 'INVALID_CURRENCY'],
    [{ currency: 'USDT' }, 'MISSING_REQUIRED_FIELD'],
    [{ currency: 'USDT', chain: 'bitcoin' }, 'UNSUPPORTED_CHAIN'],
    [{ currency: 'USDT', chain: 'arbitrum' }, 'UNSUPPORTED_CHAIN'],
    [{ currency: 'BRL', chain: 'tron' }, 'UNSUPPORTED_CHAIN'],
  ]
  for (const [body, code] of refusals) expect((await api.post(path, body)).code, JSON.stringify(body)).toBe(code)
})

test('wallet.created goes to the credential that made the call, signed with its own secret', async () => {
  const { body: second } = await sandbox.control('POST', '/accounts/merchant/credentials', {})
  expect(second.postback_url).toBeNull()
  await sandbox.control('PATCH', `/credentials/${second.client_id}`, {
    postback_url: sandbox.customerHooks.url,
    webhook_secret: 'whsec_sandbox_customer_0000000000000000000000000000000000000000',
  })
  const token = (await requestToken(sandbox.url, basicOf(second.client_id, second.client_secret))).body.access_token
  await clientWith(sandbox.url, token, second.signing_key).post(path, { currency: 'BRL' })
  await sandbox.settle()
  expect([sandbox.hooks.names(), sandbox.customerHooks.names()]).toEqual([[], ['wallet.created']])
})
