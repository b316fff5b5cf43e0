/** Cash-in: creating a charge, its payment, expiry and refund (interface.md §4.2, assumptions.md decisions 10, 11, 15, 16). */
import { isoOffset, isoUtc } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import { orElse } from '../../base/text.js'
import type { ActionParams } from '../../protocol/actions/actions.js'
import { type Currency, chainsOf, currencies, labelOf, type Network } from '../../protocol/platform/currencies.js'
import type { RequestOf, ResponseOf } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { percentPlaces } from '../../protocol/platform/limits.js'
import { railOf } from '../../protocol/rails/index.js'
import type { PaymentInfo } from '../../protocol/rails/rail.js'
import type { CashinDetail, StoredSplit } from '../../store/columns.js'
import { type Caller, destinationOf, parsePostbackUrl } from '../auth/authenticate.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import {
  amountParam,
  asNumber,
  countUsage,
  deductedFee,
  formatMoney,
  parseAmountField,
  percentPpm,
  requireLimits,
  requireSplit,
  splitParts,
} from '../ledger/pricing.js'
import { idSourceOf, type Unit } from '../unit/unit.js'
import { type Call, type Cashin, type Handler, parseDocument, runningDispute } from './transactions.js'
import {
  createInState,
  type Effect,
  eventAbout,
  findOriginal,
  newTransaction,
  type Outcome,
  performTransition,
} from './transition.js'

/** The setting with the lifetime of a charge, by rail. */
const lifeSettings = { pix: 'pixChargeLifeMs', chain: 'cryptoChargeLifeMs', spei: 'clabeLifeMs' } as const

export interface CashinRequest {
  amountMinor: bigint
  currency: Currency
  chain: Network | null
  externalId: string | null
  postbackUrl: string | null
  payer: { name?: string | undefined; document?: string | undefined; email?: string | undefined } | null
  split: StoredSplit[]
}

/** Creates a pending charge, or returns the original if the call repeats one. */
export function createCashin(unit: Unit, caller: Caller, request: CashinRequest): Cashin {
  const { account, credential } = caller
  const { currency, amountMinor } = request
  const { fingerprint, original } = findOriginal(unit, 'cashin', account.seq, request)
  if (original !== undefined) return original
  const priced = { accountSeq: account.seq, currency, operation: 'cashin' } as const
  const feeMinor = deductedFee(unit, priced, amountMinor)
  requireSplit(unit, request.split, { amountMinor, feeMinor })
  requireLimits(unit, priced, amountMinor)
  const { info, expiresAtMs } = railOf(currency).makeCharge(idSourceOf(unit), {
    currency,
    network: request.chain,
    amountMinor,
    payee: account.name,
    lifeMs: unit.config[lifeSettings[currencies[currency].rail]],
  })
  const charge = newTransaction(unit, 'cashin', 'create', {
    accountSeq: account.seq,
    credentialSeq: credential?.seq ?? null,
    // The platform's word for every charge, also by SPEI and crypto; `static` is a deposit to a fixed wallet.
    source: 'dynamic_qr',
    currency,
    amountMinor,
    feeMinor,
    externalId: request.externalId,
    fingerprint,
    postbackUrl: request.postbackUrl,
    network: request.chain,
    detail: detailOf(info, request),
  })
  countUsage(unit, priced, amountMinor)
  createInState(unit, { kind: 'cashin', row: charge }, 'create', () => ({}))
  if (expiresAtMs !== null) schedule(unit, 'expire', expiresAtMs, charge.id)
  return charge
}

function detailOf(paymentInfo: PaymentInfo, { payer, split }: CashinRequest): CashinDetail {
  const { name = null, document = null, email = null } = payer ?? {}
  return {
    paymentInfo,
    ...(payer === null ? {} : { payer: { name, document, email } }),
    ...(split.length === 0 ? {} : { split }),
  }
}

