/** The settings of assumptions: how each changes the platform API. */
import { expect, test } from 'vitest'
import { type Config, type PlatformSetting, platformSettings } from '../../src/protocol/settings/platform.js'
import { type PlatformCalls, platformCalls } from '../support/platform-calls.js'
import { openSandbox } from '../support/sandbox.js'

interface Case {
  set: PlatformSetting
  /** The value in the configuration file. */
  to: unknown
  /** The results with and without the setting. */
  see(calls: PlatformCalls): Promise<unknown>
  changed: unknown
  usual: unknown
}

const pix = { amount: 25.5, currency: 'BRL' }
const tron = { amount: 25.5, currency: 'USDT', chain: 'tron' }
const ethereum = { ...tron, chain: 'ethereum' }
const spei = { amount: 250, currency: 'MXN' }
const payout = { external_id: 'payout-1', amount: 10, currency: 'BRL', key: '52998224725' }
const quoted = { base_currency: 'BRL', destination_currency: 'MXN', amount: 100 }

const statusOf = async (calls: PlatformCalls, id: string) => {
  const { body } = await calls.post('/v2/account/transactions/list', {})
  return body.data.items.find((item: { transaction_id: string }) => item.transaction_id === id)?.status
}
const paid = async (calls: PlatformCalls, charge: object = pix) => {
  const { transaction_id: id } = await calls.cashin(charge)
  await calls.trigger('cashin.pay', { id })
  return calls.event('cashin.confirmed')
}
const codeOf = async (answer: Promise<{ status: number; body: { error?: { code: string } } }>) => {
  const { status, body } = await answer
  return body.error?.code ?? status
}
/** Creates a withdrawal that fails because its destination does not exist. */
const toNobody = { ...payout, key: 'nobody', key_type: 'cpf' }

