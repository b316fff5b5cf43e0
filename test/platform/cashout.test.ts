/** Withdrawals of every currency and network: response, balance, settlement, destinations, failures, refunds (§3, §6.5, decisions 10, 18 to 20). */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Api } from '../support/client.js'
import {
  chainPairs,
  currencies,
  currencyTypeOf,
  failureCodes,
  offsetMoment,
  secondLayers,
} from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { isTxHash } from '../support/tx-hash.js'
import vectors from '../vectors.json' with { type: 'json' }

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const evm = vectors.address_evm.valid[0]?.value ?? ''
const clabe = vectors.clabe.valid[0]?.value ?? ''
const destinations: Record<string, string> = {
  tron: vectors.address_tron.valid[0]?.value ?? '',
  solana: vectors.address_solana.valid[0]?.value ?? '',
  bitcoin: vectors.address_bitcoin.valid[0]?.value ?? '',
}
const amounts: Record<string, number> = {
  BRL: 100,
  MXN: 50.5,
  USDT: 10,
  USDC: 2.5,
  BTC: 0.001,
  ETH: 0.5,
  SOL: 1.123456789,
  BNB: 0.25,
}
const fees: Record<string, number> = {
  BRL: 1,
  MXN: 5,
  USDT: 1,
  USDC: 1,
  BTC: 0.0001,
  ETH: 0.001,
  SOL: 0.001,
  BNB: 0.0005,
}
const everywhere = [...chainPairs, ...secondLayers, ['BRL', undefined, 'PIX'], ['MXN', undefined, 'SPEI']] as const

const destinationOf = (currency: string, network: string | undefined) =>
  currency === 'BRL' ? 'maria@example.com' : currency === 'MXN' ? clabe : (destinations[network ?? ''] ?? evm)
const withdrawal = (currency: string, network?: string, more: object = {}) => ({
  external_id: `w-${currency}-${network}`,
  amount: amounts[currency],
  currency,
  key: destinationOf(currency, network),
  ...(network === undefined ? {} : { network }),
  ...more,
})
const close = (value: number) => Number(value.toFixed(9))

