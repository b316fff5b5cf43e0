/** A platform that deviates: a sandbox with other settings behind proxies that change answers and webhooks. Each deviation is found once. */
import { expect, test } from 'vitest'
import { type ProbeId, type ProbeNeed, probeIds } from '../../src/features/compare/probe/probes.js'
import { reportText } from '../../src/features/compare/probe/report.js'
import { plainFetch } from '../support/plain-fetch.js'
import { differing, findingsOf, type Json, openProxy, type Passing, probeSandbox } from '../support/probed.js'

// The answers of a platform that deviates are not those of the OpenAPI document.
globalThis.fetch = plainFetch

const rename = (fields: Json, from: string, to: string) => {
  fields[to] = fields[from]
  delete fields[from]
}

const charge = 'POST /v2/transactions/cashin'

interface Deviation {
  found: [verdict: string, call: string, path: string]
  /** The documented sentence or assumption that differs. */
  row: string
  plant(passing: Passing): void
}

const at =
  (name: string, change: (body: Json) => unknown, has: (body: Json) => unknown = () => true) =>
  (passing: Passing) => {
    if (passing.name === name && has(passing.body)) change(passing.body)
  }
const isData = ({ data }: Json) => data
const codeOf = ({ error }: Json) => error?.code
/** Gives an error another status. */
const withStatus = (code: string, status: number) => (passing: Passing) => {
  if (codeOf(passing.body) === code) passing.status = status
}

const inAnswers: Deviation[] = [
  {
    found: ['documentation_wrong', charge, 'data.created_at'],
    row: 'charge-created-at',
    plant: at(charge, ({ data }) => delete data.created_at, isData),
  },
  {
    found: ['unknown_field', 'GET /v2/account/fees', 'data.valid_until'],
    row: 'undocumented_fields',
    plant: at('GET /v2/account/fees', ({ data }) => Object.assign(data, { valid_until: '2027-01-01' }), isData),
  },
  {
    found: ['documentation_wrong', charge, 'data.payment_method'],
    row: 'charge-pix-method',
    plant: at(
      charge,
      ({ data }) => Object.assign(data, { payment_method: 'PIX' }),
      ({ data }) => data?.currency === 'BRL',
    ),
  },
  {
    found: ['documentation_wrong', charge, 'error.details.supported'],
    row: 'chain-details',
    plant: at(
      charge,
      ({ error }) => delete error.details.supported,
      (body) => codeOf(body) === 'UNSUPPORTED_CHAIN',
    ),
  },
  {
    found: ['documentation_wrong', 'POST /v2/oauth/token', 'expires_in'],
    row: 'token-answer',
    plant: at(
      'POST /v2/oauth/token',
      (body) => Object.assign(body, { expires_in: '3600' }),
      (body) => body.access_token,
    ),
  },
  {
    found: ['documentation_wrong', 'POST /v2/internal_transfers/payment', 'error.code'],
    row: 'error:MISSING_SIGNATURE',
    plant: at(
      'POST /v2/internal_transfers/payment',
      ({ error }) => Object.assign(error, { code: 'SIGNATURE_ABSENT' }),
      (body) => codeOf(body) === 'MISSING_SIGNATURE',
    ),
  },
  {
    found: ['assumption_wrong', 'GET /v2/account/profile', 'data.name'],
    row: 'undocumented_fields',
    plant: at('GET /v2/account/profile', ({ data }) => delete data.name, isData),
  },
  {
    found: ['unknown_field', 'GET /v2/account/limits', 'data.updated_at'],
    row: 'undocumented_fields',
    plant: at('GET /v2/account/limits', ({ data }) => Object.assign(data, { updated_at: '2026-11-21' }), isData),
  },
  {
    found: ['assumption_wrong', 'POST /v2/transactions/wallet', 'data.currency_type'],
    row: 'undocumented_fields',
    plant: at('POST /v2/transactions/wallet', ({ data }) => rename(data, 'currency_type', 'kind'), isData),
  },
  {
    found: ['assumption_wrong', 'POST /v2/oauth/token', 'headers.X-Request-Id'],
    row: 'request_id_header',
    plant: ({ headers }) => void delete headers['x-request-id'],
  },
]

