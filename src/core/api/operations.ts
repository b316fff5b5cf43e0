/** Handlers of what moves money, or makes a place for it to arrive. */

import { isoUtc } from '../../base/iso.js'
import type { Currency } from '../../protocol/api/currencies.js'
import type { ResponseOf } from '../../protocol/api/endpoints.js'
import { legacyCurrency } from '../../protocol/rails/index.js'
import type { PixKeyType } from '../../protocol/rails/pix-key.js'
import { readAmount } from '../ledger/amounts.js'
import { createCashin } from '../operations/cashin.js'
import { type CashoutRequest, createCashout } from '../operations/cashout.js'
import { createConversion, quote } from '../operations/conversion.js'
import { createTransfer } from '../operations/transfer.js'
import { answerOf, asNumber } from '../operations/views.js'
import { createWallet, walletFields } from '../operations/wallet.js'
import { destinationOf } from '../webhooks/outbox.js'
import { chainOf, conversionOf, documentOf, networkOf, postbackUrlOf, splitOf } from './fields.js'
import type { Call, Handler } from './handler.js'

export const cashin: Handler<'cashin'> = (call, request) => {
  const currency = request.currency as Currency
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
  return answerOf(charge, asNumber, destinationOf(call.unit, charge).url) as ResponseOf<'cashin'>
}

const withdraw = (call: Call, request: CashoutRequest) =>
  answerOf(createCashout(call.unit, call.caller, request), asNumber) as ResponseOf<'cashout'>

export const cashout: Handler<'cashout'> = (call, request) => {
  const currency = request.currency as Currency
  return withdraw(call, {
    currency,
    amountMinor: readAmount(request.amount, currency),
    network: networkOf(currency, request.network),
    key: request.key,
    keyType: (request.key_type as PixKeyType | undefined) ?? null,
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
    keyType: (creditParty.keyType as PixKeyType | undefined) ?? null,
    externalId: external_id ?? null,
    name: creditParty.name ?? null,
    document: documentOf(creditParty.taxId, 'creditParty.taxId') ?? null,
    bankCode: null,
    description: description ?? null,
  })

export const wallet: Handler<'wallet'> = (call, request) => {
  const currency = request.currency as Currency
  return walletFields(createWallet(call.unit, call.caller, { currency, chain: chainOf(currency, request.chain) }))
}

export const transfer: Handler<'transfer'> = (call, request) => {
  const currency = request.currency as Currency
  const sent = createTransfer(call.unit, call.caller, {
    username: request.username,
    currency,
    amountMinor: readAmount(request.amount, currency),
    externalId: request.external_id ?? null,
    description: request.description ?? null,
  })
  return answerOf(sent, asNumber) as ResponseOf<'transfer'>
}

export const rate: Handler<'rate'> = (call, request) => {
  const wanted = conversionOf(request)
  const { rate: price, resultMinor } = quote(call.unit, call.caller, wanted)
  return {
    base_currency: wanted.from,
    destination_currency: wanted.to,
    amount: asNumber(wanted.amountMinor, wanted.from) as number,
    rate: Number(price),
    estimated_amount: asNumber(resultMinor, wanted.to) as number,
    timestamp: isoUtc(call.unit.atMs),
  }
}

export const simulate: Handler<'simulate'> = (call, request) => {
  const wanted = conversionOf(request)
  const { rate: price, resultMinor, feeMinor, expiresAtMs } = quote(call.unit, call.caller, wanted)
  return {
    from_amount: asNumber(wanted.amountMinor, wanted.from) as number,
    to_amount: asNumber(resultMinor, wanted.to) as number,
    base_currency: wanted.from,
    destination_currency: wanted.to,
    rate: Number(price),
    spread: Number(call.unit.config.spreadPercent),
    fee: asNumber(feeMinor, wanted.from) as number,
    expires_at: isoUtc(expiresAtMs),
  }
}

export const conversion: Handler<'conversion'> = (call, request) =>
  answerOf(createConversion(call.unit, call.caller, conversionOf(request)), asNumber) as ResponseOf<'conversion'>
