/** Computes the values of settings with which the sandbox would agree with the platform, and the profile that has them. */
import { type Config, type Observed, type PlatformSetting, platformSettings } from '../../../inside/control.js'
import {
  type AssumptionId,
  type Currency,
  currencies,
  type Endpoint,
  endpoints as endpointTable,
  feeRoundings,
  isCurrency,
  railOf,
} from '../../../inside/platform.js'
import {
  exactDuration,
  fieldsIn,
  isJsonObject,
  isKeyOf,
  keysOf,
  mapRows,
  parseMoment,
  rowAt,
  secondMs,
} from '../../../inside/values.js'
import { rateOf } from '../../../inside/workspace.js'
import type { Comparison, Finding } from './comparison.js'
import { zoneOf } from './field-value.js'
import type { Scene } from './judge.js'
import type { Difference } from './values.js'
import { passes } from './verdicts.js'

/** As in a setting: at least one millisecond, and no fraction of one. */
export const durationText = (ms: number): string => exactDuration(Math.max(1, Math.round(ms)))

const endpoints: Readonly<Partial<Record<string, Endpoint>>> = endpointTable

/** Returns null if the difference does not show the value. */
type Learn = (difference: Difference, scene: Scene, config: Config) => unknown

const life: Learn = ({ path, platform }) =>
  path.endsWith('expiration') && typeof platform === 'number' && platform > 0 ? durationText(platform * secondMs) : null
const asSent: Learn = ({ platform }) => platform
/** One of two values: the first if the platform rejects what the sandbox accepts, the second in the opposite case. */
const byOutcome =
  (ifRejected: string | boolean | null, ifAccepted: string | boolean | null): Learn =>
  ({ kind, platform }) =>
    kind === 'outcome' ? (typeof platform === 'string' ? ifRejected : ifAccepted) : null
const ofCode: Learn = ({ platform }, { codes }) =>
  codes?.sandbox == null || platform === undefined ? null : { [codes.sandbox]: platform }
/** A table by currency and operation, from the endpoint that lists it, or from the details of an error. */
const ofItem: Learn = ({ path, platform, holder: { currency, operation } }, { name }) => {
  const isShown = path.includes('[].') || path.startsWith('error.details.')
  const of = operation ?? endpoints[name]?.operation
  const isDecimal = typeof platform === 'number' || (typeof platform === 'string' && decimalText.test(platform))
  return isShown && isCurrency(currency) && typeof of === 'string' && isDecimal
    ? { [currency]: { [of]: { [lastOf(path)]: String(platform) } } }
    : null
}
const decimalText = /^\d+(?:\.\d+)?$/
const lastOf = (path: string) => path.slice(path.lastIndexOf('.') + 1)
/** The key whose value the sandbox sends, which a setting may have changed already. */
const keyOf = (table: Readonly<Record<string, string | undefined>>, sent: unknown) =>
  Object.keys(table).find((key) => table[key] === sent)