const inWebhooks: Deviation[] = [
  {
    found: ['documentation_wrong', 'wallet.created', 'data.currency_type'],
    row: 'event:wallet.created',
    plant: at('wallet.created', ({ data }) => delete data.currency_type),
  },
  {
    found: ['unknown_field', 'cashout.confirmed', 'data.channel'],
    row: 'undocumented_fields',
    plant: at('cashout.confirmed', ({ data }) => Object.assign(data, { channel: 'instant' })),
  },
  {
    found: ['assumption_wrong', 'cashout.failed', 'destination'],
    row: 'wrong_destination',
    plant: at('cashout.failed', ({ data: { error_code: code }, data }) => {
      if (code === 'PIX_KEY_NOT_FOUND') data.error_code = 'UNKNOWN'
    }),
  },
  {
    found: ['documentation_wrong', 'cashout.failed', 'data.wallet'],
    row: 'event:cashout.failed',
    plant: at('cashout.failed', ({ data }) => rename(data, 'wallet', 'destination')),
  },
  {
    found: ['documentation_wrong', 'conversion.confirmed', 'data.amount_to'],
    row: 'event-amounts',
    plant: at('conversion.confirmed', ({ data }) => Object.assign(data, { amount_to: Number(data.amount_to) })),
  },
  {
    found: ['documentation_wrong', 'wallet.created', 'headers.User-Agent'],
    row: 'webhook-agent',
    plant: ({ headers }) => void Object.assign(headers, { 'user-agent': 'Platform/3' }),
  },
]

test('each of 16 deviations and of 5 settings of a platform is found once, with its verdict', async () => {
  const settings = {
    pixChargeLife: '15m',
    equalCurrencies: 'INVALID_VALUE',
    pageSize: 20,
    quoteLife: '2m',
    belowMinimum: 'INVALID_AMOUNT',
  } as const
  const report = await probeSandbox(
    { ...settings, cashoutSettle: '150ms' },
    {
      without: ['retries'],
      config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
      proxy: (url) => openProxy(url, { ofAnswer: (passing) => inAnswers.forEach(({ plant }) => void plant(passing)) }),
      webhookProxy: (url) =>
        openProxy(url, { ofRequest: (passing) => inWebhooks.forEach(({ plant }) => void plant(passing)) }),
    },
  )
  const found = findingsOf(report)
  const places = found.filter(({ setting }) => setting === null).map(({ verdict, call, path }) => [verdict, call, path])
  expect(places.sort(), JSON.stringify(found, null, 1)).toEqual(
    [...inAnswers, ...inWebhooks].map((one): string[] => one.found).sort(),
  )
  const named = found.flatMap(({ setting }) => setting ?? []).sort()
  expect(named).toEqual(['below_minimum', 'equal_currencies', 'page_size', 'pix_charge_life', 'quote_life'])
  expect(differing(report).length).toBeGreaterThan(15)
  const { core, errors, limits, webhooks } = report.divergence
  for (const figure of [core, errors, limits, webhooks]) expect(figure?.differs).toBeGreaterThan(0)
  expect(report.status).toBe('complete')
  const { differ, hidden } = report.rows
  const rows = [...inAnswers, ...inWebhooks].map(({ row }) => row)
  const assumed = ['below_minimum', 'equal_currencies', 'pages', 'pix_charge_life', 'quote_life']
  expect([...differ].sort()).toEqual([...new Set([...rows, ...assumed])].sort())
  const minimums = ['BRL', 'USDT', 'USDC', 'BTC', 'ETH', 'SOL'].map((name) => [`minimum:${name}`, 'below_minimum'])
  expect(hidden).toEqual({
    ...Object.fromEntries(minimums),
    'error:BELOW_MIN_LIMIT': 'below_minimum',
    'failure:PIX_KEY_NOT_FOUND': 'wrong_destination',
  })
})

