/** Charges of every currency and chain: response, payment, expiry, refund (§2.2, §3, §4.2, decisions 9 to 11, 15, 17, 18). */
import { describe, expect, test } from 'vitest'
import { isAddress } from '../../src/protocol/rails/chain.js'
import { isClabe } from '../../src/protocol/rails/spei.js'
import { crcOf, fieldsOf } from '../support/br-code.js'
import { chainPairs, currencies, currencyTypeOf, offsetMoment, scales } from '../support/interface.js'
import { openWithReceivers } from '../support/sandbox.js'
import { isTxHash } from '../support/tx-hash.js'

const amounts: Record<string, number> = {
  BRL: 25.5,
  MXN: 50.25,
  USDT: 10.01,
  USDC: 2,
  BTC: 0.0001,
  ETH: 0.123456,
  SOL: 1.5,
  BNB: 0.5,
}
const withMethod = [...chainPairs, ['BRL', undefined, 'PIX'], ['MXN', undefined, 'SPEI']] as const

/** Returns an amount and its 1 % fee as decimal strings, rounded half up at the currency's scale. */
function priced(currency: string): { amount: string; fee: string; net: string } {
  const scale = scales[currency] ?? 0
  const minor = BigInt(Math.round((amounts[currency] ?? 0) * 10 ** scale))
  const fee = (minor + 50n) / 100n
  const text = (value: bigint) => {
    const digits = value.toString().padStart(scale + 1, '0')
    return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  }
  return { amount: text(minor), fee: text(fee), net: text(minor - fee) }
}

describe('a charge', () => {
  test('in BRL carries a real BR Code with the right checksum, amount and expiry', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const { now } = (await sandbox.control('GET', '/clock')).body
    const { status, data } = await api.cashin({ amount: 25.5, currency: 'BRL', external_id: 'order-1' })
    expect(status).toBe(200)
    expect(data).toEqual({
      transaction_id: expect.any(String),
      external_id: 'order-1',
      currency: 'BRL',
      amount: 25.5,
      fee: 0.26,
      payment_method: 'pix',
      payment_info: { qrcode: expect.any(String), expiration: 3600, expires_at: expect.stringMatching(offsetMoment) },
      status: 'pending',
      postback_url: sandbox.hooks.url,
      created_at: expect.stringMatching(offsetMoment),
    })
    expect(Date.parse(data.created_at)).toBe(Date.parse(now))
    expect(Date.parse(data.payment_info.expires_at) - Date.parse(data.created_at)).toBe(3600_000)
    const { qrcode } = data.payment_info
    expect(qrcode.slice(-4)).toBe(crcOf(qrcode.slice(0, -4)))
    const fields = fieldsOf(qrcode)
    expect(fields).toMatchObject({ '00': '01', '53': '986', '54': '25.50', '58': 'BR', '59': 'Merchant Demo Ltda' })
    const account = fieldsOf(fields['26'] ?? '')
    expect(account['00']?.toLowerCase()).toBe('br.gov.bcb.pix')
    expect(account['25']).toMatch(/^[^:]+\/[A-Za-z0-9]{26,35}$/)
  })

  test('in MXN carries a CLABE with a right check digit, and does not expire', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const { data } = await api.cashin({ amount: 50.25, currency: 'MXN' })
    expect(data).toMatchObject({
      external_id: null,
      currency: 'MXN',
      amount: 50.25,
      payment_method: 'spei',
      status: 'pending',
    })
    expect(Object.keys(data.payment_info).sort()).toEqual([
      'bank_code',
      'bank_name',
      'beneficiary_name',
      'clabe',
      'reference',
    ])
    expect(isClabe(data.payment_info.clabe)).toBe(true)
    expect(data.payment_info.beneficiary_name).toBe('Merchant Demo Ltda')
    await sandbox.advance('30d')
    expect((await sandbox.control('GET', `/transactions/${data.transaction_id}`)).body.status).toBe('pending')
    expect(sandbox.hooks.names()).toEqual([])
  })

  test.each(chainPairs)('in %s on %s carries a valid address for 30 minutes', async (currency, chain, label) => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const { status, data } = await api.cashin({ amount: amounts[currency], currency, chain })
    expect(status).toBe(200)
    expect(data).toMatchObject({ currency, amount: amounts[currency], payment_method: 'crypto', status: 'pending' })
    const info = data.payment_info
    const keys = ['address', 'chain', 'expiration', 'expires_at', 'min_confirmations', 'network']
    expect(Object.keys(info).sort()).toEqual(keys)
    expect(info).toMatchObject({ chain, network: label, expiration: 1800 })
    expect(info.expires_at).toMatch(offsetMoment)
    expect(Number.isInteger(info.min_confirmations) && info.min_confirmations > 0).toBe(true)
    expect(isAddress(chain, info.address)).toBe(true)
    await sandbox.advance('1799999ms')
    expect((await sandbox.control('GET', `/transactions/${data.transaction_id}`)).body.status).toBe('pending')
    await sandbox.advance('1ms')
    expect((await sandbox.control('GET', `/transactions/${data.transaction_id}`)).body.status).toBe('expired')
    expect(sandbox.hooks.names()).toEqual([])
  })

  test('has its own id and address each time', async () => {
    const api = await (await openWithReceivers()).api()
    const charges = await Promise.all(
      Array.from({ length: 20 }, () => api.cashin({ amount: 5, currency: 'USDT', chain: 'tron' })),
    )
    expect(new Set(charges.map(({ data }) => data.transaction_id)).size).toBe(20)
    expect(new Set(charges.map(({ data }) => data.payment_info.address)).size).toBe(20)
  })
})

