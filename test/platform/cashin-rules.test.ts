/** Rules for charges: amounts, chains, payer documents, postback URLs, splits, and the rate limit (§4.2, decisions 7, 8, 14, 16, 31). */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Api } from '../support/client.js'
import { chainPairs, currencies } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import vectors from '../vectors.json' with { type: 'json' }

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const path = '/v2/transactions/cashin'
const chainFor = (currency: string) => chainPairs.find(([name]) => name === currency)?.[1]
/** The body of a charge with exactly this text as the amount. */
const charge = (amount: string, currency = 'BRL') => {
  const chain = chainFor(currency)
  return api.post(
    path,
    `{"amount":${amount},"currency":"${currency}"${chain === undefined ? '' : `,"chain":"${chain}"`}}`,
  )
}

describe('the amount of a charge', () => {
  test.each([
    '"10"',
    '"abc"',
    '0',
    '-1',
    '-0',
    '0.00',
    '1.001',
    '0.30000000000000004',
    '1e400',
    '-1e400',
    '1e-9',
    'true',
    '[]',
    '{}',
  ])('is 422 INVALID_AMOUNT as %s', async (amount) => {
    const { status, code } = await charge(amount)
    expect([status, code]).toEqual([422, 'INVALID_AMOUNT'])
  })

  test.each(['NaN', 'Infinity', '+1', '01', '1.', '.5', '0x10', "'1'"])('is 400 INVALID_JSON as %s', async (amount) => {
    const { status, code } = await charge(amount)
    expect([status, code]).toEqual([400, 'INVALID_JSON'])
  })

  test.each([
    ['1', 1],
    ['1.0', 1],
    ['1.00', 1],
    ['1.10000', 1.1],
    ['1e0', 1],
    ['1e2', 100],
    ['1.5E1', 15],
    ['19.99', 19.99],
    ['0.1e2', 1 * 10],
    ['1000e-2', 10],
  ])('may be written as %s', async (text, value) => {
    const { status, data } = await charge(text)
    expect([status, data.amount]).toEqual([200, value])
  })

  test.each([
    ['BRL', '1.001'],
    ['MXN', '10.001'],
    ['USDT', '2.001'],
    ['USDC', '2.001'],
    ['BTC', '0.123456789'],
    ['ETH', '0.123456789'],
    ['BNB', '0.123456789'],
    ['SOL', '0.1234567891'],
  ])('in %s has no more decimals than the currency: %s', async (currency, amount) => {
    expect((await charge(amount, currency)).code).toBe('INVALID_AMOUNT')
  })

  test.each([
    ['BRL', '1.00', '0.99'],
    ['MXN', '10.00', '9.99'],
    ['USDT', '2.00', '1.99'],
    ['USDC', '2.00', '1.99'],
    ['BTC', '0.0001', '0.00009999'],
    ['ETH', '0.001', '0.00099999'],
    ['SOL', '0.001', '0.000999999'],
    ['BNB', '0.001', '0.00099999'],
  ])('in %s is at least %s; %s is 409 BELOW_MIN_LIMIT with that minimum', async (currency, least, below) => {
    expect((await charge(least, currency)).status).toBe(200)
    const refused = await charge(below, currency)
    expect([refused.status, refused.code]).toEqual([409, 'BELOW_MIN_LIMIT'])
    expect(refused.body.error.details.min_amount).toBe(Number(least))
  })

  test('is 422 INVALID_AMOUNT below the minimum if the configuration says so', async () => {
    const other = await openWithReceivers({ belowMinimum: 'INVALID_AMOUNT' })
    const { status, code } = await (await other.api()).cashin({ amount: 0.99, currency: 'BRL' })
    expect([status, code]).toEqual([422, 'INVALID_AMOUNT'])
  })

  test("is 409 EXCEEDS_MAX_LIMIT with the maximum above the account's maximum", async () => {
    const limits = [{ currency: 'BRL', operation: 'cashin', max_amount: '500.00' }]
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    expect((await charge('500')).status).toBe(200)
    const { status, code, body } = await charge('500.01')
    expect([status, code, body.error.details.max_amount]).toEqual([409, 'EXCEEDS_MAX_LIMIT', 500])
    expect((await charge('1e12')).code).toBe('EXCEEDS_MAX_LIMIT')
    expect((await charge('1e21')).code).toBe('INVALID_AMOUNT')
    expect((await charge('99999', 'MXN')).status).toBe(200)
  })

  test('has no more digits than its BR Code can hold, whatever the account’s maximum', async () => {
    const most = '9999999999999.99'
    const limits = [{ currency: 'BRL', operation: 'cashin', max_amount: most, daily_limit: most }]
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    const refused = await charge('10000000000')
    expect([refused.code, refused.body.error.details.max_amount]).toEqual(['EXCEEDS_MAX_LIMIT', 9999999999.99])
    expect((await charge('9999999999.99')).data.amount).toBe(9999999999.99)
  })

  test('counts towards the daily limit, which restarts at midnight in São Paulo', async () => {
    const limits = [{ currency: 'BRL', operation: 'cashin', daily_limit: '100.00' }]
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    await sandbox.control('PUT', '/clock', { now: nextMidnight(-60_000) })
    api = await sandbox.api()
    expect((await charge('60')).status).toBe(200)
    const over = await charge('40.01')
    expect([over.status, over.code]).toEqual([409, 'LIMIT_EXCEEDED'])
    expect(over.body.error.details).toEqual({ currency: 'BRL', daily_limit: 100, remaining: 40 })
    expect((await charge('40')).status).toBe(200)
    const used = await charge('1')
    expect([used.code, used.body.error.details.remaining]).toEqual(['LIMIT_EXCEEDED', 0])
    const lower = limits.map((limit) => ({ ...limit, daily_limit: '50.00' }))
    await sandbox.control('PATCH', '/accounts/merchant', { limits: lower })
    expect((await charge('1')).body.error.details).toEqual({ currency: 'BRL', daily_limit: 50, remaining: 0 })
    await sandbox.control('PATCH', '/accounts/merchant', { limits })
    expect((await charge('100', 'MXN')).status).toBe(200)
    await sandbox.control('PUT', '/clock', { now: nextMidnight(-1) })
    expect((await charge('1')).code).toBe('LIMIT_EXCEEDED')
    await sandbox.control('PUT', '/clock', { now: nextMidnight(0) })
    expect((await charge('100')).status).toBe(200)
  })
})