interface Shared {
  is: string
  plant(passing: Passing): void
  found: object
  /** At least so many calls show it. */
  calls: number
  /** What differs. */
  row: string
}

const conversions = ['estimated_amount', 'to_amount', 'amount_to']
const inSeveralCalls: Shared[] = [
  {
    is: 'another code of an error, at all endpoints that have it,',
    plant: ({ body }) =>
      void (codeOf(body) === 'MISSING_REQUIRED_FIELD' && Object.assign(body.error, { code: 'MISSING_FIELD' })),
    found: { verdict: 'documentation_wrong', path: 'error.code', platform: 'MISSING_FIELD' },
    calls: 8,
    row: 'error:MISSING_REQUIRED_FIELD',
  },
  {
    is: 'another code of an error that is not documented',
    plant: ({ body }) => void (codeOf(body) === 'INVALID_VALUE' && Object.assign(body.error, { code: 'BAD_VALUE' })),
    found: { verdict: 'assumption_wrong', assumption: 'error_codes', path: 'error.code', platform: 'BAD_VALUE' },
    calls: 3,
    row: 'error_codes',
  },
  {
    is: 'another status of an error',
    plant: withStatus('INVALID_CURRENCY', 400),
    found: { verdict: 'documentation_wrong', path: 'status', platform: 400, sandbox: 422 },
    calls: 2,
    row: 'error:INVALID_CURRENCY',
  },
  {
    is: 'another status of the error of a minimum',
    plant: withStatus('BELOW_MIN_LIMIT', 422),
    found: { verdict: 'documentation_wrong', path: 'status', platform: 422, sandbox: 409 },
    calls: 1,
    row: 'error:BELOW_MIN_LIMIT',
  },
  {
    is: 'a conversion that is rounded up',
    plant: ({ body: { data } }) => {
      for (const name of conversions)
        if (typeof data?.[name] === 'number') data[name] = Number((data[name] + 0.01).toFixed(2))
    },
    found: { verdict: 'assumption_wrong', assumption: 'rounding', setting: null },
    calls: 3,
    row: 'rounding',
  },
  {
    is: 'an unknown field in every list',
    plant: ({ body: { data } }) => {
      if (data?.items !== undefined) data.as_of = '2026-11-21'
    },
    found: { verdict: 'unknown_field', path: 'data.as_of' },
    calls: 2,
    row: 'undocumented_fields',
  },
  {
    is: 'another life of the token',
    plant: ({ body }) => void (body.expires_in !== undefined && Object.assign(body, { expires_in: 1800 })),
    found: {
      ...{ verdict: 'documentation_wrong', path: 'expires_in', platform: 1800 },
      documented: 'integer, always 3600, always present',
    },
    calls: 1,
    row: 'token-answer',
  },
]

test.each(inSeveralCalls)('$is is one finding, with its calls, and one row', async ({ plant, found, calls, row }) => {
  const report = await probeSandbox(
    { cashoutSettle: '150ms' },
    {
      without: ['retries'],
      config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
      proxy: (url) => openProxy(url, { ofAnswer: plant }),
    },
  )
  const findings = findingsOf(report)
  expect(findings).toEqual([expect.objectContaining(found)])
  expect(findings[0]?.calls.length).toBeGreaterThanOrEqual(calls)
  expect(report.rows).toMatchObject({ differ: [row], hidden: {} })
})

