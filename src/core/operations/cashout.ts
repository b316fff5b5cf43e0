/** Cash-out: a withdrawal, which settles or fails later (interface.md §4.3, assumptions.md decisions 10, 19, 20). */
import { isoOffset, isoUtc } from '../../base/iso.js'
import type { ActionParams } from '../../protocol/actions/actions.js'
import { type Currency, labelOf, type Network, networksOf } from '../../protocol/platform/currencies.js'
import type { ResponseOf } from '../../protocol/platform/endpoints.js'
import { ApiError, invalid } from '../../protocol/platform/errors.js'
import { type CashoutFailure, cashoutFailures, failuresOn } from '../../protocol/platform/failures.js'
import { legacyCurrency, railOf } from '../../protocol/rails/index.js'
import type { PixKeyType } from '../../protocol/rails/pix-key.js'
import type { Destination } from '../../protocol/rails/rail.js'
import type { Caller } from '../auth/authenticate.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import { requireAvailable } from '../ledger/ledger.js'
import {
  amountParam,
  asNumber,
  countUsage,
  feeOf,
  formatMoney,
  parseAmountField,
  requireLimits,
} from '../ledger/pricing.js'
import { idSourceOf, type Unit } from '../unit/unit.js'
import { requireSupported } from './cashin.js'
import { type Call, type Cashout, type Handler, parseDocument } from './transactions.js'
import {
  createInState,
  eventAbout,
  findOriginal,
  newTransaction,
  type Outcome,
  performTransition,
} from './transition.js'

export interface CashoutRequest {
  amountMinor: bigint
  currency: Currency
  /** Key, CLABE or address. */
  key: string
  keyType: PixKeyType | null
  network: Network | null
  externalId: string | null
  name: string | null
  document: string | null
  bankCode: string | null
  description: string | null
}

/**
 * Creates a pending withdrawal and reserves amount and fee, or returns the original if the call repeats one. 422
 * INSUFFICIENT_BALANCE.
 */
function createCashout(unit: Unit, caller: Caller, request: CashoutRequest): Cashout {
  const { account, credential } = caller
  const { fingerprint, original } = findOriginal(unit, 'cashout', account.seq, request)
  if (original !== undefined) return original
  const { amountMinor, currency } = request
  const keyType = railOf(currency).keyTypeOf(request.key, request.keyType)
  requireDestination(unit, request, keyType)
  const priced = { accountSeq: account.seq, currency, operation: 'cashout' } as const
  requireLimits(unit, priced, amountMinor)
  const feeMinor = feeOf(unit, priced, amountMinor)
  requireAvailable(unit, account.seq, currency, amountMinor + feeMinor)
  countUsage(unit, priced, amountMinor)
  const withdrawal = newTransaction(unit, 'cashout', 'create', {
    accountSeq: account.seq,
    credentialSeq: credential?.seq ?? null,
    currency,
    amountMinor,
    feeMinor,
    externalId: request.externalId,
    fingerprint,
    network: request.network,
    detail: {
      wallet: request.key,
      keyType,
      description: request.description,
      receiver: { name: request.name, document: request.document, bank: request.bankCode },
    },
  })
  createInState(unit, { kind: 'cashout', row: withdrawal }, 'create', () => ({
    amounts: { amount: { amountMinor }, fee: { amountMinor: feeMinor } },
  }))
  if (unit.config.cashoutSettle === 'auto')
    schedule(unit, 'settle', unit.atMs + unit.config.cashoutSettleMs, withdrawal.id)
  return withdrawal
}

/** Returns why the destination cannot be reached, or null (assumptions.md decision 20). */
function destinationFault({ config }: Unit, { currency, ...destination }: RoutedDestination): CashoutFailure | null {
  const bankCode = config.bankCodeMismatch === 'ignore' ? null : destination.bankCode
  return railOf(currency).failureOf({ ...destination, bankCode })
}

type RoutedDestination = Destination & { currency: Currency }

/** With `wrong_destination: reject`, throws 422 INVALID_VALUE; otherwise the withdrawal fails later, with an event. */
function requireDestination(unit: Unit, request: CashoutRequest, keyType: PixKeyType | null): void {
  const { currency, key, network, bankCode } = request
  if (unit.config.wrongDestination === 'fail') return
  if (destinationFault(unit, { currency, key, keyType, network, bankCode }) === null) return
  throw invalid('key', 'must be a valid destination')
}

/** Simulates the provider's decision, when no action has decided the withdrawal. */
export function settleAutomatically(unit: Unit, withdrawal: Cashout): Outcome {
  const { currency, network, detail } = withdrawal
  const { wallet: key, keyType, receiver } = detail
  const fault = destinationFault(unit, { currency, network, key, keyType, bankCode: receiver.bank ?? null })
  return fault === null ? confirm(unit, withdrawal, {}) : fail(unit, withdrawal, { error_code: fault })
}