/** `cashin.pay`: 409 INVALID_TRANSITION unless pending. Crypto and SPEI can receive a different amount than requested. */
export function pay(unit: Unit, charge: Cashin, params: ActionParams<'cashin.pay'>): Outcome {
  return performTransition(unit, { kind: 'cashin', row: charge }, 'pay', () => {
    const amountMinor = amountParam(charge, params.amount, { exact: railOf(charge.currency).isPaidExactly })
    cancelJobs(unit, 'expire', charge.id)
    return paymentEffect(unit, charge, amountMinor, params)
  })
}

/** The effect of a payment, to a charge or to a fixed wallet. */
export function paymentEffect(
  unit: Unit,
  charge: Cashin,
  amountMinor: bigint,
  params: Pick<ActionParams<'cashin.pay'>, 'payer' | 'hash'>,
): Effect {
  const currency = charge.currency
  const feeMinor = deductedFee(unit, { accountSeq: charge.accountSeq, currency, operation: 'cashin' }, amountMinor)
  const payer = {
    name: params.payer?.name ?? charge.detail.payer?.name ?? null,
    document: params.payer?.document ?? charge.detail.payer?.document ?? null,
  }
  const rail = railOf(currency)
  const network = charge.network
  const proof = params.hash ?? rail.newRailReference(idSourceOf(unit), network)
  const detail = {
    ...charge.detail,
    ...(amountMinor === charge.amountMinor ? {} : { requestedMinor: String(charge.amountMinor) }),
    proof,
    payer: { ...charge.detail.payer, ...payer },
  }
  const text = (minor: bigint) => formatMoney(minor, currency)
  return {
    amounts: {
      amount: { amountMinor },
      fee: { amountMinor: feeMinor },
      split: splitParts(unit, charge.detail.split ?? [], { amountMinor, feeMinor }),
    },
    set: { amountMinor, feeMinor, detail },
    event: eventAbout(charge, charge.id, 'cashin.confirmed', (balance) => ({
      transaction_id: charge.id,
      external_id: charge.externalId,
      type: 'cashin',
      currency,
      currency_type: rail.type,
      amount: text(amountMinor),
      fee: text(feeMinor),
      amount_net: text(amountMinor - feeMinor),
      status: 'confirmed',
      source: charge.source === 'static' ? 'static' : 'dynamic_qr',
      network: labelOf(currency, network),
      [rail.proof]: proof,
      payer,
      old_balance: text(balance.old),
      new_balance: text(balance.new),
      confirmed_at: isoUtc(unit.atMs),
    })),
  }
}

/** `cashin.expire`: emits an event on the rails that have one (assumptions.md decision 15). */
export function expire(unit: Unit, charge: Cashin): Outcome {
  return performTransition(unit, { kind: 'cashin', row: charge }, 'expire', () => {
    cancelJobs(unit, 'expire', charge.id)
    if (!railOf(charge.currency).hasExpiryEvent) return {}
    return {
      event: eventAbout(charge, charge.id, 'cashin.expired', () => ({
        transaction_id: charge.id,
        external_id: charge.externalId,
        currency: charge.currency,
        amount: formatMoney(charge.amountMinor, charge.currency),
        status: 'expired',
        expired_at: isoUtc(unit.atMs),
      })),
    }
  })
}

/**
 * `cashin.refund`, in full or in part: the gross amount is debited, the fee is not returned (assumptions.md decision
 * 11). Not possible while a dispute blocks the money.
 */
export function refund(unit: Unit, charge: Cashin, params: ActionParams<'cashin.refund'>): Outcome {
  const dispute = runningDispute(unit.db, charge.id)
  if (dispute !== undefined) {
    const message = `cashin.refund is not possible on ${charge.id}: the dispute ${dispute.id} blocks its amount until the dispute is decided.`
    throw new ApiError('INVALID_TRANSITION', { from: charge.status, action: 'cashin.refund', allowed: [] }, message)
  }
  return performTransition(unit, { kind: 'cashin', row: charge }, 'refund', () =>
    refundEffect(
      unit,
      charge,
      amountParam(charge, params.amount, { atMost: charge.amountMinor }),
      params.reason ?? unit.config.reasons['cashin.refund'],
    ),
  )
}