/** Calls that the sandbox rejects and a platform repairs, and what that contradicts: a sentence, or an assumption. */
// biome-ignore format: a table, a row a line
const accepted: [broken: string, is: (body: Json) => unknown, repair: (body: Json) => unknown][] = [
  ['`grant_type` is required', ({ grant_type }) => grant_type === 'password', (body) => { body.grant_type = 'client_credentials' }],
  ['`external_id` has at most 150 characters', ({ external_id }) => external_id?.length > 150, (body) => { body.external_id = 'short' }],
  ['A URL with http:// is rejected', ({ postback_url: url }) => url?.startsWith('http://example'), (body) => { delete body.postback_url }],
  ['`split` is an optional array', ({ split }) => split?.username, (body) => { delete body.split }],
  ['At most 2 decimals', ({ amount }) => amount === 1.005, (body) => { body.amount = 1 }],
  ['`amount` is a number', ({ amount }) => amount === '1.00', (body) => { body.amount = 1 }],
  ['Charges from 1.00 BRL', ({ amount, currency }) => amount === 0.99 && currency === 'BRL', (body) => { body.amount = 1 }],
  ['filter_values', ({ type }) => type === 'refund', (body) => { delete body.type }],
  ['postback_url_text', ({ postback_url: url }) => url?.includes(' '), (body) => { delete body.postback_url }],
  ['postback_url_text', ({ postback_url: url }) => url?.includes('@'), (body) => { delete body.postback_url }],
  ['null_fields', ({ amount, currency }) => amount === null && currency === 'BRL', (body) => { body.amount = 1 }],
  ['text_bounds', ({ payer }) => payer?.email === 'nobody', (body) => { delete body.payer }],
  ['case_of_names', ({ currency }) => currency === 'brl', (body) => { body.currency = 'BRL' }],
  ['case_of_names', ({ chain }) => chain === 'Tron', (body) => { body.chain = 'tron' }],
  ['split_items', ({ split }) => split?.length > 0, (body) => { delete body.split }],
  ['pages', ({ page_size: size }) => size > 100, (body) => { body.page_size = 100 }],
  ['filter_dates', ({ from_date: from }) => from === '2026-02-30', (body) => { body.from_date = '2026-02-28' }],
]

test('a call that only the sandbox rejects is judged by the sentence or the assumption that the call breaks', async () => {
  const ofRequest = ({ body }: Passing) => accepted.find(([, is]) => is(body))?.[2](body)
  const report = await probeSandbox({}, { has: [], proxy: (url) => openProxy(url, { ofRequest }) })
  const found = findingsOf(report).map(({ verdict, assumption, documented, path }) => [
    verdict,
    assumption ?? documented,
    path,
  ])
  const expected = [...new Set(accepted.map(([broken]) => broken))].map((broken) => [
    broken.includes(' ') ? 'documentation_wrong' : 'assumption_wrong',
    broken,
    'status',
  ])
  expect(found.sort()).toEqual(expected.sort())
})

test('a missing part of all errors or balances, another name of a status and of an error code are one finding each', async () => {
  const report = await probeSandbox(
    {},
    {
      has: ['key', 'money'],
      proxy: (url) =>
        openProxy(url, {
          ofAnswer: ({ body: { data, error } }) => {
            delete error?.details
            if (error?.code === 'MISSING_SIGNATURE') error.code = 'INVALID_SIGNATURE'
            for (const one of [data, ...(data?.items ?? [])]) if (one?.status === 'pending') one.status = 'created'
            for (const one of data?.balances ?? []) delete one.pending
          },
        }),
    },
  )
  const found = findingsOf(report).map(({ verdict, path, platform }) => [verdict, path, platform])
  expect(found.sort()).toEqual([
    ['documentation_wrong', 'data.balances[].pending', null],
    ['documentation_wrong', 'data.status', 'created'],
    ['documentation_wrong', 'error.code', 'INVALID_SIGNATURE'],
    ['documentation_wrong', 'error.details', null],
  ])
  expect(report.rows.differ).toEqual(
    expect.arrayContaining(['balance-components', 'charge-pending', 'error:MISSING_SIGNATURE', 'error-details']),
  )
})

