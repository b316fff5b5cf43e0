/** Handlers of what moves money, or makes a place for it to arrive. */

import { isoUtc } from '../../base/iso.js'
import { legacyCurrency } from '../../protocol/rails/index.js'
import { readAmount } from '../ledger/amounts.js'
import { createCashin } from '../operations/cashin.js'
import { type CashoutRequest, createCashout } from '../operations/cashout.js'
import { createConversion, quote } from '../operations/conversion.js'
import { createTransfer } from '../operations/transfer.js'
import { asNumber, cashinAnswer, cashoutAnswer, conversionAnswer, transferAnswer } from '../operations/views.js'
import { createWallet, walletFields } from '../operations/wallet.js'
import { destinationOf } from '../webhooks/outbox.js'
import { chainOf, conversionOf, documentOf, networkOf, postbackUrlOf, splitOf } from './fields.js'
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