/** Returns money to the payer, after a refund or a lost dispute. */
export function refundEffect(unit: Unit, charge: Cashin, refundMinor: bigint, reason: string): Effect {
  const currency = charge.currency
  const refundId = unit.ids.next('refunds').id
  return {
    amounts: { refund: { amountMinor: refundMinor } },
    set: { detail: { ...charge.detail, refundedMinor: String(refundMinor), reason } },
    event: eventAbout(charge, refundId, 'cashin.refunded', (balance) => ({
      transaction_id: refundId,
      original_transaction_id: charge.id,
      external_id: charge.externalId,
      currency,
      amount: formatMoney(charge.amountMinor, currency),
      amount_refunded: formatMoney(refundMinor, currency),
      status: 'refunded',
      reason,
      old_balance: formatMoney(balance.old, currency),
      new_balance: formatMoney(balance.new, currency),
      refunded_at: isoUtc(unit.atMs),
    })),
  }
}

export const cashin: Handler<'cashin'> = (call, request) => {
  const currency = request.currency
  const amountMinor = parseAmountField(request.amount, currency)
  const { config } = call.unit
  const charge = createCashin(call.unit, call.caller, {
    currency,
    amountMinor,
    chain: chainFor(config, currency, request.chain),
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

function parseSplit(items: NonNullable<RequestOf<'cashin'>['split']>, currency: Currency): StoredSplit[] {
  return items.map(({ username, percentage, amount }, index) => {
    if (percentage === undefined)
      return { username, amountMinor: String(parseAmountField(amount ?? '', currency, `split.${index}.amount`)) }
    // Text that is not a percentage gets the same error as zero.
    const ppm = orElse(0n, () => percentPpm(percentage))
    // Normalized, so that a repeated call with 10.0 instead of 10 is recognized as the same.
    if (ppm > 0n) return { username, percentage: formatAmount(ppm, percentPlaces) }
    throw new ApiError('INVALID_SPLIT_CONFIG', {
      field: `split.${index}.percentage`,
      rule: `must be greater than zero, with at most ${percentPlaces} decimals`,
    })
  })
}

/** Returns the response of the endpoint; `webhookUrl` is the address in effect. */
function cashinAnswer(row: Cashin, webhookUrl: string | null): ResponseOf<'cashin'> {
  const { paymentInfo } = row.detail
  if (paymentInfo === undefined) throw new Error(`${row.id} is a deposit and cannot be paid`)
  return {
    transaction_id: row.id,
    external_id: row.externalId,
    currency: row.currency,
    amount: asNumber.amount(row.amountMinor, row.currency),
    fee: asNumber.amount(row.feeMinor, row.currency),
    payment_method: railOf(row.currency).method,
    payment_info: paymentInfo,
    status: row.status,
    postback_url: webhookUrl,
    created_at: isoOffset(row.createdAtMs),
  }
}

/** Returns the chain of a charge or wallet. The setting `fiat_chain` decides about a chain with BRL or MXN. */
export const chainFor = (config: { fiatChain: 'reject' | 'ignore' }, currency: Currency, chain: string | undefined) =>
  config.fiatChain === 'ignore' && chainsOf(currency).length === 0
    ? null
    : requireSupported('chain', chain, chainsOf(currency))

/**
 * Returns the chain or network. A call without one that it requires has been rejected, so a missing one is the only one, or
 * null for fiat. Throws 422 UNSUPPORTED_CHAIN `{supported}` if it is the wrong one or the currency is fiat.
 */
export function requireSupported(
  field: string,
  name: string | undefined,
  supported: readonly Network[],
): Network | null {
  if (name === undefined) return supported[0] ?? null
  const found = supported.find((one) => one === name)
  if (found !== undefined) return found
  throw new ApiError('UNSUPPORTED_CHAIN', { field, supported })
}