const withdrawals = new Map<string, { fee: number; currency: string; isFailed: boolean }>()
const shortClabe = (data: Json) => {
  if (data?.currency === 'MXN' && data.address) data.address = `ACCT-${data.address.slice(6, 16)}`
}
const subtle: {
  is: string
  plant(passing: Passing): void
  isRequest?: true
  has?: ProbeNeed[]
  found: object
  row: string
}[] = [
  {
    is: 'another name of a field in the details of an error about `split`',
    plant: ({ body: { error } }) => {
      if (error?.details?.field === 'split.0.username') error.details.field = 'split.0.account'
    },
    found: { assumption: 'split_items', path: 'error.details.field', platform: 'split.0.account' },
    row: 'split_items',
  },
  {
    is: 'a withdrawal whose fee is within its amount',
    plant: ({ name, body: { data } }) => {
      if (name.startsWith('cashout.'))
        withdrawals.set(data.transaction_id, { ...data, isFailed: name.endsWith('failed') })
      for (const one of data?.balances ?? [])
        for (const { fee, currency, isFailed } of withdrawals.values())
          if (currency === one.currency && !isFailed) one.available = Number((one.available + Number(fee)).toFixed(2))
    },
    found: { assumption: 'withdrawal_fee_payer', call: 'cashout.confirmed', path: 'balance' },
    row: 'withdrawal_fee_payer',
  },
  {
    is: 'an unknown path without a hint',
    plant: ({ body: { error } }) => void delete error?.details?.nearest,
    found: { assumption: 'unknown_path', path: 'error.details.nearest' },
    row: 'unknown_path',
  },
  {
    is: 'a filter without effect',
    plant: ({ name, body }) => {
      if (name.endsWith('/transactions/list') && body.type !== 'refund') delete body.type
    },
    isRequest: true,
    found: { verdict: 'documentation_wrong', path: 'data.items[].type' },
    row: 'list-filters',
  },
  {
    is: 'a charge by SPEI without a CLABE',
    plant: ({ body: { data } }) => {
      const info = data?.payment_info
      if (info?.clabe) info.clabe = info.clabe.slice(0, 16)
    },
    found: { verdict: 'documentation_wrong', path: 'data.payment_info.clabe' },
    row: 'charge-spei-clabe',
  },
  {
    is: 'a wallet of MXN without a CLABE',
    plant: ({ name, body: { data } }) => {
      if (name.includes('wallet')) shortClabe(data)
    },
    has: ['money', 'webhooks'],
    found: { verdict: 'documentation_wrong', path: 'data.address' },
    row: 'wallet-destination',
  },
]

test.each(subtle)(
  '$is is one finding, with the sentence or assumption that it is about',
  async ({ plant, isRequest, has, found, row }) => {
    const report = await probeSandbox(
      { cashoutSettle: '150ms' },
      {
        ...(has === undefined ? {} : { has }),
        without: ['retries'],
        config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
        proxy: (url) => openProxy(url, isRequest === true ? { ofRequest: plant } : { ofAnswer: plant }),
        webhookProxy: (url) => openProxy(url, { ofRequest: plant }),
      },
    )
    const findings = findingsOf(report)
    expect(findings, JSON.stringify(findings, null, 1)).toEqual([
      expect.objectContaining({ verdict: 'assumption_wrong', ...found }),
    ])
    expect(report.rows).toMatchObject({ differ: [row], hidden: {} })
  },
)

test('another documented minimum contradicts the documentation, and another maximum an assumption, with one setting', async () => {
  const limits = { ETH: { cashin: { min_amount: '0.0001' } }, BRL: { cashin: { max_amount: '20000' } } }
  const report = await probeSandbox({ limits }, { has: [] })
  const found = findingsOf(report).map(({ verdict, assumption, documented, setting, value }) => [
    ...[verdict, assumption ?? documented, setting, value],
  ])
  expect(found, JSON.stringify(found)).toEqual([
    ['documentation_wrong', 'Charges from 0.001 ETH', 'limits', expect.objectContaining({ ETH: limits.ETH })],
    ['assumption_wrong', 'limits', 'limits', expect.objectContaining({ BRL: limits.BRL })],
  ])
  expect(report.rows.differ.toSorted()).toEqual(['limits', 'minimum:ETH'])
})

