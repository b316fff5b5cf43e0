/** Conversions of an account's money, at the configured rates (interface.md §4.3, assumptions.md decisions 10 and 24). */

import { isoUtc } from '../../base/iso.js'
import { formatAmount, maxAmountMinor, readDecimal } from '../../base/money.js'
import { withoutTrailingZeros } from '../../base/text.js'
import type { ActionParams } from '../../protocol/actions/actions.js'
import { type Currency, currencies, currencyNames } from '../../protocol/platform/currencies.js'
import type { RequestOf, ResponseOf } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { ratePlaces } from '../../protocol/platform/limits.js'
import type { Caller } from '../auth/authenticate.js'
import { requireAvailable } from '../ledger/ledger.js'
import {
  type AmountFormat,
  asNumber,
  belowMinimumError,
  countUsage,
  deductedFee,
  formatMoney,
  parseAmountField,
  requireLimits,
} from '../ledger/pricing.js'
import type { Unit } from '../unit/unit.js'
import type { Conversion, Handler } from './transactions.js'
import {
  createInState,
  eventAbout,
  findOriginal,
  newTransaction,
  type Outcome,
  performTransition,
} from './transition.js'

// Exchange rates: exact fractions of the configured values, shown with 12 decimals, and conversion at the rate shown
// (assumptions.md decisions 10 and 24).

/**
 * A JSON number has 15 exact digits. A rate with more digits before the point has fewer after it, so that every reader
 * sees the same rate.
 */
const rateDigits = 15

interface RateTable {
  /** The value of one unit in BRL, as decimal strings. */
  rates: Record<Currency, string>
  spreadPercent: string
  rateDecimals: number
}

/** Returns how much `to` one unit of `from` buys, spread included, rounded down: a decimal string without trailing zeros. */
export function rateOf({ rates, spreadPercent, rateDecimals }: RateTable, from: Currency, to: Currency): string {
  const worth = decimalOf(rates[from])
  const price = decimalOf(rates[to])
  const spread = decimalOf(spreadPercent)
  // worth / price * (100 - spread) / 100, with a single division at the end.
  const afterSpread = 100n * 10n ** BigInt(spread.places) - spread.digits
  const numerator = worth.digits * afterSpread * 10n ** BigInt(price.places + ratePlaces)
  const denominator = price.digits * 100n * 10n ** BigInt(worth.places + spread.places)
  return withoutTrailingZeros(
    formatAmount(truncateRate(numerator / denominator, ratePlaces - rateDecimals), ratePlaces),
  )
}

/** Sets the digits after the fifteenth, and the last `leastZeros`, to zero. */
function truncateRate(rate: bigint, leastZeros: number): bigint {
  const unit = 10n ** BigInt(Math.max(leastZeros, rate.toString().length - rateDigits))
  return rate - (rate % unit)
}

/** Returns how much `minor` of `from` buys at a rate from `rateOf`, in minor units of `to`, rounded down. */
function convertAmount(minor: bigint, from: Currency, to: Currency, rate: string): bigint {
  const { digits, places } = decimalOf(rate)
  return (minor * digits * 10n ** BigInt(currencies[to].scale)) / 10n ** BigInt(places + currencies[from].scale)
}

/** Parses a decimal number. `places` is never negative: `1e3` is 1000 with 0 decimals. */
function decimalOf(text: string): { digits: bigint; places: number } {
  const decimal = readDecimal(text)
  if (decimal === null) throw new Error(`the rate ${text} cannot be parsed`)
  const { digits, places } = decimal
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places }
}

export interface ConversionRequest {
  amountMinor: bigint
  from: Currency
  to: Currency
  externalId: string | null
}

export interface Quote {
  /** How much one unit of the source buys, spread included. */
  rate: string
  resultMinor: bigint
  feeMinor: bigint
  expiresAtMs: number
}