describe('cashin.pay', () => {
  test.each(withMethod)(
    'credits the net amount of a charge in %s (%s) and sends cashin.confirmed over %s',
    async (currency, chain, label) => {
      const sandbox = await openWithReceivers()
      const api = await sandbox.api()
      const before = await api.balance(currency)
      const payer = { name: 'Zé da Silva', document: '529.982.247-25' }
      const charge = {
        amount: amounts[currency],
        currency,
        external_id: 'o-1',
        payer,
        ...(chain === undefined ? {} : { chain }),
      }
      const { data } = await api.cashin(charge)
      const paid = await sandbox.trigger('cashin.pay', data.transaction_id)
      expect(paid.body.object).toMatchObject({ transaction_id: data.transaction_id, status: 'confirmed' })
      await sandbox.settle()
      const { amount, fee, net } = priced(currency)
      const [event] = sandbox.hooks.dataOf('cashin.confirmed')
      expect(event).toMatchObject({
        transaction_id: data.transaction_id,
        external_id: 'o-1',
        type: 'cashin',
        currency,
        currency_type: currencyTypeOf(currency),
        amount,
        fee,
        amount_net: net,
        status: 'confirmed',
        source: 'dynamic_qr',
        network: label,
        payer: { name: 'Zé da Silva', document: '52998224725' },
      })
      expect(Number(event.old_balance)).toBe(before.available)
      expect(Number(event.new_balance)).toBe((await api.balance(currency)).available)
      expect(Number(event.new_balance) - Number(event.old_balance)).toBeCloseTo(Number(net), 9)
      if (currency === 'BRL') expect(event.e2e_id).toMatch(/^E[0-9A-Z]{8}\d{12}[a-zA-Z0-9]{11}$/)
      else expect(event).not.toHaveProperty('e2e_id')
      if (chain !== undefined) expect(isTxHash(chain, event.hash)).toBe(true)
      if (currency === 'MXN') expect(event.tracking_key).toMatch(/^[A-Za-z0-9]{1,30}$/)
    },
  )

  test('takes a payer and a hash, and for crypto and SPEI an amount other than the requested one', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const { data } = await api.cashin({ amount: 10, currency: 'USDT', chain: 'tron' })
    const hash = 'ab'.repeat(32)
    const payer = { name: 'Ana', document: '52998224725' }
    const paid = await sandbox.trigger('cashin.pay', data.transaction_id, { amount: '7.50', hash, payer })
    expect(paid.body.object).toMatchObject({ amount: '7.50', fee: '0.08', status: 'confirmed' })
    const spei = (await api.cashin({ amount: 50, currency: 'MXN' })).data
    await sandbox.trigger('cashin.pay', spei.transaction_id, { amount: 60.5 })
    await sandbox.settle()
    const [usdt, mxn] = sandbox.hooks.dataOf('cashin.confirmed')
    expect(usdt).toMatchObject({ amount: '7.50', fee: '0.08', amount_net: '7.42', hash, payer })
    expect(mxn).toMatchObject({ amount: '60.50', amount_net: '59.89', payer: { name: null, document: null } })
    expect(await api.balance('USDT')).toEqual({ available: 1007.42, blocked: 0, pending: 0 })
    const pix = (await api.cashin({ amount: 10, currency: 'BRL' })).data
    const refused = await sandbox.trigger('cashin.pay', pix.transaction_id, { amount: 9 })
    expect([refused.status, refused.code]).toEqual([422, 'INVALID_AMOUNT'])
  })

  test('is possible once: a second payment is 409 INVALID_TRANSITION and sends nothing', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const { data } = await api.cashin({ amount: 10, currency: 'BRL' })
    expect((await sandbox.trigger('cashin.pay', data.transaction_id)).status).toBe(200)
    const again = await sandbox.trigger('cashin.pay', data.transaction_id)
    expect([again.status, again.code]).toEqual([409, 'INVALID_TRANSITION'])
    expect(again.body.error.details).toMatchObject({
      from: 'confirmed',
      action: 'cashin.pay',
      allowed: ['cashin.refund', 'dispute.open'],
    })
    await sandbox.settle()
    expect(sandbox.hooks.names()).toEqual(['cashin.confirmed'])
    expect(await api.balance('BRL')).toMatchObject({ available: 10009.9 })
  })
})