describe('a withdrawal', () => {
  test.each(everywhere)(
    'in %s over %s (%s) is 202, sets amount and fee aside, and settles after 2 s',
    async (currency, network, label) => {
      const amount = amounts[currency] ?? 0
      const fee = fees[currency] ?? 0
      const before = await api.balance(currency)
      const body = withdrawal(currency, network)
      const { status, data } = await api.cashout(body)
      expect(status).toBe(202)
      expect(data).toEqual({
        transaction_id: expect.any(String),
        external_id: body.external_id,
        type: 'cashout',
        currency,
        network: label,
        amount,
        fee,
        wallet: body.key,
        key_type: currency === 'BRL' ? 'email' : null,
        status: 'pending',
        created_at: expect.stringMatching(offsetMoment),
      })
      expect(await api.balance(currency)).toEqual({
        available: close(before.available - amount - fee),
        blocked: 0,
        pending: close(amount + fee),
      })
      await sandbox.advance('1999ms')
      expect(sandbox.hooks.names()).toEqual([])
      await sandbox.advance('1ms')
      const [event] = sandbox.hooks.dataOf('cashout.confirmed')
      expect(event).toMatchObject({
        transaction_id: data.transaction_id,
        external_id: body.external_id,
        type: 'cashout',
        currency,
        currency_type: currencyTypeOf(currency),
        network: label,
        status: 'confirmed',
        wallet: body.key,
        key_type: data.key_type,
      })
      expect([Number(event.amount), Number(event.fee)]).toEqual([amount, fee])
      if (currency === 'BRL') expect(event.hash).toMatch(/^E[0-9A-Z]{8}\d{12}[a-zA-Z0-9]{11}$/)
      if (network !== undefined) expect(isTxHash(network, event.hash)).toBe(true)
      expect(await api.balance(currency)).toEqual({
        available: close(before.available - amount - fee),
        blocked: 0,
        pending: 0,
      })
    },
  )

  test('names its network unless its currency has only one', async () => {
    for (const currency of ['BTC', 'SOL', 'BNB'])
      expect(
        (
          await api.cashout({
            ...withdrawal(currency, chainPairs.find(([name]) => name === currency)?.[1]),
            network: undefined,
          })
        ).status,
      ).toBe(202)
    for (const currency of ['USDT', 'USDC', 'ETH']) {
      const { status, code, body } = await api.cashout({ ...withdrawal(currency, 'ethereum'), network: undefined })
      expect([status, code, body.error.details.field]).toEqual([400, 'MISSING_REQUIRED_FIELD', 'network'])
    }
  })

  test('over an unsupported network is 422 UNSUPPORTED_CHAIN with the supported ones', async () => {
    const all = [
      'tron',
      'ethereum',
      'bsc',
      'polygon',
      'solana',
      'bitcoin',
      'arbitrum',
      'base',
      'optimism',
      'Tron',
      'lightning',
    ]
    for (const currency of currencies) {
      const pairs = [...chainPairs, ...secondLayers].filter(([name]) => name === currency)
      const supported = pairs.map(([, network]) => network as string)
      for (const network of all.filter((name) => !supported.includes(name))) {
        const { status, code, body } = await api.cashout(withdrawal(currency, network))
        expect([status, code], `${currency} ${network}`).toEqual([422, 'UNSUPPORTED_CHAIN'])
        if (all.indexOf(network) < 9) expect(body.error.details.supported.sort()).toEqual(supported.toSorted())
      }
    }
  })

  test.each(['external_id', 'amount', 'currency', 'key'])('requires %s: 400 MISSING_REQUIRED_FIELD', async (field) => {
    for (const value of [undefined, null]) {
      const { status, code, body } = await api.cashout({ ...withdrawal('BRL'), [field]: value })
      expect([status, code, body.error.details.field]).toEqual([400, 'MISSING_REQUIRED_FIELD', field])
    }
  })

  test('is 422 INSUFFICIENT_BALANCE when the balance does not cover it with its fee, and changes nothing', async () => {
    const { status, code, body } = await api.cashout({ ...withdrawal('BRL'), amount: 9999.01 })
    expect([status, code]).toEqual([422, 'INSUFFICIENT_BALANCE'])
    expect(body.error.details).toMatchObject({ available: 10000, required: 10000.01 })
    expect(await api.balance('BRL')).toEqual({ available: 10000, blocked: 0, pending: 0 })
    expect((await api.cashout({ ...withdrawal('BRL'), amount: 9999 })).status).toBe(202)
    expect(await api.balance('BRL')).toEqual({ available: 0, blocked: 0, pending: 10000 })
  })

  test('checks minimum, maximum and daily limit before the balance', async () => {
    const limits = [{ currency: 'BRL', operation: 'cashout', max_amount: '20000', daily_limit: '20000.50' }]
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    const of = (amount: number, id = String(amount)) => api.cashout({ ...withdrawal('BRL'), amount, external_id: id })
    expect((await of(0.99)).body.error).toMatchObject({ code: 'BELOW_MIN_LIMIT', details: { min_amount: 1 } })
    expect((await of(20000.01)).body.error).toMatchObject({ code: 'EXCEEDS_MAX_LIMIT', details: { max_amount: 20000 } })
    expect((await of(19000)).code).toBe('INSUFFICIENT_BALANCE')
    expect((await of(1000)).status).toBe(202)
    expect((await of(19000.51)).code).toBe('LIMIT_EXCEEDED')
  })

  test('stays pending if the configuration says manual', async () => {
    const other = await openWithReceivers({ cashoutSettle: 'manual' })
    const { data } = await (await other.api()).cashout(withdrawal('BRL'))
    await other.advance('30d')
    expect((await other.control('GET', `/transactions/${data.transaction_id}`)).body.status).toBe('pending')
    expect((await other.trigger('cashout.confirm', data.transaction_id)).status).toBe(200)
  })

  test('stores name, bank_code and description, and sends them in its events', async () => {
    const { data } = await api.cashout(
      withdrawal('BRL', undefined, { name: 'Maria', bank_code: '001', description: 'rent' }),
    )
    expect(data.status).toBe('pending')
    await sandbox.advance(2)
    const [event] = sandbox.hooks.dataOf('cashout.confirmed')
    expect(event.receiver).toEqual({ name: 'Maria', document: null, bank: '001' })
  })
})

