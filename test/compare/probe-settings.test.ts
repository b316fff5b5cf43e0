/** Each setting of an assumption, switched in the probed sandbox: exactly the probes that show the assumption differ. */
import { describe, expect, test } from 'vitest'
import { probeIds, probeOf } from '../../src/features/compare/probe/probes.js'
import { assumptionRows } from '../../src/protocol/platform/assumptions.js'
import { byCurrency, chainNames, networkLabels } from '../../src/protocol/platform/currencies.js'
import { errorCatalogue, errorCodes, errorGroups } from '../../src/protocol/platform/errors.js'
import { type PlatformSetting, platformSettings } from '../../src/protocol/settings/platform.js'
import { otherSettings, verdictOf } from '../support/other-settings.js'
import { differing, findingsOf, probeSandbox } from '../support/probed.js'

const tableOf = <Value>(names: readonly string[], value: (name: string) => Value): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, value(name)]))

const flipped = (code: string) => !('retryable' in errorCatalogue[code as keyof typeof errorCatalogue])

/** Minimums that are not documented. */
const smallest = {
  MXN: { cashin: { min_amount: '12', max_amount: '4000' } },
  BNB: { cashin: { min_amount: '0.0012', max_amount: '4000' } },
}

/** Another value of each setting that probes show. */
const switched: Partial<Record<PlatformSetting, unknown>> = {
  ...otherSettings,
  network_labels: tableOf(
    networkLabels.filter((label) => label !== 'PIX' && label !== 'TRC20'),
    (label) => `${label}_NET`,
  ),
  min_confirmations: tableOf(chainNames, () => 7),
  error_groups: tableOf(errorGroups, (group) => `${group}_error`),
  retryable_errors: tableOf(errorCodes, flipped),
  fees: byCurrency(() => ({ cashin: { percent: '2' }, cashout: { percent: '3' }, conversion: { percent: '1' } })),
  fee_rounding: 'up',
  limits: { ...byCurrency(() => ({ cashin: { max_amount: '4000' } })), ...smallest },
  rate_decimals: 4,
  rates: { USDT: '5.13' },
  cashout_settle: '7s',
  bank_code_mismatch: 'ignore',
}

/** Settings that no probe shows. */
const unobserved: Partial<Record<PlatformSetting, string>> = {
  clabe_life: 'a run ends before a SPEI charge could expire',
  limit_day: 'a run is not at the start of a day',
  daily_limit_returns: 'a run does not reach a daily limit',
  filter_day: 'a run is not at the start of a day',
  dispute_deadline: 'only a payer opens a dispute',
  default_reasons: 'only the platform refunds',
  reverted_currency: 'only the platform reverses a conversion',
  webhook_rate_key: 'a run causes too few webhooks',
  split_base: 'nobody pays the charges',
  sent_direction: 'a run has one account',
  strict_webhooks: 'the receiver of a run has an http:// URL',
  rate_limits: 'a run keeps to the documented rates',
  spread_percent: 'has the same assumption as the rates',
}

/** `retries` waits for seconds, and shows what other webhooks show. A withdrawal settles at once on both sides, so that a run is short. */
const settle = { cashoutSettle: 'auto', cashoutSettleMs: 150 } as const

const expectedOf = (setting: PlatformSetting) => {
  const ids = assumptionRows.filter((row) => row.setting === setting).map(({ id }) => id)
  const shown = probeIds.filter((id) => probeOf(id).shows.some((one) => ids.includes(one as (typeof ids)[number])))
  return shown.filter((id) => id !== 'retries').sort()
}

test('every setting of an assumption is shown by a probe, or says why not', () => {
  const settings = Object.entries(platformSettings).flatMap(([name, { isAssumed }]) => (isAssumed ? [name] : []))
  expect(settings.filter((name) => !(name in switched) && !(name in unobserved))).toEqual([])
})

const others = [...(Object.entries(switched) as [PlatformSetting, unknown][]), ['fee_rounding', 'down'] as const]
/** The documentation says this all the same. */
const besides: Partial<Record<PlatformSetting, string[]>> = { crypto_charge_life: ['crypto-address-life'] }
/** What cannot be seen with another value of a setting, with its assumption. */
const hidden: Partial<Record<PlatformSetting, Record<string, string>>> = {
  below_minimum: tableOf(
    ['error:BELOW_MIN_LIMIT', ...['BRL', 'USDT', 'USDC', 'BTC', 'ETH', 'SOL'].map((name) => `minimum:${name}`)],
    () => 'below_minimum',
  ),
  // The charge of the smallest amount by SPEI is rejected.
  limits: { 'charge-spei-clabe': 'limits' },
  // Neither side sends a `key_type` that is ignored.
  empty_fields: { key_type_ignored: 'missing_values' },
  // With the fees of that sandbox, no fee of the run is rounded up by a half.
  fees: { rounding: 'fees' },
  // No withdrawal of such a run fails.
  wrong_destination: tableOf(
    [
      'event:cashout.failed',
      'failure:INVALID_ADDRESS',
      'failure:PIX_KEY_NOT_FOUND',
      'refunded_amount',
      'bank_code_mismatch',
      'withdrawal-failed',
      'withdrawal-network',
    ],
    () => 'wrong_destination',
  ),
}
const camel = (name: string) => name.replace(/_./g, (part) => part.charAt(1).toUpperCase())

test('an assumption whose setting no probe shows is not counted as observed, unless it is about more than the setting', () => {
  const silent = assumptionRows.filter(({ setting }) => setting !== undefined && setting in unobserved)
  const shown = new Set<string>(probeIds.flatMap((id) => probeOf(id).shows))
  expect(silent.filter(({ id }) => shown.has(id)).map(({ id }) => id)).toEqual(['split_items', 'http_addresses'])
  expect(silent.map(({ id }) => id)).toContain('filter_day')
})

describe.concurrent('a sandbox with another', () => {
  test.each(others)('%s differs in exactly the probes that show its assumption: %j', async (name, value) => {
    const options = { cashoutSettle: '150ms', [camel(name)]: value }
    // Only the second wallet of such a sandbox has no webhook.
    const webhookMs = name === 'second_wallet' ? 8000 : 30_000
    const report = await probeSandbox(options, { without: ['retries'], config: settle, webhookMs })
    const failed = report.probes.filter(({ result }) => result === 'failed' || result === 'not_run')
    expect(failed).toEqual([])
    expect(differing(report).sort(), JSON.stringify(findingsOf(report), null, 1)).toEqual(expectedOf(name))
    const found = findingsOf(report)
    expect(
      found.map(({ verdict, setting }) => [verdict, setting]),
      JSON.stringify(found, null, 1),
    ).toEqual([[verdictOf(name), name]])
    const own = new Set(assumptionRows.flatMap(({ id, setting }) => (setting === name ? [id] : [])))
    expect(report.rows.differ.filter((row) => !own.has(row))).toEqual(besides[name] ?? [])
    expect(report.rows.differ.filter((row) => own.has(row))).toContain(found[0]?.assumption)
    expect(report.rows.hidden).toEqual(hidden[name] ?? {})
  })
})
