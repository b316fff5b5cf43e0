/** Handlers of the endpoints that move money or create a place for it to arrive. */

import { isoUtc, parseMoment } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import { isInboxPath } from '../../protocol/control/webhooks.js'
import { type Currency, chainsOf, type Network, networksOf } from '../../protocol/platform/currencies.js'
import type { RequestOf } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { percentPlaces, postbackUrlMaxLength } from '../../protocol/platform/limits.js'
import { isPrivateHost } from '../../protocol/platform/webhook-hosts.js'
import { legacyCurrency } from '../../protocol/rails/index.js'
import { isDocument, normalizeDocument } from '../../protocol/rails/pix-key.js'
import type { StoredSplit } from '../../store/details.js'
import { parseAmountField } from '../ledger/ledger.js'
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
  const amountMinor = parseAmountField(request.amount, currency)
  const { config } = call.unit
  const charge = createCashin(call.unit, call.caller, {
    currency,
    amountMinor,
    chain: chainIn(call, currency, request.chain),
    externalId: request.external_id ?? null,
    postbackUrl: parsePostbackUrl(request.postback_url, config.strictWebhooks),
    payer:
      request.payer === undefined ? null : { ...request.payer, document: payerDocument(call, request.payer.document) },
    split: parseSplit(request.split ?? [], currency),
  })
  return cashinAnswer(charge, destinationOf(call.unit, charge).url)
}

const payerDocument = ({ unit: { config } }: Call, text: string | undefined) =>
  config.payerDocument === 'accept' ? text : parseDocument(text, 'payer.document')

/** The setting `fiat_chain` decides about a chain with BRL or MXN. */
const chainIn = ({ unit: { config } }: Call, currency: Currency, chain: string | undefined) =>
  config.fiatChain === 'ignore' && chainsOf(currency).length === 0 ? null : requireChain(currency, chain)

const withdraw = (call: Call, request: CashoutRequest) => cashoutAnswer(createCashout(call.unit, call.caller, request))

export const cashout: Handler<'cashout'> = (call, request) => {
  const currency = request.currency
  return withdraw(call, {
    currency,
    amountMinor: parseAmountField(request.amount, currency),
    network: requireNetwork(currency, request.network),
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
    amountMinor: parseAmountField(amount, legacyCurrency),
    network: null,
    key: creditParty.key,
    keyType: creditParty.keyType ?? null,
    externalId: external_id ?? null,
    name: creditParty.name ?? null,
    document: parseDocument(creditParty.taxId, 'creditParty.taxId') ?? null,
    bankCode: null,
    description: description ?? null,
  })

export const wallet: Handler<'wallet'> = (call, request) => {
  const currency = request.currency
  return walletFields(createWallet(call.unit, call.caller, { currency, chain: chainIn(call, currency, request.chain) }))
}

export const transfer: Handler<'transfer'> = (call, request) => {
  const currency = request.currency
  const sent = createTransfer(call.unit, call.caller, {
    username: request.username,
    currency,
    amountMinor: parseAmountField(request.amount, currency),
    externalId: request.external_id ?? null,
    description: request.description ?? null,
  })
  return transferAnswer(sent)
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

/**
 * Returns the chain. Throws 400 MISSING_REQUIRED_FIELD if crypto has none, 422 UNSUPPORTED_CHAIN `{supported}` if it is
 * the wrong one or the currency is fiat.
 */
function requireChain(currency: Currency, chain: string | undefined): Network | null {
  return requireSupported('chain', currency, chain, chainsOf(currency), false)
}

/** Returns the network of a cash-out. A currency with only one network does not require the field. Throws as above. */
export function requireNetwork(currency: Currency, network: string | undefined): Network | null {
  return requireSupported('network', currency, network, networksOf(currency), true)
}

function requireSupported(
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

/** Returns a CPF or CNPJ without punctuation; throws 422 INVALID_VALUE. */
export function parseDocument(text: string | undefined, field: string): string | undefined {
  if (text === undefined) return undefined
  if (isDocument(text)) return normalizeDocument(text)
  throw new ApiError(
    'INVALID_VALUE',
    { field, rule: 'must be a valid CPF or CNPJ' },
    { message: `${field} must be a valid CPF or CNPJ.` },
  )
}

/** Accepts an `https` URL, or `http` to a loopback or private address unless that is forbidden; throws 422 INVALID_POSTBACK_URL. */
export function parsePostbackUrl(
  text: string | null | undefined,
  strict: boolean,
  field = 'postback_url',
): string | null {
  if (text === undefined || text === null) return null
  const refuse = (rule: string) =>
    new ApiError('INVALID_POSTBACK_URL', { field, rule }, { message: `${field} is not an allowed webhook URL.` })
  if (text.length > postbackUrlMaxLength || !URL.canParse(text)) throw refuse('must be a URL')
  // URL parsing would remove or encode them, so the URL that is called would not be the one that was sent.
  if (/[\s\p{Cc}]/u.test(text)) throw refuse('must not contain spaces or control characters')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw refuse('must not contain a user name or password')
  if (url.protocol === 'https:') return text
  if (url.protocol !== 'http:') throw refuse('must be an https:// URL')
  // Whether it is one of our own inboxes is checked when sending.
  if (strict && !isInboxPath(url.pathname)) throw refuse('must be an https:// URL (strict_webhooks is set)')
  if (!isPrivateHost(url.hostname))
    throw refuse('must be an https:// URL: http:// is allowed only for loopback and private addresses')
  return text
}

function parseSplit(items: NonNullable<RequestOf<'cashin'>['split']>, currency: Currency): StoredSplit[] {
  return items.map(({ username, percentage, amount }, index) => {
    if (percentage === undefined)
      return { username, amountMinor: String(parseAmountField(amount ?? '', currency, `split.${index}.amount`)) }
    try {
      const ppm = percentPpm(percentage)
      // Normalized, so that a repeated call with 10.0 instead of 10 is recognized as the same.
      if (ppm > 0n) return { username, percentage: formatAmount(ppm, percentPlaces) }
    } catch {
      // Falls through to the error below, which also covers text that is not a percentage.
    }
    throw new ApiError('INVALID_SPLIT_CONFIG', {
      field: `split.${index}.percentage`,
      rule: `must be greater than zero, with at most ${percentPlaces} decimals`,
    })
  })
}

function conversionOf(request: RequestOf<'conversion'>): ConversionRequest {
  const from = request.base_currency
  return {
    from,
    to: request.destination_currency,
    amountMinor: parseAmountField(request.amount, from),
    externalId: request.external_id ?? null,
  }
}

/** Parses a day or a moment to epoch milliseconds; a day ends where the next one starts. Throws 422 INVALID_VALUE. */
export function parseMomentField(
  text: string | undefined,
  field: string,
  day: (text: string) => number | null,
): number | null {
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