interface Open {
  is: string
  probes: ProbeId[]
  ofRequest?: (passing: Passing) => void
  ofAnswer?: (passing: Passing) => void
  ofWebhook?: (passing: Passing) => void
  webhookDelayMs?: number
  found: object
  row: string
}

let authorization = ''
let quotes = 0
const signatures: unknown[] = []
const otherHash = (data: Json) => {
  if (data.currency === 'MXN' && data.hash) data.hash = 'SPEI-428519'
}
const withoutKeyType = new Set<string>()
const open: Open[] = [
  {
    is: 'rejects 16 digits as over the maximum',
    probes: ['amount', 'maximum'],
    ofAnswer: (passing) => {
      if (!String(passing.body.error?.details?.rule).startsWith('must be at most')) return
      passing.status = 409
      Object.assign(passing.body.error, { code: 'EXCEEDS_MAX_LIMIT', details: { max_amount: 50_000 } })
    },
    found: { verdict: 'assumption_wrong', path: 'error.code', platform: 'EXCEEDS_MAX_LIMIT' },
    row: 'largest_amount',
  },
  {
    is: 'infers no type of a key',
    probes: ['wallets', 'pix_withdrawal', 'legacy_withdrawal'],
    ofAnswer: ({ name, body: { data } }) => {
      if (name !== 'POST /v2/transactions/cashout' || data?.key_type === undefined) return
      withoutKeyType.add(data.transaction_id)
      data.key_type = null
    },
    ofWebhook: ({ body: { data } }) => {
      if (withoutKeyType.has(data.transaction_id)) data.key_type = null
    },
    found: { verdict: 'assumption_wrong', path: 'data.key_type', platform: null },
    row: 'key_type_omitted',
  },
  {
    is: 'requires no token',
    probes: ['balance', 'no_token'],
    ofRequest: ({ headers }) => {
      headers.authorization ??= authorization
    },
    ofAnswer: ({ body }) => {
      if (body.access_token !== undefined) authorization = `Bearer ${body.access_token}`
    },
    found: { verdict: 'documentation_wrong', path: 'status', sandbox: '401 UNAUTHORIZED' },
    row: 'bearer-required',
  },
  {
    is: 'has another rate in each quote, some with few decimals,',
    probes: ['rate', 'simulate'],
    ofAnswer: ({ body: { data } }) => {
      if (data?.rate === undefined) return
      data.rate = Number((data.rate * (1 + 0.0005 * quotes)).toFixed(quotes === 0 ? 6 : 12))
      for (const name of conversions) if (data[name] !== undefined) data[name] = Math.floor(data.rate * 10_000) / 100
      quotes++
    },
    found: { verdict: 'assumption_wrong', setting: null, path: 'data.rate' },
    row: 'exchange_rates',
  },
  {
    is: 'counts pages from 0',
    probes: ['transactions', 'filter_dates', 'chain_charges', 'charge_list'],
    ofRequest: ({ body }) => {
      if (body.page >= 0) body.page++
    },
    ofAnswer: ({ body: { data } }) => {
      if (data?.pagination !== undefined) data.pagination.page--
    },
    found: { verdict: 'assumption_wrong', path: 'data.pagination.page', platform: 0 },
    row: 'pages',
  },
  {
    is: 'names only the signature if the nonce is missing',
    probes: ['unsigned'],
    ofAnswer: ({ body: { error } }) => {
      if (String(error?.details?.missing) === 'X-Nonce') error.code = 'INVALID_SIGNATURE'
    },
    found: { verdict: 'documentation_wrong', path: 'error.code', sandbox: 'MISSING_SIGNATURE' },
    row: 'error:MISSING_SIGNATURE',
  },
  {
    is: 'compares the signature before the timestamp',
    probes: ['timestamp'],
    ofRequest: ({ headers }) => void signatures.push(headers['x-signature']),
    ofAnswer: ({ body: { error } }) => {
      if (signatures.length === 4) Object.assign(error, { code: 'INVALID_SIGNATURE' })
    },
    found: { verdict: 'assumption_wrong', path: 'error.code', sandbox: 'INVALID_TIMESTAMP' },
    row: 'signature_checks',
  },
  {
    is: 'quotes any amount',
    probes: ['quote_checks'],
    ofRequest: ({ body }) => {
      if (body.amount === 0.01) body.amount = 100
    },
    found: { verdict: 'assumption_wrong', path: 'status', sandbox: '409 BELOW_MIN_LIMIT' },
    row: 'quote_checks',
  },
  {
    is: 'names the share of a split otherwise',
    probes: ['split'],
    ofAnswer: ({ body: { error } }) => {
      if (String(error?.details?.rule).startsWith('there is no account')) error.details.field = 'split.0.percent'
    },
    found: { verdict: 'assumption_wrong', path: 'error.details.field', platform: 'split.0.percent' },
    row: 'split_items',
  },
  {
    is: 'does not count the last day of a list',
    probes: ['charge_list'],
    ofRequest: ({ body }) => {
      if (body.to_date !== undefined) body.to_date = body.from_date = '2026-01-01'
    },
    found: { verdict: 'assumption_wrong', path: 'data.items[]' },
    row: 'filter_dates',
  },
  {
    is: 'allows coins six decimals',
    probes: ['coin_decimals', 'below_coins', 'chain_charges'],
    ofRequest: ({ body }) => {
      if (String(body.amount).length > 8) body.amount = 0.1234567891234
    },
    found: { verdict: 'assumption_wrong', path: 'status', platform: '422 INVALID_AMOUNT' },
    row: 'decimals_of_coins',
  },
  {
    is: 'calls a failure otherwise',
    probes: ['wallets', 'unknown_key', 'wrong_address', 'bank_code'],
    ofWebhook: ({ body: { data } }) => {
      if (data.error_code === 'INVALID_ADDRESS') data.error_code = 'ADDRESS_INVALID'
    },
    found: { verdict: 'documentation_wrong', path: 'data.error_code', platform: 'ADDRESS_INVALID' },
    row: 'failure:INVALID_ADDRESS',
  },
  {
    is: 'has a hash of its own for SPEI',
    probes: ['wallets', 'spei_withdrawal', 'bank_code'],
    ofAnswer: ({ body: { data } }) => data?.items?.forEach(otherHash),
    ofWebhook: ({ body: { data } }) => otherHash(data),
    found: { verdict: 'assumption_wrong', call: 'POST /v2/account/transactions/list' },
    row: 'spei_hash',
  },
  {
    is: 'leaves a currency out of the balances',
    probes: ['balance'],
    ofAnswer: ({ body: { data } }) => {
      if (data?.balances) data.balances = data.balances.filter(({ currency }: Json) => currency !== 'BNB')
    },
    found: { verdict: 'documentation_wrong', path: 'data.balances[]' },
    row: 'currencies',
  },
  {
    is: 'says `success` as text in answers that are no errors',
    probes: ['balance', 'no_token'],
    ofAnswer: ({ body }) => {
      if (body.success === true) body.success = 'true'
    },
    found: { verdict: 'documentation_wrong', path: 'success', platform: 'true' },
    row: 'envelope-success',
  },
  {
    is: 'sends no details of errors',
    probes: ['required', 'texts', 'document', 'filter_dates'],
    ofAnswer: ({ body: { error } }) => {
      if (error !== undefined) error.details = {}
    },
    found: { verdict: 'assumption_wrong', path: 'error.details.field' },
    row: 'undocumented_fields',
  },
  {
    is: 'sends each webhook six seconds after its event',
    probes: ['wallets', 'other_wallets'],
    webhookDelayMs: 6_000,
    found: { verdict: 'documentation_wrong', path: 'delay' },
    row: 'webhook-first',
  },
]

