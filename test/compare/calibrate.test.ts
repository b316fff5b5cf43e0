/** A comparison finds the settings of another sandbox, and the written profile removes the differences. */
import { expect, test } from 'vitest'
import { durationText, profileOf } from '../../src/features/compare/judge/calibrate.js'
import { configOf, type PlatformSetting, platformSettings } from '../../src/protocol/settings/platform.js'
import type { StartOptions } from '../../src/testing/options.js'
import { changeBody, compareEntries, differences } from '../support/compared.js'
import { otherSettings, verdictOf } from '../support/other-settings.js'
import { playCharges, playEverything, playRare, recordTraffic } from '../support/recorded-traffic.js'

/** Settings of the configuration file, each with a value that a recording reveals. */
const learnable: Partial<Record<PlatformSetting, unknown>> = {
  ...otherSettings,
  clabe_life: '2h',
  dispute_deadline: 'lose',
  network_labels: { ERC20: 'ETHEREUM' },
  min_confirmations: { tron: 19 },
  sent_direction: 'out',
  error_groups: { INVALID_CURRENCY: 'request' },
  retryable_errors: { INVALID_CURRENCY: true },
  fees: { BRL: { cashin: { percent: '1.5' } } },
  limits: { BRL: { cashin: { max_amount: '5000' } } },
  default_reasons: { 'dispute.open': 'FRAUD_SUSPECTED', 'dispute.lose': 'MED_LOST' },
  reverted_currency: 'source',
}
/** Settings whose values depend on those above. */
const dependent: Partial<Record<PlatformSetting, unknown>> = {
  spread_percent: 3,
  fees: { BRL: { cashin: { percent: '1.11' } } },
  fee_rounding: 'down',
  default_reasons: { 'cashout.refund': 'RETURNED' },
}
/** Settings of conversions, which depend on each other, and of withdrawals: one set for each recording. */
const apart: readonly Partial<Record<PlatformSetting, unknown>>[] = [
  { rates: { USDT: '5.13', BTC: '412345.67', ETH: '19876.5' } },
  { rate_decimals: 6 },
  { rates: { USDT: '5.13' }, rate_decimals: 4 },
  { cashout_settle: '5s' },
]
/** Settings that a comparison does not name. */
const unnamed: Partial<Record<PlatformSetting, string>> = {
  strict_webhooks: 'a recording shows only the URLs that the integrator used',
  daily_limit_returns: 'a recording does not show what counted towards a daily limit',
  limit_day: 'a recording does not show when the day of a limit started',
  filter_day: 'a recording does not show which days a filter compared',
  bank_code_mismatch: 'a failed withdrawal does not show whether its bank code was compared',
  webhook_rate_key: 'a recording does not show which account a credential belongs to',
  split_base: 'a recording shows only the account that created the charge, not the shares of the others',
}
const names = Object.keys(learnable) as PlatformSetting[]

function optionsOf(values: Partial<Record<PlatformSetting, unknown>>): StartOptions {
  const camel = (name: string) => name.replace(/_./g, (part) => part.charAt(1).toUpperCase())
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [camel(name), value]))
}

const parsed = (values: Readonly<Record<string, unknown>>) =>
  configOf(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        platformSettings[name as PlatformSetting].schema.parse(value),
      ]),
    ),
  )

const put = (fee: number) => (body: { data: { fee: number } }) => {
  body.data.fee = fee
}
const remove = ({ platform: _platform, ...settings }: Record<string, unknown>) => settings

test('a comparison finds each setting of a platform once, with its value, and the profile removes all differences', async () => {
  const entries = await recordTraffic(optionsOf(learnable), async (played) => {
    await playEverything(played)
    await playRare(played)
  })
  const report = await compareEntries(entries)
  const found = differences(report).map(({ verdict, setting, value }) => [verdict, setting, value])
  const expected = names.map((name) => [verdictOf(name), name, learnable[name]])
  expect(found.sort(), JSON.stringify(differences(report), null, 1)).toEqual(expected.sort())
  const profile = remove(profileOf(report))
  expect(profile).toEqual(learnable)
  expect(differences(await compareEntries(entries, parsed(profile)))).toEqual([])
  // A part of the profile removes exactly the findings that it names.
  const half = Object.fromEntries(Object.entries(profile).filter((_, at) => at % 2 === 0))
  const left = differences(await compareEntries(entries, parsed(half))).map(({ setting }) => setting)
  expect(left.sort()).toEqual(names.filter((name) => !(name in half)).sort())
})

