/** Conversions between the balances of one account, at the rates of the configuration (§4.3, decisions 10 and 24). */
import Big from 'big.js'
import { isoUtc } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import { type Currency, currencies } from '../../protocol/api/currencies.js'
import { ApiError } from '../../protocol/api/errors.js'
import { quoteLifeMs } from '../../protocol/api/limits.js'
import type { ActionParams } from '../../protocol/control/actions.js'
import type { Caller } from '../access/caller.js'
import { money } from '../ledger/amounts.js'
import { requireAvailable } from '../ledger/ledger.js'
import { feeOf, spendLimits } from '../ledger/pricing.js'
import type { Config } from '../workspace/config.js'
import type { Unit } from '../workspace/workspace.js'
import { addressee } from './cashin.js'
import { findOriginal, fingerprint } from './idempotency.js'
import type { Transaction } from './transactions.js'
import { apply, create, type Outcome } from './transition.js'

export interface ConversionRequest {
  amountMinor: bigint
  from: Currency
  to: Currency
  externalId: string | null
}

export interface Quote {
  /** What one unit of the source buys, spread included; at most 12 places. */
  rate: string
  /** The same before the spread. */
  marketRate: string
  resultMinor: bigint
  feeMinor: bigint
  expiresAtMs: number
}

/** 422 INVALID_CURRENCY where both currencies are the same. */
export function quote(unit: Unit, caller: Caller, request: ConversionRequest): Quote {
  if (request.from === request.to) {
    throw new ApiError('INVALID_CURRENCY', { field: 'destination_currency', rule: 'must differ from base_currency' })
  }
  const { rate, marketRate } = ratesOf(unit.ws.config, request.from, request.to)
  const result = new Big(formatAmount(request.amountMinor, currencies[request.from].scale)).times(rate)
  const resultMinor = BigInt(
    result.times(new Big(10).pow(currencies[request.to].scale)).round(0, Big.roundDown).toFixed(0),
  )
  const feeMinor = feeOf(unit.db, caller.account.seq, request.from, 'conversion', request.amountMinor)
  return {
    rate: rate.toFixed(),
    marketRate: marketRate.toFixed(),
    resultMinor,
    feeMinor,
    expiresAtMs: unit.atMs + quoteLifeMs,
  }
}

function ratesOf(config: Config, from: Currency, to: Currency): { rate: Big; marketRate: Big } {
  const market = new Big(config.rates[from]).div(config.rates[to])
  const kept = new Big(100).minus(config.spreadPercent).div(100)
  return { marketRate: market.round(12, Big.roundDown), rate: market.times(kept).round(12, Big.roundDown) }
}

/** Completed at once. The fee goes on top of the amount, in the source currency; the result rounds down. */
export function createConversion(unit: Unit, caller: Caller, request: ConversionRequest): Transaction {
  const { account, credential } = caller
  const { from, to, amountMinor } = request
  const { rate, resultMinor, feeMinor } = quote(unit, caller, request)
  const print = fingerprint('conversion', { ...request, amountMinor: String(request.amountMinor) })
  const original = findOriginal(unit, account.seq, request.externalId, print)
  if (original !== undefined) return original
  spendLimits(unit, account.seq, from, 'conversion', amountMinor)
  if (resultMinor === 0n)
    throw new ApiError('BELOW_MIN_LIMIT', { field: 'amount', rule: `it buys less than the smallest unit of ${to}` })
  requireAvailable(unit, account.seq, from, amountMinor + feeMinor)
  const { seq, id } = unit.ws.ids.next('transactions')
  const conversion: Transaction = {
    seq,
    id,
    accountSeq: account.seq,
    credentialSeq: credential?.seq ?? null,
    type: 'conversion',
    status: '',
    source: null,
    currency: from,
    amountMinor,
    feeMinor,
    externalId: request.externalId,
    fingerprint: print,
    postbackUrl: null,
    network: null,
    createdAtMs: unit.atMs,
    updatedAtMs: unit.atMs,
    detail: { currencyTo: to, amountToMinor: String(resultMinor), rate, confirmedAtMs: unit.atMs },
  }
  create(unit, { kind: 'conversion', row: conversion }, 'create', () => ({
    amounts: { amount: { minor: amountMinor }, fee: { minor: feeMinor }, result: { minor: resultMinor, currency: to } },
    event: {
      name: 'conversion.confirmed',
      to: addressee(conversion),
      transactionId: id,
      data: () => ({
        conversion_id: id,
        external_id: request.externalId,
        amount_from: money(amountMinor, from),
        currency_from: from,
        amount_to: money(resultMinor, to),
        currency_to: to,
        rate,
        fee: money(feeMinor, from),
        status: 'completed',
        completed_at: isoUtc(unit.atMs),
      }),
    },
  }))
  return conversion
}

/** `conversion.refund`: both amounts go back, the fee is kept. 422 INSUFFICIENT_BALANCE where the result is spent already. */
export function refund(unit: Unit, conversion: Transaction, params: ActionParams<'conversion.refund'>): Outcome {
  const from = conversion.currency as Currency
  const to = conversion.detail.currencyTo as Currency
  const resultMinor = BigInt(conversion.detail.amountToMinor ?? '0')
  const reason = params.reason ?? 'SUPPORT_MANUAL_REVERSAL'
  return apply(unit, { kind: 'conversion', row: conversion }, 'refund', () => {
    requireAvailable(unit, conversion.accountSeq, to, resultMinor)
    const refundId = unit.ws.ids.next('refunds').id
    return {
      amounts: { amount: { minor: conversion.amountMinor }, result: { minor: resultMinor, currency: to } },
      set: { detail: { ...conversion.detail, refundId, reason } },
      event: {
        name: 'conversion.refunded',
        to: addressee(conversion),
        transactionId: refundId,
        data: () => ({
          conversion_id: refundId,
          original_conversion_id: conversion.id,
          amount_reverted_from: money(resultMinor, to),
          currency_reverted_from: to,
          amount_returned_to: money(conversion.amountMinor, from),
          currency_returned_to: from,
          reason,
          refunded_at: isoUtc(unit.atMs),
        }),
      },
    }
  })
}