describe('cashin.expire', () => {
  test('happens automatically to a PIX charge after 3600 seconds, credits nothing, and sends cashin.expired', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const { data } = await api.cashin({ amount: 10, currency: 'BRL', external_id: 'late' })
    await sandbox.advance('3599999ms')
    expect(sandbox.hooks.names()).toEqual([])
    await sandbox.advance('1ms')
    const [event] = sandbox.hooks.dataOf('cashin.expired')
    expect(event).toEqual({
      transaction_id: data.transaction_id,
      external_id: 'late',
      currency: 'BRL',
      amount: '10.00',
      status: 'expired',
      expired_at: new Date(Date.parse(data.payment_info.expires_at)).toISOString(),
    })
    expect(await (await sandbox.api()).balance('BRL')).toEqual({ available: 10000, blocked: 0, pending: 0 })
    const late = await sandbox.trigger('cashin.pay', data.transaction_id)
    expect(late.code).toBe('INVALID_TRANSITION')
    expect(late.body.error.details).toMatchObject({ from: 'expired', allowed: [] })
  })

  test('does not happen to a paid charge, and can be triggered earlier', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const paid = (await api.cashin({ amount: 10, currency: 'BRL' })).data.transaction_id
    await sandbox.trigger('cashin.pay', paid)
    const asked = (await api.cashin({ amount: 11, currency: 'BRL' })).data.transaction_id
    expect((await sandbox.trigger('cashin.expire', asked)).body.object.status).toBe('expired')
    await sandbox.advance('2h')
    expect(sandbox.hooks.names()).toEqual(['cashin.confirmed', 'cashin.expired'])
    expect((await sandbox.control('GET', `/transactions/${paid}`)).body.status).toBe('confirmed')
  })

  test('happens at the configured time', async () => {
    const sandbox = await openWithReceivers({ pixChargeLifeMs: 90_000 })
    const { data } = await (await sandbox.api()).cashin({ amount: 10, currency: 'BRL' })
    expect(data.payment_info.expiration).toBe(90)
    await sandbox.advance(90)
    expect(sandbox.hooks.names()).toEqual(['cashin.expired'])
  })
})