test('a comparison finds settings that depend on others, and the profile removes all differences', async () => {
  const entries = await recordTraffic(optionsOf(dependent))
  const report = await compareEntries(entries)
  const profile = remove(profileOf(report))
  expect(profile, JSON.stringify(differences(report), null, 1)).toEqual({ ...dependent, spread_percent: 3 })
  expect(
    differences(report)
      .map(({ setting }) => setting)
      .sort(),
  ).toEqual(Object.keys(dependent).sort())
  expect(differences(report).find(({ setting }) => setting === 'fee_rounding')?.about).toMatch(/^Rounding: /)
  expect(differences(await compareEntries(entries, parsed(profile)))).toEqual([])
})

test('other fees, rounded up and written as texts, are found without consequences', async () => {
  const cashin = { fixed: '0.35', percent: '1.11' }
  const settings = { answer_amounts: 'string', fees: { BRL: { cashin } }, fee_rounding: 'up' }
  const entries = await recordTraffic(optionsOf(settings), async (played) => {
    await played.api.fees()
    await playEverything(played)
  })
  const report = await compareEntries(entries)
  expect(remove(profileOf(report)), JSON.stringify(differences(report), null, 1)).toEqual(settings)
  expect(
    differences(report)
      .map(({ setting }) => setting)
      .sort(),
  ).toEqual(Object.keys(settings).sort())
})

test.each(apart)('a comparison finds %o, and the profile removes all differences', async (settings) => {
  const entries = await recordTraffic(optionsOf(settings), async (played) => {
    await playEverything(played)
    await played.api.rate({ base_currency: 'BTC', destination_currency: 'USDT', amount: 0.01 })
    await played.api.rate({ base_currency: 'USDT', destination_currency: 'ETH', amount: 4000 })
  })
  const report = await compareEntries(entries)
  const profile = remove(profileOf(report))
  expect(profile, JSON.stringify(differences(report), null, 1)).toEqual(settings)
  expect(
    differences(report)
      .map(({ setting }) => setting)
      .sort(),
  ).toEqual(Object.keys(settings).sort())
  expect(differences(await compareEntries(entries, parsed(profile)))).toEqual([])
})

test('a comparison from other settings names the standard ones of the platform', async () => {
  const config = parsed({ pix_charge_life: '15m', answer_amounts: 'string' })
  const found = differences(await compareEntries(await recordTraffic({}), config))
  expect(found.map(({ setting, value }) => [setting, value]).sort()).toEqual([
    ['answer_amounts', 'number'],
    ['pix_charge_life', '1h'],
  ])
})

test('a spread and the rate of another currency are found beside each other', async () => {
  const settings = { spread_percent: 3, rates: { BTC: '360000' } }
  const entries = await recordTraffic(optionsOf(settings), async ({ api }) => {
    await api.rate({ base_currency: 'BRL', destination_currency: 'USDT', amount: 100 })
    await api.rate({ base_currency: 'BTC', destination_currency: 'BRL', amount: 0.01 })
  })
  const profile = remove(profileOf(await compareEntries(entries)))
  expect(profile).toEqual(settings)
  expect(differences(await compareEntries(entries, parsed(profile)))).toEqual([])
})

test('rates that follow from each other are found, although another difference has no setting', async () => {
  const rates = { USDT: '5.13', BTC: '412345.67', ETH: '19876.5', SOL: '912.25' }
  const entries = await recordTraffic(optionsOf({ rates }), async ({ api }) => {
    await api.rate({ base_currency: 'BRL', destination_currency: 'USDT', amount: 100 })
    await api.rate({ base_currency: 'USDT', destination_currency: 'BTC', amount: 1000 })
    await api.rate({ base_currency: 'BTC', destination_currency: 'ETH', amount: 0.1 })
    await api.rate({ base_currency: 'ETH', destination_currency: 'SOL', amount: 1 })
    for (const amount of [250, 260]) await api.cashin({ amount, currency: 'MXN' })
  })
  changeBody(entries, '/transactions/cashin', ({ data }) => void Object.assign(data, { payment_method: 'clabe' }))
  const found = differences(await compareEntries(entries)).map(({ setting, value }) => [setting, value])
  expect(found.sort()).toEqual([
    [null, null],
    ['rates', rates],
  ])
})

