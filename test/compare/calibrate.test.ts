/** A comparison finds the settings of another sandbox, and the written profile removes the differences. */
import { expect, test } from 'vitest'
import { profileOf } from '../../src/compare/core/profile.js'
import { configOf, type PlatformSetting, platformSettings } from '../../src/protocol/settings/platform.js'
import type { StartOptions } from '../../src/testing/options.js'
import { compareEntries, differences } from '../support/compared.js'
import { playEverything, playRare, recordTraffic } from '../support/recorded-traffic.js'

/** Settings of the configuration file, each with a value that a recording reveals. */
const learnable: Partial<Record<PlatformSetting, unknown>> = {
  pix_charge_life: '15m',
  crypto_charge_life: '10m',
  clabe_life: '2h',
  below_minimum: 'INVALID_AMOUNT',
  dispute_deadline: 'lose',
  withdrawal_status: 200,
  wrong_destination: 'reject',
  empty_fields: 'absent',
  answer_amounts: 'string',
  amount_decimals: 'shortest',
  time_offset: 'Z',
  payment_methods: { crypto: 'blockchain', spei: 'bank_transfer' },
  network_labels: { ERC20: 'ETHEREUM' },
  min_confirmations: { tron: 19 },
  sent_direction: 'out',
  error_groups: { INVALID_CURRENCY: 'request' },
  retryable_errors: { INVALID_CURRENCY: true },
  fees: { BRL: { cashin: { percent: '1.5' } } },
  limits: { BRL: { cashin: { max_amount: '5000' } } },
  unknown_filters: 'ignore',
  page_size: 20,
  default_reasons: { 'dispute.lose': 'MED_LOST' },
  second_wallet: 'same',
  payer_document: 'accept',
  fiat_chain: 'ignore',
  equal_currencies: 'INVALID_VALUE',
  quote_life: '2m',
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

const remove = ({ platform: _platform, ...settings }: Record<string, unknown>) => settings

test('a comparison finds each setting of a platform once, with its value, and the profile removes all differences', async () => {
  const entries = await recordTraffic(optionsOf(learnable), async (played) => {
    await playEverything(played)
    await playRare(played)
  })
  const report = await compareEntries(entries)
  const found = differences(report).map(({ verdict, setting, value }) => [verdict, setting, value])
  const expected = names.map((name) => ['assumption_wrong', name, learnable[name]])
  expect(found.sort(), JSON.stringify(differences(report), null, 1)).toEqual(expected.sort())
  const profile = remove(profileOf(report))
  expect(profile).toEqual(learnable)
  expect(differences(await compareEntries(entries, parsed(profile)))).toEqual([])
})