const values: Readonly<Partial<Record<string, Learn>>> = {
  pix_charge_life: life,
  crypto_expiry: life,
  clabe_expiry: ({ platform }) => (platform === 'expired' ? null : platform),
  below_minimum: asSent,
  dispute_deadline: asSent,
  cashout_settle: asSent,
  bank_code_mismatch: asSent,
  withdrawal_answer: ({ path, platform }) => (path === 'status' && typeof platform === 'number' ? platform : null),
  missing_values: ({ platform, sandbox }) => {
    if (platform === undefined && sandbox === null) return 'absent'
    return platform === null && sandbox === undefined ? 'null' : null
  },
  amount_types: ({ platform }) => (typeof platform === 'string' ? 'string' : 'number'),
  amount_decimals: ({ platform, sandbox }) => (String(platform).length < String(sandbox).length ? 'shortest' : 'full'),
  times_with_offset: ({ platform, sandbox }) =>
    zoneOf(String(platform)) === zoneOf(String(sandbox)) ? null : zoneOf(String(platform)),
  payment_methods: ({ platform, currency }, scene) => {
    const of = currency ?? scene.currency
    return isCurrency(of) ? { [railOf(of).method]: platform } : null
  },
  network_labels: ({ platform, sandbox }, _scene, { networkLabels }) => ({
    [keyOf(networkLabels, sandbox) ?? String(sandbox)]: platform,
  }),
  confirmations: ({ platform, holder: { chain } }) => (typeof chain === 'string' ? { [chain]: platform } : null),
  transfer_direction: ({ platform, sandbox }, _scene, { sentDirection }) =>
    sandbox === sentDirection ? platform : null,
  error_groups: ofCode,
  retryable_errors: ofCode,
  retryable_faults: ofCode,
  fees: ofItem,
  limits: ofItem,
  pages: ({ path, platform }, { request }) =>
    path.endsWith('.page_size') && isJsonObject(request) && request.page_size === undefined ? platform : null,
  default_reasons: ({ platform, sandbox }, _scene, { reasons }) => {
    const key = keyOf(reasons, sandbox)
    return key === undefined ? null : { [key]: platform }
  },
  second_wallet: ({ path }, _scene, { secondWallet }) =>
    path.endsWith('wallet_id') ? (secondWallet === 'new' ? 'same' : 'new') : null,
  refunded_amount: (_difference, _scene, { refundedAmount }) =>
    refundedAmount === 'with_fee' ? 'without_fee' : 'with_fee',
  reverted_currency: ({ path }, _scene, { revertedCurrency }) =>
    path.startsWith('data.currency_') ? (revertedCurrency === 'destination' ? 'source' : 'destination') : null,
  payer_document: byOutcome(null, 'accept'),
  wrong_destination: byOutcome('reject', 'fail'),
  chain_rules: byOutcome(null, 'ignore'),
  filter_values: byOutcome(null, 'ignore'),
  http_addresses: byOutcome(true, false),
  exchange_rates: ({ path, platform }, { request }, config) => {
    if (path === 'data.spread') return null
    const { base_currency: from, destination_currency: to } = fieldsIn(request)
    const worth = Number(platform) / (1 - Number(config.spreadPercent) / 100)
    if (!isCurrency(from) || !isCurrency(to) || !(worth > 0)) return null
    const { rates } = config
    // Rates are relative to the currency whose rate is 1, or to one that was learned before.
    const isKnown = (name: Currency) => Number(rates[name]) === 1 || rates[name] !== currencies[name].valueInBrl
    if (!isKnown(from) && !isKnown(to)) return null
    const isTo = Number(rates[from]) === 1 || !isKnown(to)
    const [other, price] = isTo ? [to, Number(rates[from]) / worth] : [from, Number(rates[to]) * worth]
    const prices = Array.from({ length: 15 }, (_, at) => String(Number(price.toPrecision(at + 1))))
    const rateAt = (text: string) => Number(rateOf({ ...config, rates: { ...rates, [other]: text } }, from, to))
    // A rate with few decimals is more likely exact than cut.
    const isLike = placesOf(platform) < leastRatePlaces ? isSame : isCut
    return { [other]: prices.find((text) => isLike(Number(platform), rateAt(text))) ?? null }
  },
  equal_currencies: ({ path, platform }) => (path === 'error.code' ? platform : null),
  quote_life: ({ platform, sandbox }, _scene, { quoteLifeMs }) => {
    const [one, other] = [parseMoment(String(platform)), parseMoment(String(sandbox))]
    if (one === null || other === null) return null
    const ms = Math.round((quoteLifeMs + one - other) / secondMs) * secondMs
    return ms > 0 ? durationText(ms) : null
  },
} satisfies Partial<Record<AssumptionId, Learn>>

/** A value of a setting that could make a difference vanish. */
export interface Candidate {
  assumption: string | null
  setting: PlatformSetting
  value: unknown
  /** Whether another value is not tried. */
  isOnce?: true
  /** The setting that is tried before, and explains the same. */
  replaces?: PlatformSetting
}