describe('the PIX key', () => {
  const keys = [
    ['52998224725', 'cpf'],
    ['11222333000181', 'cnpj'],
    ['12ABC34501DE35', 'cnpj'],
    ['maria@example.com', 'email'],
    ['+5511987654321', 'phone'],
    ['123e4567-e89b-42d3-a456-426614174000', 'random'],
  ] as const

  test.each(keys)('%s is taken as %s, named or inferred', async (key, type) => {
    const inferred = await api.cashout(withdrawal('BRL', undefined, { key, external_id: 'a' }))
    const named = await api.cashout(withdrawal('BRL', undefined, { key, key_type: type, external_id: 'b' }))
    expect([inferred.data.key_type, named.data.key_type]).toEqual([type, type])
    await sandbox.advance(2)
    expect(sandbox.hooks.names()).toEqual(['cashout.confirmed', 'cashout.confirmed'])
  })

  test.each([
    ['52998224726', 'cpf'],
    ['maria@example.com', 'cpf'],
    ['11222333000182', 'cnpj'],
    ['maria at example', 'email'],
    ['+551198765432', 'phone'],
    ['123e4567', 'random'],
    ['nothing at all', undefined],
  ] as const)('%s as %s is accepted and fails by event with PIX_KEY_NOT_FOUND', async (key, key_type) => {
    expect((await api.cashout(withdrawal('BRL', undefined, { key, key_type }))).status).toBe(202)
    await sandbox.advance(2)
    const [event] = sandbox.hooks.dataOf('cashout.failed')
    expect(event).toMatchObject({
      error_code: 'PIX_KEY_NOT_FOUND',
      status: 'failed',
      wallet: key,
      refunded_amount: '101.00',
    })
    expect(await api.balance('BRL')).toEqual({ available: 10000, blocked: 0, pending: 0 })
  })

  test('with an unknown type is 422 INVALID_VALUE', async () => {
    const { code, body } = await api.cashout(withdrawal('BRL', undefined, { key_type: 'CPF' }))
    expect([code, body.error.details.field]).toEqual(['INVALID_VALUE', 'key_type'])
  })
})

test.each([
  ['USDT', 'tron', vectors.address_tron.invalid[0]?.value],
  ['USDT', 'tron', evm],
  ['ETH', 'ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'.replace('5aAe', '5AAe')],
  ['ETH', 'base', destinations.tron],
  ['SOL', 'solana', vectors.address_solana.invalid[0]?.value],
  ['BTC', 'bitcoin', vectors.address_bitcoin.invalid[0]?.value],
  ['BNB', 'bsc', 'bnb1nothing'],
  ['MXN', undefined, vectors.clabe.invalid[0]?.value],
])(
  'a withdrawal in %s over %s to %s is accepted and fails by event with INVALID_ADDRESS',
  async (currency, network, key) => {
    const before = await api.balance(currency)
    expect((await api.cashout(withdrawal(currency, network, { key }))).status).toBe(202)
    await sandbox.advance(2)
    const [event] = sandbox.hooks.dataOf('cashout.failed')
    expect(event).toMatchObject({ error_code: 'INVALID_ADDRESS', wallet: key, currency })
    expect(await api.balance(currency)).toEqual(before)
  },
)

