/** Collects everything that the sandbox assumes from the tables, for the document, its page and docs/assumptions.md. */

import { tableOf } from '../../base/keys.js'
import { withThousandsSeparators } from '../../base/text.js'
import { actionNames, actionTable } from '../../protocol/actions/actions.js'
import { assumptionRows } from '../../protocol/platform/assumptions.js'
import {
  chainsOf,
  currencies,
  currencyNames,
  networkNames,
  networks,
  networksOf,
} from '../../protocol/platform/currencies.js'
import type { Basis } from '../../protocol/platform/emulated-interface.js'
import { errorCatalogue, errorCodes } from '../../protocol/platform/errors.js'
import { defaultFee, limitTable, type Operation, operations, seconds } from '../../protocol/platform/limits.js'
import { transitions } from '../../protocol/platform/transitions.js'
import { railOf } from '../../protocol/rails/index.js'
import type { FeeChange } from '../../protocol/settings/assumed.js'
import {
  type Config,
  defaultConfig,
  describeObserved,
  type Observed,
  platformSettingNames,
  platformSettings,
} from '../../protocol/settings/platform.js'
import { errorFormOf } from '../../protocol/settings/wire-format.js'
import { markAssumed } from './json-schema.js'

const mark = (basis: Basis) => markAssumed(basis === 'assumed')

/** The platform's tables other than operations and events, as extensions of the document. */
export function extensions(config: Config = defaultConfig) {
  const form = errorFormOf(config)
  return {
    'x-errors': errorCodes.map((code) => {
      const { status, group, message, basis, ...more } = errorCatalogue[code]
      return { code, status, ...form({ code, group, retryable: 'retryable' in more }), message, ...mark(basis) }
    }),
    'x-transitions': transitions.map(({ object, from, on, to, basis, ...more }) => ({
      object,
      from,
      on,
      to,
      event: 'event' in more ? more.event : null,
      ...mark(basis),
    })),
    'x-actions': actionNames.map((action) => {
      const { subject, title, params } = actionTable[action]
      return { action, subject, title, parameters: Object.keys(params().shape) }
    }),
    'x-currencies': currencyRows(config),
    'x-networks': networkRows(config),
    'x-fees': feeRows(config),
    'x-limits': limitTable().map(({ basis, life, ...row }) => ({
      ...row,
      ...(life === undefined || config[life] === defaultConfig[life] ? {} : { value: seconds(config[life]) }),
      ...mark(basis),
    })),
    'x-assumptions': observedAssumptions(config.platform),
    'x-settings': settingRows(),
  }
}

/** Every assumption, with the observations from recordings of the platform. */
const observedAssumptions = (platform: Readonly<Partial<Record<string, Observed>>>) =>
  assumptionRows.map(({ at: _at, decision: _decision, tier: _tier, unobservable: _unobservable, setting, ...row }) => ({
    ...row,
    ...(setting === undefined ? {} : { setting }),
    'x-assumed': true as const,
    'x-assumed-state': describeObserved(platform[row.id]),
  }))

export type Extensions = ReturnType<typeof extensions>

/** Minimum of a charge or withdrawal, maximum of an operation, limit per day. All maximums and daily limits are assumed. */
function currencyRows({ paymentMethods, limits, rates }: Config) {
  const methods: Readonly<Record<string, string | undefined>> = paymentMethods
  return currencyNames.map((currency) => {
    const { scale, min, max, daily, minBasis } = currencies[currency]
    const { type, method } = railOf(currency)
    const set = limits[currency]?.cashin
    return {
      currency,
      type,
      payment_method: methods[method] ?? method,
      decimals: scale,
      min: grouped(set?.min_amount ?? min),
      max: grouped(set?.max_amount ?? max),
      daily: grouped(set?.daily_limit ?? daily),
      value_in_brl: grouped(rates[currency]),
      chains: chainsOf(currency),
      networks: networksOf(currency),
      'x-min-assumed': minBasis === 'assumed',
    }
  })
}

/** Formats an amount for people: `1000000.00` becomes `1,000,000.00`. */
const grouped = (amount: string) => amount.replace(/\d+/, withThousandsSeparators)

/** All numbers of confirmations are assumed. */
function networkRows({ networkLabels, minConfirmations }: Config) {
  const confirmations: Readonly<Record<string, number | undefined>> = minConfirmations
  return networkNames.map((network) => ({
    network,
    label: networkLabels[networks[network].label] ?? networks[network].label,
    confirmations: confirmations[network] ?? networks[network].minConfirmations,
    'x-label-assumed': networks[network].labelBasis === 'assumed',
  }))
}

/** All fees are assumed: the platform documents that they exist, but not how high they are. */
function feeRows({ fees }: Config): ({ currency: string; 'x-assumed': true } & Partial<Record<Operation, string>>)[] {
  return currencyNames.map((currency) => ({
    currency,
    ...tableOf(operations, (operation) => feeText(defaultFee(currency, operation), fees[currency]?.[operation])),
    'x-assumed': true as const,
  }))
}

function feeText(usual: { fixed: string; percent: string }, set: FeeChange = {}): string {
  const { fixed = usual.fixed, percent = usual.percent } = set
  const parts = [Number(fixed) === 0 ? [] : [fixed], Number(percent) === 0 ? [] : [`${percent} %`]].flat()
  return parts.length === 0 ? 'none' : parts.join(' + ')
}

export function settingRows() {
  return platformSettingNames.map((key) => {
    const { title, defaultText, isAssumed, fileOnly, isOnByDefault: on } = platformSettings[key]
    const flag = `--${on === true ? 'no-' : ''}${key.replaceAll('_', '-')}`
    return {
      key,
      title,
      defaultText,
      flag: fileOnly === true ? null : flag,
      ...markAssumed(isAssumed === true),
    }
  })
}
