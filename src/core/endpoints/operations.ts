/** Handlers of what moves money, or makes a place for it to arrive. */

import { isoUtc, parseMoment } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import { isInboxPath } from '../../protocol/control/inbox.js'
import { type Currency, chainsOf, type Network, networksOf } from '../../protocol/platform/currencies.js'
import type { RequestOf } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { percentPlaces, postbackUrlMaxLength } from '../../protocol/platform/limits.js'
import { isPrivateHost } from '../../protocol/platform/webhook-hosts.js'
import { isDocument, normaliseDocument } from '../../protocol/rails/documents.js'
import { legacyCurrency } from '../../protocol/rails/index.js'
import type { StoredSplit } from '../../store/details.js'
import { readAmount } from '../ledger/ledger.js'
import { percentPpm } from '../ledger/pricing.js'
import { createCashin } from '../operations/cashin.js'
import { type CashoutRequest, createCashout } from '../operations/cashout.js'
import { type ConversionRequest, createConversion, quote } from '../operations/conversion.js'
import { createTransfer } from '../operations/transfer.js'
import { asNumber, cashinAnswer, cashoutAnswer, conversionAnswer, transferAnswer } from '../operations/views.js'
import { createWallet, walletFields } from '../operations/wallet.js'
import { destinationOf } from '../webhooks/outbox.js'
import type { Call, Handler } from './handler.js'

export const cashin: Handler<'cashin'> = (call, request) => {
  const currency = request.currency
  const amountMinor = readAmount(request.amount, currency)
  const { config } = call.unit
  const charge = createCashin(call.unit, call.caller, {
    currency,
    amountMinor,
    chain: chainOf(currency, request.chain),
    externalId: request.external_id ?? null,
    postbackUrl: postbackUrlOf(request.postback_url, config.strictWebhooks),
    payer:
      request.payer === undefined
        ? null
        : { ...request.payer, document: documentOf(request.payer.document, 'payer.document') },
    split: splitOf(request.split ?? [], currency),
  })
  return cashinAnswer(charge, destinationOf(call.unit, charge).url)
}

const withdraw = (call: Call, request: CashoutRequest) => cashoutAnswer(createCashout(call.unit, call.caller, request))

export const cashout: Handler<'cashout'> = (call, request) => {
  const currency = request.currency
  return withdraw(call, {
    currency,
    amountMinor: readAmount(request.amount, currency),
    network: networkOf(currency, request.network),
    key: request.key,
    keyType: request.key_type ?? null,
    externalId: request.external_id,
    name: request.name ?? null,
    document: null,
    bankCode: request.bank_code ?? null,
    description: request.description ?? null,
  })
}

export const pixPayment: Handler<'pixPayment'> = (call, { amount, creditParty, external_id, description }) =>
  withdraw(call, {
    currency: legacyCurrency,
    amountMinor: readAmount(amount, legacyCurrency),
    network: null,
    key: creditParty.key,
    keyType: creditParty.keyType ?? null,
    externalId: external_id ?? null,
    name: creditParty.name ?? null,
    document: documentOf(creditParty.taxId, 'creditParty.taxId') ?? null,
    bankCode: null,
    description: description ?? null,
  })

export const wallet: Handler<'wallet'> = (call, request) => {
  const currency = request.currency
  return walletFields(createWallet(call.unit, call.caller, { currency, chain: chainOf(currency, request.chain) }))
}

export const transfer: Handler<'transfer'> = (call, request) => {
  const currency = request.currency
  const sent = createTransfer(call.unit, call.caller, {
    username: request.username,
    currency,
    amountMinor: readAmount(request.amount, currency),
    externalId: request.external_id ?? null,
    description: request.description ?? null,
  })
  return transferAnswer(sent)
}

export const rate: Handler<'rate'> = (call, request) => {
  const wanted = conversionOf(request)
  const { rate: price, resultMinor } = quote(call.unit, call.caller, wanted)
  return {
    base_currency: wanted.from,
    destination_currency: wanted.to,
    amount: asNumber.amount(wanted.amountMinor, wanted.from),
    rate: Number(price),
    estimated_amount: asNumber.amount(resultMinor, wanted.to),
    timestamp: isoUtc(call.unit.atMs),
  }
}

export const simulate: Handler<'simulate'> = (call, request) => {
  const wanted = conversionOf(request)
  const { rate: price, resultMinor, feeMinor, expiresAtMs } = quote(call.unit, call.caller, wanted)
  return {
    from_amount: asNumber.amount(wanted.amountMinor, wanted.from),
    to_amount: asNumber.amount(resultMinor, wanted.to),
    base_currency: wanted.from,
    destination_currency: wanted.to,
    rate: Number(price),
    spread: Number(call.unit.config.spreadPercent),
    fee: asNumber.amount(feeMinor, wanted.from),
    expires_at: isoUtc(expiresAtMs),
  }
}