describe('cashout.fail', () => {
  /** The codes of each rail, as §6.5 describes them. */
  const ofChain = failureCodes.filter((code) => !['PIX_KEY_NOT_FOUND', 'PROVIDER_TIMEOUT'].includes(code))
  const possible: [currency: string, network: string | undefined, codes: readonly string[]][] = [
    ['USDT', 'tron', ofChain],
    ['ETH', 'base', ofChain.filter((code) => code !== 'TRON_ENERGY_FAIL')],
    ['BRL', undefined, ['BLACKLISTED', 'PIX_KEY_NOT_FOUND', 'PROVIDER_TIMEOUT', 'UNKNOWN']],
    ['MXN', undefined, ['INVALID_ADDRESS', 'BLACKLISTED', 'PROVIDER_TIMEOUT', 'UNKNOWN']],
  ]

  test.each(possible)(
    'returns amount and fee in %s over %s, for each reason of its rail and no other',
    async (currency, network, codes) => {
      const before = await api.balance(currency)
      for (const errorCode of failureCodes) {
        const { data } = await api.cashout(withdrawal(currency, network, { external_id: errorCode }))
        const failed = await sandbox.trigger('cashout.fail', data.transaction_id, { error_code: errorCode })
        if (codes.includes(errorCode)) {
          expect(failed.body.object).toMatchObject({ status: 'failed', error_code: errorCode })
          continue
        }
        expect([failed.status, failed.code], errorCode).toEqual([422, 'INVALID_VALUE'])
        expect(failed.body.error.details).toMatchObject({ field: 'error_code' })
        expect([...failed.body.error.details.supported].sort()).toEqual([...codes].sort())
        await sandbox.trigger('cashout.fail', data.transaction_id)
      }
      await sandbox.settle()
      const reported = sandbox.hooks.dataOf('cashout.failed')
      expect(reported).toHaveLength(failureCodes.length)
      expect(new Set(reported.map((event) => event.error_code))).toEqual(new Set(codes))
      for (const event of reported) expect(event).toMatchObject({ type: 'cashout', currency, status: 'failed' })
      expect(await api.balance(currency)).toEqual(before)
    },
  )

  test('sends the withdrawal in full, with amount and fee together', async () => {
    const { data } = await api.cashout(withdrawal('USDT', 'tron'))
    await sandbox.trigger('cashout.fail', data.transaction_id, { error_code: 'BROADCAST_FAIL' })
    await sandbox.settle()
    expect(sandbox.hooks.dataOf('cashout.failed')).toMatchObject([
      {
        transaction_id: data.transaction_id,
        external_id: data.external_id,
        currency: 'USDT',
        network: 'TRC20',
        amount: '10.00',
        wallet: data.wallet,
        refunded_amount: '11.00',
      },
    ])
  })

  test('has the default reason UNKNOWN, takes a message, and rejects other codes', async () => {
    const first = (await api.cashout(withdrawal('BRL', undefined, { external_id: '1' }))).data.transaction_id
    const second = (await api.cashout(withdrawal('BRL', undefined, { external_id: '2' }))).data.transaction_id
    await sandbox.trigger('cashout.fail', first)
    const refused = await sandbox.trigger('cashout.fail', second, { error_code: 'NONSENSE' })
    expect([refused.status, refused.code]).toEqual([422, 'INVALID_VALUE'])
    await sandbox.trigger('cashout.fail', second, { error_code: 'BLACKLISTED', error_message: 'on a list' })
    await sandbox.settle()
    const [unknown, listed] = sandbox.hooks.dataOf('cashout.failed')
    expect(unknown.error_code).toBe('UNKNOWN')
    expect(listed).toMatchObject({ error_code: 'BLACKLISTED', error_message: 'on a list' })
    expect((await sandbox.trigger('cashout.confirm', first)).body.error.details).toMatchObject({
      from: 'failed',
      allowed: [],
    })
  })
})

test('cashout.confirm takes a hash and a receiver, and is possible once', async () => {
  const { data } = await api.cashout(withdrawal('BRL'))
  const hash = 'E00000000202611211200abcdefghijk'
  const receiver = { name: 'Maria', document: '52998224725', bank: 'Banco' }
  await sandbox.trigger('cashout.confirm', data.transaction_id, { hash, receiver })
  await sandbox.advance(10)
  expect(sandbox.hooks.names()).toEqual(['cashout.confirmed'])
  expect(sandbox.hooks.dataOf('cashout.confirmed')[0]).toMatchObject({ hash, receiver })
  const again = await sandbox.trigger('cashout.fail', data.transaction_id)
  expect(again.body.error.details).toMatchObject({
    from: 'confirmed',
    action: 'cashout.fail',
    allowed: ['cashout.refund'],
  })
})

test('a withdrawal that is confirmed without a receiver names the bank of its CLABE', async () => {
  const { data } = await api.cashout(withdrawal('MXN', undefined, { key: '012180004412345678' }))
  await sandbox.trigger('cashout.confirm', data.transaction_id)
  await sandbox.settle()
  const receiver = { name: null, document: null, bank: 'BBVA Mexico' }
  expect(sandbox.hooks.dataOf('cashout.confirmed')[0].receiver).toEqual(receiver)
})

test('cashout.refund credits the amount in full or in part, keeps the fee, and sends cashout.refunded', async () => {
  const ids: string[] = []
  for (const id of ['1', '2'])
    ids.push((await api.cashout(withdrawal('BRL', undefined, { external_id: id }))).data.transaction_id)
  expect((await sandbox.trigger('cashout.refund', ids[0])).code).toBe('INVALID_TRANSITION')
  await sandbox.advance(2)
  await sandbox.trigger('cashout.refund', ids[0])
  expect((await sandbox.trigger('cashout.refund', ids[1], { amount: 100.01 })).code).toBe('INVALID_AMOUNT')
  await sandbox.trigger('cashout.refund', ids[1], { amount: '40', reason: 'ACCOUNT_CLOSED' })
  await sandbox.settle()
  const [whole, part] = sandbox.hooks.dataOf('cashout.refunded')
  expect(whole).toMatchObject({
    original_transaction_id: ids[0],
    external_id: '1',
    currency: 'BRL',
    network: 'PIX',
    amount: '100.00',
    amount_refunded: '100.00',
    status: 'refunded',
  })
  expect(whole.transaction_id).not.toBe(ids[0])
  expect(part).toMatchObject({ amount: '100.00', amount_refunded: '40.00', reason: 'ACCOUNT_CLOSED' })
  expect(await api.balance('BRL')).toEqual({ available: 10000 - 202 + 140, blocked: 0, pending: 0 })
})