/** Quotes a conversion, with the same limits as the conversion itself (assumptions.md decision 10). */
export function quote(unit: Unit, caller: Caller, request: ConversionRequest): Quote {
  requirePair(unit, request)
  const quoted = price(unit, caller.account.seq, request)
  requireLimits(unit, pricedBy(caller.account.seq, request), request.amountMinor)
  requireResult(unit, caller.account.seq, request, quoted)
  return quoted
}

/** Throws 422, by default INVALID_CURRENCY, if both currencies are the same. */
function requirePair({ config }: Unit, { from, to }: ConversionRequest): void {
  if (from !== to) return
  throw new ApiError(config.equalCurrencies, {
    field: 'destination_currency',
    rule: 'must differ from base_currency',
    supported: currencyNames.filter((name) => name !== from),
  })
}

const pricedBy = (accountSeq: number, { from }: ConversionRequest) =>
  ({ accountSeq, currency: from, operation: 'conversion' }) as const

function price(unit: Unit, accountSeq: number, request: ConversionRequest): Quote {
  const { from, to, amountMinor } = request
  const rate = rateOf(unit.config, from, to)
  const feeMinor = deductedFee(unit, pricedBy(accountSeq, request), amountMinor)
  const resultMinor = convertAmount(amountMinor - feeMinor, from, to, rate)
  return { rate, resultMinor, feeMinor, expiresAtMs: unit.atMs + unit.config.quoteLifeMs }
}

/**
 * Rejects an amount that buys nothing (409 BELOW_MIN_LIMIT `{min_amount}`) or more than the largest amount (422
 * INVALID_AMOUNT).
 */
function requireResult(unit: Unit, accountSeq: number, request: ConversionRequest, { resultMinor }: Quote): void {
  const { from, to } = request
  if (resultMinor > maxAmountMinor)
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `would convert to more than ${formatMoney(maxAmountMinor, to)} ${to}`,
    })
  if (resultMinor > 0n) return
  const buys = (amountMinor: bigint) => price(unit, accountSeq, { ...request, amountMinor }).resultMinor > 0n
  throw belowMinimumError(unit, from, smallest(buys))
}

/**
 * Returns the smallest amount for which `isEnough` is true. It must be true for all larger amounts too: this is a binary
 * search of fifty steps.
 */
function smallest(isEnough: (minor: bigint) => boolean): bigint {
  let [tooSmall, enough] = [0n, maxAmountMinor]
  while (enough - tooSmall > 1n) {
    const middle = (tooSmall + enough) / 2n
    if (isEnough(middle)) enough = middle
    else tooSmall = middle
  }
  return enough
}

/** Creates a completed conversion. The fee is deducted in the source currency; the rest is converted, rounded down. */
function createConversion(unit: Unit, caller: Caller, request: ConversionRequest): Conversion {
  const { account, credential } = caller
  const { from, to, amountMinor } = request
  requirePair(unit, request)
  const { fingerprint, original } = findOriginal(unit, 'conversion', account.seq, request)
  if (original !== undefined) return original
  const { rate, resultMinor, feeMinor } = quote(unit, caller, request)
  requireAvailable(unit, account.seq, from, amountMinor)
  countUsage(unit, pricedBy(account.seq, request), amountMinor)
  const conversion = newTransaction(unit, 'conversion', 'create', {
    accountSeq: account.seq,
    credentialSeq: credential?.seq ?? null,
    currency: from,
    currencyTo: to,
    amountMinor,
    feeMinor,
    externalId: request.externalId,
    fingerprint,
    detail: { amountToMinor: String(resultMinor), rate },
  })
  createInState(unit, { kind: 'conversion', row: conversion }, 'create', () => ({
    amounts: {
      net: { amountMinor: amountMinor - feeMinor },
      fee: { amountMinor: feeMinor },
      result: { amountMinor: resultMinor, currency: to },
    },
    event: eventAbout(conversion, conversion.id, 'conversion.confirmed', () => ({
      conversion_id: conversion.id,
      external_id: request.externalId,
      amount_from: formatMoney(amountMinor, from),
      currency_from: from,
      amount_to: formatMoney(resultMinor, to),
      currency_to: to,
      rate,
      fee: formatMoney(feeMinor, from),
      status: 'completed',
      completed_at: isoUtc(unit.atMs),
    })),
  }))
  return conversion
}

