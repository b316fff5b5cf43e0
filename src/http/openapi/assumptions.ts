/** Everything that is our choice, gathered from the tables: the document, the page and docs/assumptions.md show it. */

import { inThousands } from '../../base/text.js'
import { actionNames, actionTable } from '../../protocol/actions/actions.js'
import { readings } from '../../protocol/platform/assumptions.js'
import type { Basis } from '../../protocol/platform/basis.js'
import {
  chainsOf,
  currencies,
  currencyNames,
  networkNames,
  networks,
  networksOf,
} from '../../protocol/platform/currencies.js'
import { endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { errorCatalogue, errorCodes } from '../../protocol/platform/errors.js'
import { limitTable } from '../../protocol/platform/limit-table.js'
import { defaultFee, type Operation, operations } from '../../protocol/platform/limits.js'
import { transitions } from '../../protocol/platform/transitions.js'
import { railOf } from '../../protocol/rails/index.js'
import { platformSettingNames, platformSettings } from '../../protocol/settings/platform.js'

const mark = (basis: Basis) => (basis === 'assumed' ? ({ 'x-assumed': true } as const) : {})

/** The tables of the platform that are neither operations nor events, as extensions of the document. */
export function extensions() {
  return {
    'x-errors': errorCodes.map((code) => {
      const { status, group, message, basis, ...more } = errorCatalogue[code]
      return { code, status, group, retryable: 'retryable' in more, message, ...mark(basis) }
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
      return { action, subject, title, parameters: Object.keys(params.shape) }
    }),
    'x-currencies': currencyRows(),
    'x-networks': networkRows(),
    'x-fees': feeRows(),
    'x-limits': limitTable.map(({ basis, ...row }) => ({ ...row, ...mark(basis) })),
    'x-readings': readings.map((row) => ({ ...row, 'x-assumed': true as const })),
    'x-settings': settingRows(),
  }
}

export type Extensions = ReturnType<typeof extensions>

/** Minimum of a charge or withdrawal, maximum of an operation, limit of a day. Maximum and daily limit are assumed throughout. */
function currencyRows() {
  return currencyNames.map((currency) => ({
    currency,
    type: railOf(currency).type,
    payment_method: railOf(currency).method,
    decimals: currencies[currency].scale,
    min: grouped(currencies[currency].min),
    max: grouped(currencies[currency].max),
    daily: grouped(currencies[currency].daily),
    chains: chainsOf(currency),
    networks: networksOf(currency),
    'x-min-assumed': currencies[currency].minBasis === 'assumed',
  }))
}

/** `1000000.00` becomes `1,000,000.00`, for people. */
const grouped = (amount: string) => amount.replace(/\d+/, inThousands)

/** Confirmations are assumed throughout. */
function networkRows() {
  return networkNames.map((network) => ({
    network,
    label: networks[network].label,
    confirmations: networks[network].minConfirmations,
    'x-label-assumed': networks[network].labelBasis === 'assumed',
  }))
}

/** Assumed throughout: that there are fees is documented, what they are is not. */
function feeRows(): ({ currency: string; 'x-assumed': true } & Partial<Record<Operation, string>>)[] {
  return currencyNames.map((currency) => ({
    currency,
    ...Object.fromEntries(operations.map((operation) => [operation, feeText(defaultFee(currency, operation))])),
    'x-assumed': true as const,
  }))
}

function feeText({ fixed, percent }: { fixed: string; percent: string }): string {
  const parts = [Number(fixed) === 0 ? [] : [fixed], Number(percent) === 0 ? [] : [`${percent} %`]].flat()
  return parts.length === 0 ? 'none' : parts.join(' + ')
}

function settingRows() {
  return platformSettingNames.map((key) => {
    const { title, unlessSet, guess, fileOnly, on } = platformSettings[key]
    const flag = `--${on === true ? 'no-' : ''}${key.replaceAll('_', '-')}`
    return {
      key,
      title,
      unlessSet,
      flag: fileOnly === true ? null : flag,
      ...(guess ? { 'x-assumed': true as const } : {}),
    }
  })
}

/** Endpoints whose very path is assumed. */
export const assumedEndpoints = () =>
  endpointNames.map((name) => endpoints[name]).filter(({ basis }) => basis === 'assumed')