let midnightMs = 0
/** The midnight of America/Sao_Paulo (UTC-3) in two days, plus an offset in milliseconds. */
function nextMidnight(offsetMs: number): string {
  const dayMs = 86_400_000
  midnightMs ||= (Math.floor(Date.now() / dayMs) + 2) * dayMs + 3 * 3600_000
  return new Date(midnightMs + offsetMs).toISOString()
}

describe('currency and chain of a charge', () => {
  test.each(['EUR', 'brl', ' BRL', 'Brl', '__proto__', 'constructor'])(
    'are 422 INVALID_CURRENCY for the currency %j',
    async (currency) => {
      const { status, code } = await api.cashin({ amount: 10, currency })
      expect([status, code]).toEqual([422, 'INVALID_CURRENCY'])
    },
  )

  test('are 400 MISSING_REQUIRED_FIELD for a crypto currency without a chain, whatever else is wrong', async () => {
    for (const currency of currencies.filter((name) => chainFor(name) !== undefined)) {
      const { status, code, body } = await api.cashin({ amount: 10, currency })
      expect([status, code, body.error.details.field]).toEqual([400, 'MISSING_REQUIRED_FIELD', 'chain'])
    }
    expect((await api.cashin({ amount: 'ten', currency: 'BTC' })).code).toBe('MISSING_REQUIRED_FIELD')
    expect((await api.cashin({ amount: -1, currency: 'BTC', postback_url: 'x' })).code).toBe('MISSING_REQUIRED_FIELD')
  })

  test.each(['BRL', 'MXN'])('are 422 UNSUPPORTED_CHAIN for a chain with %s, and none is listed', async (currency) => {
    const { status, code, body } = await api.cashin({ amount: 10, currency, chain: 'tron' })
    expect([status, code, body.error.details.supported]).toEqual([422, 'UNSUPPORTED_CHAIN', []])
  })

  test('are 422 UNSUPPORTED_CHAIN with the supported chains for a chain that the currency lacks', async () => {
    const chains = [
      'tron',
      'ethereum',
      'bsc',
      'polygon',
      'solana',
      'bitcoin',
      'arbitrum',
      'Tron',
      'TRON',
      'nochain',
      '',
    ]
    for (const currency of currencies.filter((name) => chainFor(name) !== undefined)) {
      const supported = chainPairs.filter(([name]) => name === currency).map(([, chain]) => chain as string)
      for (const chain of chains.filter((name) => !supported.includes(name))) {
        const { status, code, body } = await api.cashin({ amount: 10, currency, chain })
        expect([status, code], `${currency} ${chain}`).toEqual([422, 'UNSUPPORTED_CHAIN'])
        expect(body.error.details.supported.sort()).toEqual(supported.toSorted())
      }
    }
  })
})