test.each(open)(
  'a platform that $is is one finding about that',
  async ({ probes, found, row, ofWebhook, webhookDelayMs: delayMs = 0, ...changes }) => {
    const report = await probeSandbox(
      { cashoutSettle: '150ms' },
      {
        without: only(probes),
        config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
        proxy: (url) => openProxy(url, changes),
        webhookProxy: (url) => openProxy(url, ofWebhook === undefined ? { delayMs } : { ofRequest: ofWebhook }),
      },
    )
    const findings = findingsOf(report)
    expect(findings, JSON.stringify(findings, null, 1)).toEqual([expect.objectContaining(found)])
    expect(report.rows.differ).toEqual([row])
  },
)

interface Silent {
  is: string
  isDropped(passing: Passing): boolean
  probes: ProbeId[]
  found: object
  row: string
}

const sent = new Set<string>()
const silent: Silent[] = [
  {
    is: 'never sends cashout.failed',
    isDropped: ({ name }) => name === 'cashout.failed',
    probes: ['wallets', 'unknown_key', 'balance_after'],
    found: { call: 'cashout.failed', path: 'event', absent: 'platform' },
    row: 'event:cashout.failed',
  },
  {
    is: 'does not send wallet.created, the first webhook of a run',
    isDropped: ({ name }) => name === 'wallet.created',
    probes: ['wallets', 'unknown_key', 'balance_after'],
    found: { call: 'wallet.created', path: 'event', absent: 'platform' },
    row: 'event:wallet.created',
  },
  {
    is: 'makes no second attempt',
    isDropped: ({ headers }) => sent.size === sent.add(headers['x-webhook-id'] ?? '').size,
    probes: ['wallets', 'retries', 'other_wallets'],
    found: { call: 'wallet.created', path: 'attempts.count', platform: 1 },
    row: 'webhook-retry',
  },
]