test('a table that is right in part is named, and what it does not explain stays a difference', async () => {
  const reasons = { 'dispute.open': 'FRAUD_SUSPECTED' }
  const entries = await recordTraffic(optionsOf({ default_reasons: reasons }), async ({ sandbox, api }) => {
    for (const at of [1, 2, 3]) {
      const { transaction_id: id } = await api.cashin({ amount: 40 + at, currency: 'BRL' })
      await sandbox.trigger('cashin.pay', { id })
      await sandbox.clock.advance('1s')
      if (at === 3) await sandbox.trigger('cashin.refund', { id, amount: 20, reason: 'SENT_TOO_MUCH' })
      else await sandbox.trigger('dispute.open', { id })
      await sandbox.clock.advance('1s')
    }
    await api.transactionList({})
  })
  const list = entries.at(-1).response.content
  list.text = list.text.replace('SENT_TOO_MUCH', 'LATE')
  const found = differences(await compareEntries(entries)).map(({ setting, value }) => [setting, value])
  expect(found.sort()).toEqual([
    [null, null],
    ['default_reasons', reasons],
  ])
})

test('a documented minimum and one that is not are two findings with one setting', async () => {
  const limits = { BRL: { cashin: { min_amount: '2' }, cashout: { min_amount: '2' } } }
  const entries = await recordTraffic(optionsOf({ limits }), async ({ api }) => void (await api.limits()))
  const found = differences(await compareEntries(entries)).map(({ verdict, setting }) => [verdict, setting])
  expect(found).toEqual([
    ['documentation_wrong', 'limits'],
    ['assumption_wrong', 'limits'],
  ])
})

test.each([
  [0, null],
  [1, '1s'],
])('a PIX charge that lives %d s has the setting %s', async (expiration, value) => {
  const entries = await recordTraffic({ pixChargeLife: '1s' }, async ({ api }) => {
    await api.cashin({ amount: 20, currency: 'BRL' })
  })
  changeBody(entries, '/transactions/cashin', ({ data }) => void Object.assign(data.payment_info, { expiration }))
  const found = differences(await compareEntries(entries)).map((one) => [one.assumption, one.value])
  expect(found).toEqual([['pix_charge_life', value]])
})

test('a duration in a profile is at least a millisecond, and has no fraction of one', () => {
  expect([0.2, 1.4, 1500, 900_000].map(durationText)).toEqual(['1ms', '1ms', '1500ms', '15m'])
})

test('a profile says which assumptions are wrong and which are confirmed, and when that was seen', async () => {
  const report = await compareEntries(await recordTraffic({ pixChargeLife: '15m' }, playCharges))
  const seen = { recordings: 1, last_seen: report.last_seen }
  expect(profileOf(report).platform).toMatchObject({
    pix_charge_life: { verdict: 'assumption_wrong', ...seen },
    payment_methods: { verdict: 'assumption_confirmed', ...seen },
  })
})

test('a fee that is known for one amount may be fixed or a percentage, and the note asks for a second amount', async () => {
  const entries = await recordTraffic(
    optionsOf({ fees: { BRL: { cashin: { fixed: '2.50', percent: '0' } } } }),
    async ({ api }) => void (await api.cashin({ amount: 100, currency: 'BRL' })),
  )
  const report = await compareEntries(entries)
  expect(differences(report).map(({ setting }) => setting)).toEqual(['fees'])
  expect(report.left_out.map(({ reason }) => reason)).toContain(
    'only one amount of BRL cashin was recorded, so its fee may be fixed or a percentage: record a second amount',
  )
})

test('a setting that does not make a difference vanish is not named', async () => {
  const entries = await recordTraffic({}, playCharges)
  for (const [at, fee] of [1.99, 2.5].entries())
    changeBody(entries, '/transactions/cashin', put(fee), `order-${at + 1}`)
  const report = await compareEntries(entries)
  expect(differences(report).map(({ assumption, setting, value }) => [assumption, setting, value])).toEqual([
    ['fees', null, null],
  ])
  expect(remove(profileOf(report))).toEqual({})
})

test('every setting of an assumption is found by a comparison, or says why not', () => {
  const settings = Object.entries(platformSettings).flatMap(([name, { isAssumed }]) => (isAssumed ? [name] : []))
  const known = Object.keys({ ...learnable, ...dependent, ...Object.assign({}, ...apart), ...unnamed })
  expect(settings.filter((name) => !known.includes(name))).toEqual([])
})