describe('the payer of a charge', () => {
  test('is null if it is omitted', async () => {
    const { data } = await api.cashin({ amount: 10, currency: 'BRL' })
    const { body } = await sandbox.control('GET', `/transactions/${data.transaction_id}`)
    expect([body.status, body.payer]).toEqual(['pending', null])
  })

  test.each([...vectors.cpf.valid, ...vectors.cnpj.valid].map((item) => item.value))(
    'may have the document %s',
    async (document) => {
      expect((await api.cashin({ amount: 10, currency: 'BRL', payer: { name: 'Ana', document } })).status).toBe(200)
    },
  )

  test.each([...vectors.cpf.invalid, ...vectors.cnpj.invalid].map((item) => item.value))(
    'may not have the document %j',
    async (document) => {
      const { status, code, body } = await api.cashin({ amount: 10, currency: 'BRL', payer: { document } })
      expect([status, code, body.error.details.field]).toEqual([422, 'INVALID_VALUE', 'payer.document'])
    },
  )

  test('is an object of optional texts', async () => {
    expect((await api.cashin({ amount: 10, currency: 'BRL', payer: {} })).status).toBe(200)
    expect(
      (await api.cashin({ amount: 10, currency: 'BRL', payer: { name: 'Ana', email: 'ana@example.com' } })).status,
    ).toBe(200)
    for (const payer of ['Ana', [], 1, { name: 1 }, { email: 'no e-mail' }, { document: 52998224725 }])
      expect((await api.cashin({ amount: 10, currency: 'BRL', payer })).code, JSON.stringify(payer)).toBe(
        'INVALID_VALUE',
      )
  })
})

describe('the external_id of a charge', () => {
  test('is a text of at most 150 characters', async () => {
    const charge = (external_id: unknown) => api.cashin({ amount: 10, currency: 'BRL', external_id })
    expect((await charge('x'.repeat(150))).data.external_id).toBe('x'.repeat(150))
    for (const id of ['x'.repeat(151), 1, {}, true]) {
      const { status, code, body } = await charge(id)
      expect([status, code, body.error.details.field]).toEqual([422, 'INVALID_VALUE', 'external_id'])
    }
  })
})

describe('the postback_url of a charge', () => {
  const with_ = (postback_url: unknown, to = api) => to.cashin({ amount: 10, currency: 'BRL', postback_url })

  test.each([
    'https://example.com/hook',
    'http://127.0.0.1:9/x',
    'http://localhost/x',
    'http://[::1]:9/x',
    'http://10.0.0.1/x',
    'http://192.168.1.1/x',
    'http://172.16.0.1/x',
  ])('may be %s, and then receives the events', async (url) => {
    const { status, data } = await with_(url)
    expect([status, data.postback_url]).toEqual([200, url])
  })

  test.each([
    '',
    'x',
    'example.com/hook',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://example.com/x',
    'http://8.8.8.8/x',
    'http://172.32.0.1/',
    'https://',
    'https://user:pw@example.com/',
    'https://user@example.com/',
    ' https://example.com/hook',
    'https://example.com/hook ',
    'https://example.com/my hook',
    'https://example.com/\tmy-hook',
    'https://exam\nple.com/hook',
    'https://example.com/\u00a0hook',
    '\u0001https://example.com/hook',
    1,
    {},
    true,
  ])('may not be %j: 422 INVALID_POSTBACK_URL', async (url) => {
    const { status, code } = await with_(url)
    expect([status, code]).toEqual([422, 'INVALID_POSTBACK_URL'])
  })

  test.each([
    'localhost:3000',
    'http:localhost:3000',
    'localhost:3000/webhooks',
    '127.0.0.1:3000',
    'shop.example/hooks',
    'ftp://shop.example/',
  ])('is rejected with the beginning that it must have when it is %j', async (url) => {
    const rule = 'must begin with http:// or https://, such as http://localhost:3000/webhooks'
    expect((await with_(url)).body.error.details).toEqual({ field: 'postback_url', rule })
  })

  test('must be https:// everywhere with strict webhooks', async () => {
    const strict = await (await openWithReceivers({ strictWebhooks: true })).api()
    expect((await with_('http://127.0.0.1:9/x', strict)).code).toBe('INVALID_POSTBACK_URL')
    expect((await with_('https://127.0.0.1:9/x', strict)).status).toBe(200)
  })

  test('receives all events of its charge, signed with the secret of the credential', async () => {
    const other = `${sandbox.hooks.url}/own`
    const { data } = await with_(other)
    await sandbox.trigger('cashin.pay', data.transaction_id)
    await sandbox.trigger('cashin.refund', data.transaction_id)
    await sandbox.settle()
    const { body } = await sandbox.control('GET', '/webhooks')
    expect(body.data.map((row: { url: string }) => row.url)).toEqual([other, other])
    expect(sandbox.hooks.names()).toEqual(['cashin.confirmed', 'cashin.refunded'])
  })
})