const cases: Case[] = [
  {
    set: 'crypto_charge_life',
    to: '10m',
    see: async (calls) => (await calls.cashin(tron)).payment_info.expiration,
    changed: 600,
    usual: 1800,
  },
  {
    set: 'clabe_life',
    to: '30m',
    see: async (calls) => {
      const { transaction_id: id } = await calls.cashin(spei)
      await calls.advance('45m')
      return statusOf(calls, id)
    },
    changed: 'expired',
    usual: 'pending',
  },
  {
    set: 'withdrawal_status',
    to: 200,
    see: async (calls) => (await calls.cashout(payout)).status,
    changed: 200,
    usual: 202,
  },
  {
    set: 'wrong_destination',
    to: 'reject',
    see: async (calls) => [
      await codeOf(calls.cashout(toNobody)),
      (await calls.cashout({ ...payout, external_id: 'payout-2' })).status,
    ],
    changed: ['INVALID_VALUE', 202],
    usual: [202, 202],
  },
  {
    set: 'bank_code_mismatch',
    to: 'ignore',
    see: async (calls) => {
      const { body } = await calls.cashout({
        ...payout,
        currency: 'MXN',
        key: '032180000118359719',
        bank_code: '40012',
      })
      await calls.advance('1m')
      return statusOf(calls, body.data.transaction_id)
    },
    changed: 'confirmed',
    usual: 'failed',
  },
  {
    set: 'empty_fields',
    to: 'absent',
    see: async (calls) => [(await calls.cashin(pix)).external_id, (await paid(calls)).data.payer.document],
    changed: [undefined, undefined],
    usual: [null, null],
  },
  {
    set: 'answer_amounts',
    to: 'string',
    see: async (calls) => [
      (await calls.cashin(pix)).amount,
      (await calls.cashout(payout)).body.data.amount,
      (await calls.post('/v2/conversions/simulate', quoted)).body.data.to_amount,
    ],
    changed: [25.5, '10.00', '330.00'],
    usual: [25.5, 10, 330],
  },
  {
    set: 'amount_decimals',
    to: 'shortest',
    see: async (calls) => {
      const { data } = await paid(calls)
      return [data.amount, data.new_balance]
    },
    changed: ['25.5', '10025.24'],
    usual: ['25.50', '10025.24'],
  },
  {
    set: 'time_offset',
    to: 'Z',
    see: async (calls) => {
      const [charge, event] = [await calls.cashin(pix), await paid(calls)]
      return [charge.created_at, charge.payment_info.expires_at, event.timestamp].map((text) =>
        text.replace(/.*\d/, ''),
      )
    },
    changed: ['Z', 'Z', 'Z'],
    usual: ['', '', ''],
  },
  {
    set: 'payment_methods',
    to: { spei: 'bank_transfer' },
    see: async (calls) => [(await calls.cashin(spei)).payment_method, (await calls.cashin(pix)).payment_method],
    changed: ['bank_transfer', 'pix'],
    usual: ['spei', 'pix'],
  },
  {
    set: 'network_labels',
    to: { ERC20: 'ETHEREUM' },
    see: async (calls) => [(await paid(calls, ethereum)).data.network, (await paid(calls, tron)).data.network],
    changed: ['ETHEREUM', 'TRC20'],
    usual: ['ERC20', 'TRC20'],
  },
  {
    set: 'min_confirmations',
    to: { tron: 19 },
    see: async (calls) => [
      (await calls.cashin(tron)).payment_info.min_confirmations,
      (await calls.cashin(ethereum)).payment_info.min_confirmations,
    ],
    changed: [19, 12],
    usual: [20, 12],
  },
  {
    set: 'sent_direction',
    to: 'out',
    see: async (calls) => {
      await calls.post('/v2/internal_transfers/payment', { username: 'customer', amount: 1, currency: 'BRL' })
      const { body } = await calls.post('/v2/account/transactions/list', { type: 'transfer' })
      return body.data.items[0].direction
    },
    changed: 'out',
    usual: 'sent',
  },
  {
    set: 'error_groups',
    to: { validation: 'request', INVALID_AMOUNT: 'money' },
    see: async (calls) =>
      Promise.all(
        [
          { currency: 'EUR', amount: 1 },
          { currency: 'BRL', amount: 0 },
        ].map(async (body) => (await calls.post('/v2/transactions/cashin', body)).body.error.group),
      ),
    changed: ['request', 'money'],
    usual: ['validation', 'validation'],
  },
  {
    set: 'retryable_errors',
    to: { INVALID_CURRENCY: true },
    see: async (calls) =>
      (await calls.post('/v2/transactions/cashin', { currency: 'EUR', amount: 1 })).body.error.retryable,
    changed: true,
    usual: false,
  },
  {
    set: 'fees',
    to: { BRL: { cashin: { fixed: '0.10', percent: 2 } } },
    see: async (calls) => [(await calls.cashin(pix)).fee, (await calls.cashin(tron)).fee],
    changed: [0.61, 0.26],
    usual: [0.26, 0.26],
  },
  {
    set: 'fee_rounding',
    to: 'down',
    see: async (calls) => (await calls.cashin(pix)).fee,
    changed: 0.25,
    usual: 0.26,
  },
  {
    set: 'limits',
    to: { BRL: { cashin: { min_amount: 30, max_amount: '50.00' } } },
    see: async (calls) => [
      await codeOf(calls.post('/v2/transactions/cashin', pix)),
      await codeOf(calls.post('/v2/transactions/cashin', { ...pix, amount: 51 })),
    ],
    changed: ['BELOW_MIN_LIMIT', 'EXCEEDS_MAX_LIMIT'],
    usual: [200, 200],
  },
  {
    set: 'unknown_filters',
    to: 'ignore',
    see: (calls) => codeOf(calls.post('/v2/account/transactions/list', { type: 'refund', page: 1 })),
    changed: 200,
    usual: 'INVALID_VALUE',
  },
  {
    set: 'page_size',
    to: 10,
    see: async (calls) => (await calls.post('/v2/account/transactions/list', {})).body.data.pagination.page_size,
    changed: 10,
    usual: 50,
  },
  {
    set: 'default_reasons',
    to: { 'cashin.refund': 'MANUAL_REFUND' },
    see: async (calls) => {
      await paid(calls)
      await calls.trigger('cashin.refund')
      return (await calls.event('cashin.refunded')).data.reason
    },
    changed: 'MANUAL_REFUND',
    usual: 'PROVIDER_REVERSAL',
  },
  {
    set: 'split_base',
    to: 'gross',
    see: async (calls) => {
      const balance = async () => (await calls.balance('customer')).BRL
      const split = [{ username: 'customer', percentage: 50 }]
      const before = await balance()
      const { transaction_id: id } = await calls.cashin({ amount: 100, currency: 'BRL', split })
      await calls.trigger('cashin.pay', { id })
      const whole = { ...pix, split: [{ username: 'customer', percentage: 100 }] }
      return [(await balance()) - before, await codeOf(calls.post('/v2/transactions/cashin', whole))]
    },
    changed: [50, 'INVALID_SPLIT_CONFIG'],
    usual: [49.5, 200],
  },
  {
    set: 'reverted_currency',
    to: 'source',
    see: async (calls) => {
      await calls.post('/v2/conversions/new', quoted)
      await calls.trigger('conversion.refund')
      const { data } = await calls.event('conversion.refunded')
      return [
        [data.amount_reverted_from, data.currency_reverted_from],
        [data.amount_returned_to, data.currency_returned_to],
        (await calls.balance('merchant')).BRL,
      ]
    },
    changed: [['100.00', 'BRL'], ['330.00', 'MXN'], 10_000],
    usual: [['330.00', 'MXN'], ['100.00', 'BRL'], 10_000],
  },
  {
    set: 'refunded_amount',
    to: 'without_fee',
    see: async (calls) => {
      await calls.cashout(toNobody)
      await calls.advance('3s')
      const { data } = await calls.event('cashout.failed')
      return [data.amount, data.refunded_amount, (await calls.balance('merchant')).BRL]
    },
    changed: ['10.00', '10.00', 10_000],
    usual: ['10.00', '11.00', 10_000],
  },
  {
    set: 'second_wallet',
    to: 'same',
    see: async (calls) => {
      const wallet = async (body: object) => (await calls.post('/v2/transactions/wallet', body)).body.data.wallet_id
      const usdt = { currency: 'USDT', chain: 'tron' }
      return [
        await wallet(usdt),
        await wallet({ currency: 'BRL' }),
        await wallet(usdt),
        await wallet({ currency: 'BRL' }),
      ]
    },
    changed: [1, 2, 1, 2],
    usual: [1, 2, 3, 4],
  },
  {
    set: 'payer_document',
    to: 'accept',
    see: (calls) => codeOf(calls.post('/v2/transactions/cashin', { ...pix, payer: { document: '111.111.111-11' } })),
    changed: 200,
    usual: 'INVALID_VALUE',
  },
  {
    set: 'fiat_chain',
    to: 'ignore',
    see: (calls) => codeOf(calls.post('/v2/transactions/cashin', { ...pix, chain: 'tron' })),
    changed: 200,
    usual: 'UNSUPPORTED_CHAIN',
  },
  {
    set: 'equal_currencies',
    to: 'INVALID_VALUE',
    see: (calls) => codeOf(calls.post('/v2/conversions/rate', { ...quoted, destination_currency: 'BRL' })),
    changed: 'INVALID_VALUE',
    usual: 'INVALID_CURRENCY',
  },
  {
    set: 'rate_decimals',
    to: 4,
    see: async (calls) =>
      (await calls.post('/v2/conversions/rate', { ...quoted, destination_currency: 'USDT' })).body.data.rate,
    changed: 0.1833,
    usual: 0.183333333333,
  },
  {
    set: 'quote_life',
    to: '2m',
    see: async (calls) => {
      const { data, timestamp } = (await calls.post('/v2/conversions/simulate', quoted)).body
      return Date.parse(data.expires_at) - Date.parse(timestamp)
    },
    changed: 120_000,
    usual: 30_000,
  },
]