/**
 * `conversion.refund`: the converted amount is returned, the fee is not. 422 INSUFFICIENT_BALANCE if the result has
 * already been spent.
 */
export function refund(unit: Unit, conversion: Conversion, params: ActionParams<'conversion.refund'>): Outcome {
  const from = conversion.currency
  const to = conversion.currencyTo
  const resultMinor = BigInt(conversion.detail.amountToMinor)
  const netMinor = conversion.amountMinor - conversion.feeMinor
  const reason = params.reason ?? unit.config.reasons['conversion.refund']
  const source = { minor: netMinor, currency: from }
  const destination = { minor: resultMinor, currency: to }
  const [reverted, returned] =
    unit.config.revertedCurrency === 'destination' ? [destination, source] : [source, destination]
  return performTransition(unit, { kind: 'conversion', row: conversion }, 'refund', () => {
    requireAvailable(unit, conversion.accountSeq, to, resultMinor)
    const refundId = unit.ids.next('refunds').id
    return {
      amounts: { net: { amountMinor: netMinor }, result: { amountMinor: resultMinor, currency: to } },
      set: { detail: { ...conversion.detail, reason } },
      event: eventAbout(conversion, refundId, 'conversion.refunded', () => ({
        conversion_id: refundId,
        original_conversion_id: conversion.id,
        amount_reverted_from: formatMoney(reverted.minor, reverted.currency),
        currency_reverted_from: reverted.currency,
        amount_returned_to: formatMoney(returned.minor, returned.currency),
        currency_returned_to: returned.currency,
        reason,
        refunded_at: isoUtc(unit.atMs),
      })),
    }
  })
}

export const rate: Handler<'rate'> = (call, request) => {
  const exchange = conversionOf(request)
  const { rate: price, resultMinor } = quote(call.unit, call.caller, exchange)
  return {
    base_currency: exchange.from,
    destination_currency: exchange.to,
    amount: asNumber.amount(exchange.amountMinor, exchange.from),
    rate: Number(price),
    estimated_amount: asNumber.amount(resultMinor, exchange.to),
    timestamp: isoUtc(call.unit.atMs),
  }
}

export const simulate: Handler<'simulate'> = (call, request) => {
  const exchange = conversionOf(request)
  const { rate: price, resultMinor, feeMinor, expiresAtMs } = quote(call.unit, call.caller, exchange)
  return {
    from_amount: asNumber.amount(exchange.amountMinor, exchange.from),
    to_amount: asNumber.amount(resultMinor, exchange.to),
    base_currency: exchange.from,
    destination_currency: exchange.to,
    rate: Number(price),
    spread: Number(call.unit.config.spreadPercent),
    fee: asNumber.amount(feeMinor, exchange.from),
    expires_at: isoUtc(expiresAtMs),
  }
}

export const conversion: Handler<'conversion'> = (call, request) =>
  conversionAnswer(createConversion(call.unit, call.caller, conversionOf(request)))

function conversionOf(request: RequestOf<'conversion'>): ConversionRequest {
  const from = request.base_currency
  return {
    from,
    to: request.destination_currency,
    amountMinor: parseAmountField(request.amount, from),
    externalId: request.external_id ?? null,
  }
}

const conversionAnswer = (row: Conversion): ResponseOf<'conversion'> => ({
  ...conversionFields(row, asNumber),
  external_id: row.externalId,
  fee: asNumber.amount(row.feeMinor, row.currency),
  status: row.status,
})

export const conversionFields = <Money>(row: Conversion, print: AmountFormat<Money>) => ({
  conversion_id: row.id,
  amount_from: print.amount(row.amountMinor, row.currency),
  currency_from: row.currency,
  amount_to: print.amount(BigInt(row.detail.amountToMinor), row.currencyTo),
  currency_to: row.currencyTo,
  rate: print.decimal(row.detail.rate),
  completed_at: isoUtc(row.createdAtMs),
})