/** In the order in which they are tried; a finding about fees, for example, may be about their rounding. */
export function candidatesOf(
  { verdict, assumption, setting, value, path, platform, sandbox }: Finding,
  config: Config,
): Candidate[] {
  if (passes(verdict)) return []
  const own = { assumption, setting, value }
  const plain = isCandidate(own) ? [own] : []
  if (assumption === 'fees' || assumption === 'conversion_fee')
    return [
      ...plain,
      ...keysOf(feeRoundings).map((to) => ({ assumption: 'rounding', setting: 'fee_rounding' as const, value: to })),
    ]
  if (assumption === 'balance_fields')
    return [{ assumption: 'split_items', setting: 'split_base' as const, value: 'gross', isOnce: true }]
  if (assumption !== 'exchange_rates') return plain
  if (path === 'data.spread') return [{ assumption, setting: 'spread_percent', value: platform }]
  const spread = spreadOf(Number(platform), Number(sandbox), Number(config.spreadPercent))
  const isShorter = placesOf(platform) >= leastRatePlaces && isCut(Number(platform), Number(sandbox))
  const hasRoundSpread = Number.isInteger(Number(config.spreadPercent) * 10)
  return [
    ...(isShorter ? [{ assumption: 'rate_digits', setting: 'rate_decimals' as const, value: placesOf(platform) }] : []),
    { assumption, setting: 'spread_percent', value: spread, isOnce: true },
    // A spread with few decimals is no coincidence, so other rates come beside it.
    ...plain.map((one) => (hasRoundSpread ? one : { ...one, replaces: 'spread_percent' as const })),
  ]
}

const isCandidate = (one: { setting: string | null; value: unknown; assumption: string | null }): one is Candidate =>
  one.setting !== null && isKeyOf(platformSettings, one.setting) && one.value !== null

/** With fewer decimals, small rates would be 0. */
const leastRatePlaces = 4
const isSame = (rate: number, exact: number) => Math.abs(exact - rate) < 10 ** -12
const placesOf = (value: unknown) => String(value).split('.')[1]?.length ?? 0
/** Whether a rate is another one without the last decimals. The tolerance is for binary fractions. */
const isCut = (rate: number, exact: number) =>
  exact - rate > -(10 ** -15) && exact - rate < 10 ** -placesOf(rate) * (1 - 10 ** -3)

/** Rates are proportional to what the spread leaves. */
const spreadOf = (platform: number, sandbox: number, percent: number) =>
  Number((100 - (platform / sandbox) * (100 - percent)).toFixed(4))

export function settingValueOf(
  assumption: string | null,
  difference: Difference,
  scene: Scene,
  config: Config,
): unknown {
  return (assumption === null ? undefined : values[assumption]?.(difference, scene, config)) ?? null
}

/** Tables of several places become one; otherwise the first value counts. */
export function mergedValue(first: unknown, second: unknown): unknown {
  if (!isJsonObject(first) || !isJsonObject(second)) return first ?? second
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  return Object.fromEntries(names.map((name) => [name, mergedValue(rowAt(first, name), rowAt(second, name))]))
}

/** Keys of a configuration file. */
export type Profile = Record<string, unknown> & { platform: Record<string, Observed> }

type Base = Record<string, unknown> & { platform?: Partial<Record<string, Observed>> }

/** `base` is the configuration that the recordings were compared with. */
export function profileOf({ findings, recordings, last_seen: lastSeen }: Comparison, base: Base = {}): Profile {
  const settings: Record<string, unknown> = {}
  for (const { setting, value } of findings)
    if (setting !== null && value !== null) settings[setting] = mergedValue(settings[setting], value)
  const withBase = mapRows(settings, (value, name) => mergedValue(value, base[name]))
  // An assumption that was wrong before agrees now because of the settings in the same file.
  const wrongBefore: Record<string, Observed> = Object.fromEntries(
    Object.entries(base.platform ?? {}).flatMap(([id, one]) =>
      one?.verdict === 'assumption_wrong' ? [[id, one]] : [],
    ),
  )
  const observed = findings.flatMap(({ verdict, assumption }): [string, Observed][] => {
    if (assumption === null || (verdict !== 'assumption_wrong' && verdict !== 'assumption_confirmed')) return []
    return [[assumption, { verdict, recordings, ...(lastSeen === null ? {} : { last_seen: lastSeen }) }]]
  })
  // One differing place makes an assumption wrong, however many agree.
  const wrong = observed.filter(([, { verdict }]) => verdict === 'assumption_wrong')
  const wrongFirst = [...wrong, ...observed.filter(([id]) => !wrong.some(([other]) => other === id))]
  return { ...base, ...withBase, platform: { ...Object.fromEntries(wrongFirst), ...wrongBefore } }
}