describe('the legacy PIX payment', () => {
  const path = '/v2/pix/payment'
  const body = {
    amount: 10,
    external_id: 'l1',
    description: 'rent',
    creditParty: { name: 'Maria', keyType: 'cpf', key: '52998224725', taxId: '529.982.247-25' },
  }

  test('is a PIX withdrawal in another format', async () => {
    const { status, data } = await api.signed(path, body)
    expect(status).toBe(202)
    expect(data).toMatchObject({
      external_id: 'l1',
      type: 'cashout',
      currency: 'BRL',
      network: 'PIX',
      amount: 10,
      fee: 1,
      wallet: '52998224725',
      key_type: 'cpf',
      status: 'pending',
    })
    expect(await api.balance('BRL')).toEqual({ available: 9989, blocked: 0, pending: 11 })
    await sandbox.advance(2)
    const [event] = sandbox.hooks.dataOf('cashout.confirmed')
    expect(event).toMatchObject({
      external_id: 'l1',
      currency: 'BRL',
      network: 'PIX',
      receiver: { name: 'Maria', document: '52998224725', bank: null },
    })
  })

  test('requires amount and creditParty with its key, and validates them', async () => {
    const { creditParty } = body
    const refusals: [object, string, string][] = [
      [{ creditParty }, 'MISSING_REQUIRED_FIELD', 'amount'],
      [{ amount: 10 }, 'MISSING_REQUIRED_FIELD', 'creditParty'],
      [{ amount: 10, creditParty: { name: 'x' } }, 'MISSING_REQUIRED_FIELD', 'creditParty.key'],
      [{ amount: 10, creditParty: 5 }, 'INVALID_VALUE', 'creditParty'],
      [{ amount: 10, creditParty: { ...creditParty, keyType: 'x' } }, 'INVALID_VALUE', 'creditParty.keyType'],
      [{ amount: 10, creditParty: { ...creditParty, taxId: '1' } }, 'INVALID_VALUE', 'creditParty.taxId'],
      [{ amount: '10', creditParty }, 'INVALID_AMOUNT', 'amount'],
    ]
    for (const [given, expected, field] of refusals) {
      const { code, body: answer } = await api.signed(path, given)
      expect([code, answer.error.details.field], JSON.stringify(given)).toEqual([expected, field])
    }
    expect((await api.signed(path, { ...body, amount: 0.5 })).code).toBe('BELOW_MIN_LIMIT')
    expect((await api.signed(path, { ...body, amount: 10_000 })).code).toBe('INSUFFICIENT_BALANCE')
  })

  test('to a key that does not match its type fails by event', async () => {
    await api.signed(path, { ...body, creditParty: { key: 'maria@example.com', keyType: 'cpf' } })
    await sandbox.advance(2)
    expect(sandbox.hooks.dataOf('cashout.failed')[0]).toMatchObject({ error_code: 'PIX_KEY_NOT_FOUND' })
  })
})

test('details.supported of a wrong network is the same list for an unknown network and for one of another currency', async () => {
  for (const currency of ['BRL', 'MXN', 'USDT', 'USDC', 'BTC', 'ETH', 'SOL', 'BNB']) {
    const networks = new Set([
      ...chainPairs.filter(([name]) => name === currency).map(([, chain]) => chain),
      ...secondLayers.filter(([name]) => name === currency).map(([, network]) => network),
    ])
    for (const network of ['nope', 'TRON', currency === 'BTC' ? 'tron' : 'bitcoin']) {
      const { status, body } = await api.cashout({ external_id: 'x', amount: 5, currency, key: 'k', network })
      expect([status, body.error.code], `${currency} ${network}`).toEqual([422, 'UNSUPPORTED_CHAIN'])
      expect(new Set(body.error.details.supported), `${currency} ${network}`).toEqual(networks)
    }
    const chains = chainPairs.filter(([name]) => name === currency).map(([, chain]) => chain)
    for (const chain of ['nope', 'arbitrum', currency === 'BTC' ? 'tron' : 'bitcoin']) {
      const { body } = await api.cashin({ amount: 5, currency, chain })
      expect([body.error.code, body.error.details.supported], `${currency} ${chain}`).toEqual([
        'UNSUPPORTED_CHAIN',
        chains,
      ])
    }
  }
})