export const conversion: Handler<'conversion'> = (call, request) =>
  conversionAnswer(createConversion(call.unit, call.caller, conversionOf(request)))

/** 400 MISSING_REQUIRED_FIELD where crypto has no chain, 422 UNSUPPORTED_CHAIN `{supported}` where it is the wrong one, or fiat has one. */
export function chainOf(currency: Currency, chain: string | undefined): Network | null {
  return oneOf('chain', currency, chain, chainsOf(currency), false)
}

/** The same for a cash-out, where a currency with one network needs no word. */
export function networkOf(currency: Currency, network: string | undefined): Network | null {
  return oneOf('network', currency, network, networksOf(currency), true)
}

function oneOf(
  field: string,
  currency: Currency,
  name: string | undefined,
  supported: readonly Network[],
  implied: boolean,
): Network | null {
  if (name === undefined) {
    const [first] = supported
    if (first === undefined) return null
    if (implied && supported.length === 1) return first
    throw new ApiError(
      'MISSING_REQUIRED_FIELD',
      { field, supported },
      { message: `${field} is required for ${currency}.` },
    )
  }
  const found = supported.find((one) => one === name)
  if (found !== undefined) return found
  throw new ApiError('UNSUPPORTED_CHAIN', { field, supported })
}

/** A CPF or CNPJ without its mask; 422 INVALID_VALUE. */
export function documentOf(text: string | undefined, field: string): string | undefined {
  if (text === undefined) return undefined
  if (isDocument(text)) return normaliseDocument(text)
  throw new ApiError(
    'INVALID_VALUE',
    { field, rule: 'must be a valid CPF or CNPJ' },
    { message: `${field} must be a valid CPF or CNPJ.` },
  )
}

/** An `https` address, or `http` to a loopback or private one unless that is forbidden; 422 INVALID_POSTBACK_URL. */
export function postbackUrlOf(text: string | null | undefined, strict: boolean, field = 'postback_url'): string | null {
  if (text === undefined || text === null) return null
  const refuse = (rule: string) => new ApiError('INVALID_POSTBACK_URL', { field, rule })
  if (text.length > postbackUrlMaxLength || !URL.canParse(text)) throw refuse('must be a URL')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw refuse('must not hold credentials')
  if (url.protocol === 'https:') return text
  if (url.protocol !== 'http:') throw refuse('must be an https:// URL')
  // Whether it is an inbox of ours is seen when sending.
  if (strict && !isInboxPath(url.pathname)) throw refuse('must be an https:// URL (strict_webhooks is set)')
  if (!isPrivateHost(url.hostname))
    throw refuse('must be an https:// URL: http:// goes to loopback and private addresses only')
  return text
}

export function splitOf(items: NonNullable<RequestOf<'cashin'>['split']>, currency: Currency): StoredSplit[] {
  return items.map(({ username, percentage, amount }, index) => {
    if (percentage === undefined)
      return { username, amountMinor: String(readAmount(amount ?? '', currency, `split.${index}.amount`)) }
    try {
      const ppm = percentPpm(percentage)
      // Written in one way, so that 10 and 10.0 are the same wish when a call is repeated.
      if (ppm > 0n) return { username, percentage: formatAmount(ppm, percentPlaces) }
    } catch {
      // Falls through to the refusal below: it is the same for text that is no percentage.
    }
    throw new ApiError('INVALID_SPLIT_CONFIG', {
      field: `split.${index}.percentage`,
      rule: `must be greater than zero, with at most ${percentPlaces} decimals`,
    })
  })
}

export function conversionOf(request: RequestOf<'conversion'>): ConversionRequest {
  const from = request.base_currency
  return {
    from,
    to: request.destination_currency,
    amountMinor: readAmount(request.amount, from),
    externalId: request.external_id ?? null,
  }
}

/** A day or a moment as epoch milliseconds; a day's end is the start of the next one. 422 INVALID_VALUE. */
export function momentOf(text: string | undefined, field: string, day: (text: string) => number | null): number | null {
  if (text === undefined) return null
  const atMs = day(text) ?? parseMoment(text)
  if (atMs === null)
    throw new ApiError(
      'INVALID_VALUE',
      { field, rule: 'must be YYYY-MM-DD or ISO 8601 with offset' },
      { message: `${field} must be YYYY-MM-DD or ISO 8601 with offset.` },
    )
  return atMs
}