describe('the split of a charge', () => {
  const with_ = (split: unknown) => api.cashin({ amount: 100, currency: 'BRL', split })

  test('pays its shares from the net amount when the charge is confirmed', async () => {
    const customer = await sandbox.api('customer')
    const { data } = await with_([
      { username: 'customer', percentage: 10 },
      { username: 'customer', amount: 0.5 },
    ])
    expect(await customer.balance('BRL')).toMatchObject({ available: 1000 })
    await sandbox.trigger('cashin.pay', data.transaction_id)
    expect(await customer.balance('BRL')).toMatchObject({ available: 1010.4 })
    expect(await api.balance('BRL')).toMatchObject({ available: 10088.6 })
    await sandbox.settle()
    const [event] = sandbox.hooks.dataOf('cashin.confirmed')
    expect(event).toMatchObject({
      amount: '100.00',
      fee: '1.00',
      amount_net: '99.00',
      old_balance: '10000.00',
      new_balance: '10088.60',
    })
  })

  test('pays the first shares in full when the charge is underpaid, and the rest to the later ones', async () => {
    await sandbox.control('POST', '/accounts', { username: 'third' })
    const parts = ['customer', 'third', 'customer'].map((username) => ({ username, amount: 30 }))
    const charge = { amount: 100, currency: 'USDT', chain: 'tron', split: parts }
    const usdt = async (username: string) =>
      Number((await sandbox.control('GET', `/accounts/${username}`)).body.balances.USDT.available)
    const before = await usdt('customer')
    const { data } = await api.cashin(charge)
    const paid = await sandbox.trigger('cashin.pay', data.transaction_id, { amount: '50' })
    expect(paid.status).toBe(200)
    expect([(await usdt('customer')) - before, await usdt('third')]).toEqual([30, 19.5])
  })

  test('may add up to exactly 100 percent, also in fractions', async () => {
    const parts = [60, 40].map((percentage) => ({ username: 'customer', percentage }))
    expect((await with_(parts)).status).toBe(200)
    // The additional fixed amount is too much.
    const { body } = await with_([...parts, { username: 'customer', amount: 0.01 }])
    expect(body.error.details.rule).toBe('the shares of the split add up to more than the net amount')
  })

  test('may distribute the whole amount, rounded so that it never exceeds the net amount', async () => {
    const { data } = await with_([
      { username: 'customer', percentage: 33.3333 },
      { username: 'customer', percentage: 66.6667 },
    ])
    await sandbox.trigger('cashin.pay', data.transaction_id)
    const { available } = await api.balance('BRL')
    expect(available).toBeGreaterThanOrEqual(10000)
    expect(available).toBeLessThanOrEqual(10000.02)
  })

  test.each([
    [
      'over 100 %',
      [
        { username: 'customer', percentage: 60 },
        { username: 'customer', percentage: 40.0001 },
      ],
    ],
    ['over the net amount', [{ username: 'customer', amount: 99.01 }]],
    [
      'both together over the net amount',
      [
        { username: 'customer', percentage: 50 },
        { username: 'customer', amount: 50 },
      ],
    ],
    ['an unknown username', [{ username: 'nobody', percentage: 10 }]],
    ['no part at all', [{ username: 'customer' }]],
    ['two kinds of part', [{ username: 'customer', percentage: 1, amount: 1 }]],
    ['no list', { username: 'customer', percentage: 1 }],
    ['zero percent', [{ username: 'customer', percentage: 0 }]],
    ['less than nothing', [{ username: 'customer', percentage: -5 }]],
  ])('is 422 INVALID_SPLIT_CONFIG: %s', async (_name, split) => {
    const { status, code } = await with_(split)
    expect([status, code]).toEqual([422, 'INVALID_SPLIT_CONFIG'])
  })
})

test('charges are limited to 12000 a minute for each credential, and the next is 429 with Retry-After', async () => {
  // Rejected calls also count, and they are fast.
  const token = api.bearer.Authorization ?? ''
  const { createApp } = await import('../../src/http/app.js')
  const app = createApp(sandbox.running.host)
  const env = { ip: '127.0.0.1', rawTarget: path, disconnect: () => undefined }
  const call = async () =>
    app(
      new Request(sandbox.url + path, {
        method: 'POST',
        headers: { Authorization: token, Host: new URL(sandbox.url).host },
      }),
      env,
    )
  for (let batch = 0; batch < 12; batch++) {
    const answers = await Promise.all(Array.from({ length: 1000 }, call))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([400]))
  }
  const over = await charge('10')
  expect([over.status, over.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  expect(over.headers.get('retry-after')).toBe('60')
  expect((await (await sandbox.api('customer')).cashin({ amount: 10, currency: 'BRL' })).status).toBe(200)
  await sandbox.advance(60)
  expect((await charge('10')).status).toBe(200)
})