export function confirm(unit: Unit, withdrawal: Cashout, params: ActionParams<'cashout.confirm'>): Outcome {
  const { currency, detail, amountMinor, feeMinor } = withdrawal
  const rail = railOf(currency)
  return performTransition(unit, { kind: 'cashout', row: withdrawal }, 'confirm', () => {
    cancelJobs(unit, 'settle', withdrawal.id)
    const hash = params.hash ?? rail.newRailReference(idSourceOf(unit), withdrawal.network)
    const receiver = {
      name: params.receiver?.name ?? detail.receiver.name ?? null,
      document: params.receiver?.document ?? detail.receiver.document ?? null,
      bank: params.receiver?.bank ?? detail.receiver.bank ?? rail.bankOf(detail.wallet),
    }
    const { network, amount, ...identity } = commonEventFields(withdrawal)
    return {
      amounts: { amount: { amountMinor }, fee: { amountMinor: feeMinor } },
      set: { detail: { ...detail, proof: hash, receiver } },
      event: eventAbout(withdrawal, withdrawal.id, 'cashout.confirmed', () => ({
        transaction_id: withdrawal.id,
        ...identity,
        currency_type: rail.type,
        network,
        amount,
        fee: formatMoney(feeMinor, currency),
        status: 'confirmed',
        wallet: detail.wallet,
        key_type: detail.keyType,
        hash,
        receiver,
        confirmed_at: isoUtc(unit.atMs),
      })),
    }
  })
}

/** `cashout.fail`: amount and fee are returned. 422 INVALID_VALUE for a reason that is not possible on its rail. */
export function fail(unit: Unit, withdrawal: Cashout, params: ActionParams<'cashout.fail'>): Outcome {
  const { currency, detail, amountMinor, feeMinor } = withdrawal
  const errorCode = params.error_code ?? 'UNKNOWN'
  const errorMessage = params.error_message ?? cashoutFailures[errorCode].meaning
  const possible = failuresOn(withdrawal)
  if (!possible.includes(errorCode)) {
    const rule = `is not a failure of this withdrawal's network; use one of ${possible.join(', ')}`
    const details = { field: 'error_code', rule, supported: possible }
    throw new ApiError('INVALID_VALUE', details, `error_code ${errorCode} ${rule}.`)
  }
  const shownMinor = unit.config.refundedAmount === 'with_fee' ? amountMinor + feeMinor : amountMinor
  return performTransition(unit, { kind: 'cashout', row: withdrawal }, 'fail', () => {
    cancelJobs(unit, 'settle', withdrawal.id)
    return {
      amounts: { amount: { amountMinor }, fee: { amountMinor: feeMinor } },
      set: { detail: { ...detail, errorCode, errorMessage } },
      event: eventAbout(withdrawal, withdrawal.id, 'cashout.failed', () => ({
        transaction_id: withdrawal.id,
        ...commonEventFields(withdrawal),
        status: 'failed',
        wallet: detail.wallet,
        error_code: errorCode,
        error_message: errorMessage,
        refunded_amount: formatMoney(shownMinor, currency),
        failed_at: isoUtc(unit.atMs),
      })),
    }
  })
}

/** `cashout.refund`, in full or in part; the fee is not returned. */
export function refund(unit: Unit, withdrawal: Cashout, params: ActionParams<'cashout.refund'>): Outcome {
  const currency = withdrawal.currency
  return performTransition(unit, { kind: 'cashout', row: withdrawal }, 'refund', () => {
    const refundMinor = amountParam(withdrawal, params.amount, { atMost: withdrawal.amountMinor })
    const reason = params.reason ?? unit.config.reasons['cashout.refund']
    const refundId = unit.ids.next('refunds').id
    return {
      amounts: { refund: { amountMinor: refundMinor } },
      set: { detail: { ...withdrawal.detail, refundedMinor: String(refundMinor), reason } },
      event: eventAbout(withdrawal, refundId, 'cashout.refunded', () => ({
        transaction_id: refundId,
        original_transaction_id: withdrawal.id,
        external_id: withdrawal.externalId,
        currency,
        network: labelOf(currency, withdrawal.network),
        amount: formatMoney(withdrawal.amountMinor, currency),
        amount_refunded: formatMoney(refundMinor, currency),
        status: 'refunded',
        reason,
        refunded_at: isoUtc(unit.atMs),
      })),
    }
  })
}

/** The fields that every withdrawal event has after its id. */
function commonEventFields(withdrawal: Cashout) {
  const currency = withdrawal.currency
  return {
    external_id: withdrawal.externalId,
    type: 'cashout',
    currency,
    network: labelOf(currency, withdrawal.network),
    amount: formatMoney(withdrawal.amountMinor, currency),
  } as const
}

const withdraw = (call: Call, request: CashoutRequest) => cashoutAnswer(createCashout(call.unit, call.caller, request))

export const cashout: Handler<'cashout'> = (call, request) => {
  const currency = request.currency
  return withdraw(call, {
    currency,
    amountMinor: parseAmountField(request.amount, currency),
    // A currency with only one network does not require the field.
    network: requireSupported('network', request.network, networksOf(currency)),
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

const cashoutAnswer = (row: Cashout): ResponseOf<'cashout'> => ({
  transaction_id: row.id,
  external_id: row.externalId,
  type: 'cashout',
  currency: row.currency,
  network: labelOf(row.currency, row.network),
  amount: asNumber.amount(row.amountMinor, row.currency),
  fee: asNumber.amount(row.feeMinor, row.currency),
  wallet: row.detail.wallet,
  key_type: row.detail.keyType,
  status: row.status,
  created_at: isoOffset(row.createdAtMs),
})