describe('cashin.refund', () => {
  test('debits the gross amount, keeps the fee, and sends cashin.refunded under a new id', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const { data } = await api.cashin({ amount: 100, currency: 'BRL', external_id: 'r1' })
    await sandbox.trigger('cashin.pay', data.transaction_id)
    await sandbox.trigger('cashin.refund', data.transaction_id)
    await sandbox.settle()
    const [event] = sandbox.hooks.dataOf('cashin.refunded')
    expect(event).toMatchObject({
      original_transaction_id: data.transaction_id,
      external_id: 'r1',
      currency: 'BRL',
      amount: '100.00',
      amount_refunded: '100.00',
      status: 'refunded',
      reason: 'PROVIDER_REVERSAL',
      old_balance: '10099.00',
      new_balance: '9999.00',
    })
    expect(event.transaction_id).not.toBe(data.transaction_id)
    expect(await api.balance('BRL')).toEqual({ available: 9999, blocked: 0, pending: 0 })
  })

  test('takes an amount and a reason, may make available negative, and is possible once', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    const { data } = await api.cashin({ amount: 100, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', data.transaction_id)
    await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '10.00' })
    const over = await sandbox.trigger('cashin.refund', data.transaction_id, { amount: '100.01' })
    expect([over.status, over.code]).toEqual([422, 'INVALID_AMOUNT'])
    await sandbox.trigger('cashin.refund', data.transaction_id, { amount: '60', reason: 'GOODS_RETURNED' })
    await sandbox.settle()
    const [event] = sandbox.hooks.dataOf('cashin.refunded')
    expect(event).toMatchObject({
      amount: '100.00',
      amount_refunded: '60.00',
      reason: 'GOODS_RETURNED',
      new_balance: '-50.00',
    })
    expect((await api.balance('BRL')).available).toBe(-50)
    expect((await sandbox.trigger('cashin.refund', data.transaction_id)).code).toBe('INVALID_TRANSITION')
  })

  test.each(['cashin.refund', 'dispute.open'])(
    'refunds %s in part up to the full amount, and not one cent more',
    async (action) => {
      const sandbox = await openWithReceivers()
      const api = await sandbox.api()
      const { data } = await api.cashin({ amount: 100, currency: 'BRL' })
      await sandbox.trigger('cashin.pay', data.transaction_id)
      expect((await sandbox.trigger(action, data.transaction_id, { amount: '100.01' })).code).toBe('INVALID_AMOUNT')
      expect((await sandbox.trigger(action, data.transaction_id, { amount: '100.00' })).status).toBe(200)
      expect((await api.balance('BRL')).available).toBe(9999)
    },
  )
})

test('charges of the smallest amount and of many digits are exact in every currency', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const precise: Record<string, string> = {
    BRL: '19.99',
    MXN: '10.01',
    USDT: '2.07',
    USDC: '49999.99',
    BTC: '0.12345678',
    ETH: '1.00000001',
    SOL: '999.123456789',
    BNB: '0.00100001',
  }
  for (const currency of currencies) {
    const chain = chainPairs.find(([name]) => name === currency)?.[1]
    const body = `{"amount":${precise[currency]},"currency":"${currency}"${chain === undefined ? '' : `,"chain":"${chain}"`}}`
    const { data, text } = await api.post('/v2/transactions/cashin', body)
    expect(text).toContain(`"amount":${Number(precise[currency])},`)
    await sandbox.trigger('cashin.pay', data.transaction_id)
  }
  await sandbox.settle()
  const reported = Object.fromEntries(
    sandbox.hooks.dataOf('cashin.confirmed').map((event) => [event.currency, event.amount]),
  )
  expect(reported).toEqual(precise)
})

test('a balance can be as far below zero as above it', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const [currency, most] = ['USDT', '9999999999999.99']
  const limits = [{ currency, operation: 'cashin', max_amount: most, daily_limit: most }]
  const fees = [{ currency, operation: 'cashin', fixed: '0', percent: '0' }]
  await sandbox.control('PATCH', '/accounts/merchant', { limits, fees })
  const empty = () => sandbox.control('PUT', '/accounts/merchant/balances', { [currency]: '0' })
  await empty()
  const { data } = await api.cashin({ amount: Number(most), currency, chain: 'tron' })
  expect((await sandbox.trigger('cashin.pay', data.transaction_id)).status).toBe(200)
  await empty()
  expect((await sandbox.trigger('cashin.refund', data.transaction_id)).status).toBe(200)
  const { body } = await sandbox.control('GET', '/accounts/merchant')
  expect(body.balances[currency].available).toBe(`-${most}`)
})