const only = (probes: readonly ProbeId[]) => probeIds.filter((id) => !probes.includes(id))

test.each(silent)('a platform that $is is one finding about that', async ({ isDropped, probes, found, row }) => {
  const report = await probeSandbox(
    { cashoutSettle: '150ms' },
    {
      without: only(probes),
      config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
      webhookProxy: (url) => openProxy(url, { isDropped }),
      // Longer than the second attempt may take.
      webhookMs: 16_000,
    },
  )
  const findings = findingsOf(report)
  expect(findings, JSON.stringify(findings, null, 1)).toEqual([
    expect.objectContaining({ verdict: 'documentation_wrong', ...found }),
  ])
  expect(report.rows.differ).toEqual([row])
  expect(report.rows.not_observed).not.toContain(row)
  expect(report.status).toBe('complete')
})

test.each([
  ['a withdrawal that stays pending', { cashoutSettle: 'manual' }, 'unknown_key', 'event:cashout.failed'],
  ['a retry while the clock stands still', { clock: 'manual' }, 'retries', 'webhook-retry'],
] as const)('a webhook that is not due is not observed: %s', async (_name, options, probe, row) => {
  const report = await probeSandbox(options, {
    without: only(['wallets', 'other_wallets', probe]),
    webhookMs: 16_000,
  })
  expect(findingsOf(report)).toEqual([])
  expect(report.probes.filter(({ result }) => result !== 'agreed')).toEqual([
    expect.objectContaining({ id: probe, result: 'failed', detail: expect.stringContaining('did not arrive') }),
  ])
  expect(report.rows).toMatchObject({ differ: [], not_observed: expect.arrayContaining([row]) })
  expect(report).toMatchObject({ status: 'incomplete', left: [] })
  expect(reportText(report)).toContain('The run is complete, but some webhooks did not arrive.')
})
