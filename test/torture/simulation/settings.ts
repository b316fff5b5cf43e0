/** Settings that a history may have. The model follows those that change amounts, moments or codes; it must agree whatever the others are. */
import { configOf, type PlatformSetting, platformSettings } from '../../../src/protocol/settings/platform.js'
import { type Rules, usualRules } from '../../support/model.js'
import type { Chance } from './chance.js'

interface Variant {
  value: unknown
  rules?: Partial<Rules>
}

const plain = (...values: unknown[]): Variant[] => values.map((value) => ({ value }))

const variants: Partial<Record<PlatformSetting, readonly Variant[]>> = {
  strict: plain(true),
  seed: plain('simulated'),
  demo_secrets: plain('known'),
  cashout_settle: [
    { value: 'manual', rules: { settleMs: null } },
    { value: '5s', rules: { settleMs: 5000 } },
  ],
  pix_charge_life: [{ value: '10m', rules: { pixLifeMs: 600_000 } }],
  crypto_charge_life: [{ value: '2h', rules: { cryptoLifeMs: 7_200_000 } }],
  below_minimum: [{ value: 'INVALID_AMOUNT', rules: { belowMinimum: 'INVALID_AMOUNT' } }],
  dispute_deadline: [
    { value: 'lose', rules: { atDeadline: 'dispute.lose' } },
    { value: 'manual', rules: { atDeadline: null } },
  ],
  daily_limit_returns: [{ value: 'never', rules: { returnsToLimit: false } }],
  withdrawal_status: [{ value: 201, rules: { withdrawalStatus: 201 } }],
  equal_currencies: [{ value: 'INVALID_VALUE', rules: { equalCurrencies: 'INVALID_VALUE' } }],
  platform: plain({ order_of_checks: { verdict: 'assumption_confirmed', recordings: 2 } }),
  chaos: plain('off'),
  clabe_life: plain('1h'),
  bank_code_mismatch: plain('ignore'),
  filter_day: plain('Z'),
  unknown_filters: plain('ignore'),
  page_size: plain(1, 7),
  default_reasons: plain({ 'cashin.refund': 'asked for' }),
  webhook_rate_key: plain('account'),
  reverted_currency: plain('source'),
  refunded_amount: plain('without_fee'),
  payer_document: plain('accept'),
  fiat_chain: plain('ignore'),
  quote_life: plain('1s'),
  answer_amounts: plain('string'),
  empty_fields: plain('absent'),
  time_offset: plain('Z', '+05:30'),
  payment_methods: plain({ crypto: 'chain' }),
  network_labels: plain({ TRC20: 'TRON' }),
  min_confirmations: plain({ tron: 7 }),
  error_groups: plain({ business: 'rules' }),
  retryable_errors: plain({ INVALID_TRANSITION: true }),
}

/** The settings of every history, beside `rate_limits`, which depends on its kind. */
export const fixedSettings: readonly PlatformSetting[] = ['clock', 'rates', 'spread_percent', 'accounts']

/** The number of a variant, by setting. */
export type Settings = Partial<Record<PlatformSetting, number>>

const variedNames = Object.keys(variants) as PlatformSetting[]

/** Each setting differs from its default in a tenth of the histories that have any. */
export function drawSettings(chance: Chance): Settings {
  if (chance.hit(0.4)) return {}
  const chosen = variedNames.filter(() => chance.hit(0.12))
  return Object.fromEntries(chosen.map((name) => [name, chance.int(variants[name]?.length ?? 0)]))
}

const variantOf = (name: PlatformSetting, index: number) => variants[name]?.[index]

export function configWith(settings: Settings) {
  const values = Object.entries(settings).map(([key, index]) => {
    // The keys of `Settings` are settings.
    const name = key as PlatformSetting
    return [name, platformSettings[name].schema.parse(variantOf(name, index)?.value)]
  })
  return configOf(Object.fromEntries(values))
}

export const rulesWith = (settings: Settings): Rules =>
  Object.assign(
    { ...usualRules },
    ...Object.entries(settings).map(([name, index]) => variantOf(name as PlatformSetting, index)?.rules ?? {}),
  )