/** Parses settings like the configuration file. */
function configFor(name: PlatformSetting, value: unknown): Partial<Config> {
  const { schema, toConfig: sets } = platformSettings[name]
  return (sets as (parsed: unknown) => Partial<Config>)(schema.parse(value))
}

test.each(cases)('the setting $set changes what the platform API does', async ({ set, to, see, changed, usual }) => {
  const seen = await Promise.all(
    [configFor(set, to), {}].map(async (config) => {
      const { url } = await openSandbox({ clock: 'manual', ...config })
      return see(await platformCalls(url))
    }),
  )
  expect(seen).toEqual([changed, usual])
})

/** Advances the clock to 23:30 in São Paulo, which is the next day in UTC. */
const lateMs = Date.parse('2030-01-01T23:30:00-03:00')

test.each([
  { set: 'limit_day', changed: [200, 'LIMIT_EXCEEDED'], usual: [200, 200] },
  { set: 'filter_day', changed: 0, usual: 1 },
] as const)('the setting $set moves the midnight of the day', async ({ set, changed, usual }) => {
  for (const [offset, expected] of [
    ['Z', changed],
    ['-03:00', usual],
  ] as const) {
    const limits = configFor('limits', { BRL: { cashin: { daily_limit: 30 } } })
    const { url } = await openSandbox({ clock: 'manual', ...limits, ...configFor(set, offset) })
    const calls = await platformCalls(url)
    await calls.advance(`${lateMs - Date.now()}ms`)
    const later = await platformCalls(url)
    const first = await codeOf(later.post('/v2/transactions/cashin', pix))
    await later.advance('45m')
    if (set === 'limit_day') {
      expect([first, await codeOf(later.post('/v2/transactions/cashin', pix))], offset).toEqual(expected)
      continue
    }
    const { body } = await later.post('/v2/account/transactions/list', {
      from_date: '2030-01-01',
      to_date: '2030-01-01',
    })
    expect(body.data.pagination.total, offset).toBe(expected)
  }
})
