/** Internal transfers, completed at once; each side has its own transaction (interface.md §4.3, assumptions.md decision 23). */

import { isoUtc } from '../../base/iso.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import type { ResponseOf } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { findAccount } from '../auth/account.js'
import type { Caller } from '../auth/authenticate.js'
import { requireAvailable } from '../ledger/ledger.js'
import { asNumber, countUsage, feeOf, formatMoney, parseAmountField, requireLimits } from '../ledger/pricing.js'
import type { Unit } from '../unit/unit.js'
import { addressee } from './cashin.js'
import type { Handler, Transfer } from './transactions.js'
import { createInState, findOriginal, fingerprint, newTransaction } from './transition.js'

export interface TransferRequest {
  username: string
  amountMinor: bigint
  currency: Currency
  externalId: string | null
  description: string | null
}

/**
 * Creates a transfer and returns the sender's transaction. 404 NOT_FOUND for an unknown username, 422
 * SELF_TRANSFER_BLOCKED, 422 INSUFFICIENT_BALANCE.
 */
function createTransfer(unit: Unit, caller: Caller, request: TransferRequest): Transfer {
  const sender = caller.account
  const requestHash = fingerprint('transfer', { ...request, amountMinor: String(request.amountMinor) })
  const original = findOriginal(unit, 'transfer', sender.seq, request.externalId, requestHash)
  if (original !== undefined) return original
  const recipient = findAccount(unit.db, request.username)
  if (recipient === undefined)
    throw new ApiError(
      'NOT_FOUND',
      { field: 'username', username: request.username },
      `There is no account ${request.username}.`,
    )
  if (recipient.seq === sender.seq) throw new ApiError('SELF_TRANSFER_BLOCKED', { username: request.username })
  const { amountMinor, currency } = request
  requireLimits(unit, sender.seq, currency, 'transfer', amountMinor)
  const feeMinor = feeOf(unit, sender.seq, currency, 'transfer', amountMinor)
  requireAvailable(unit, sender.seq, currency, amountMinor + feeMinor)
  countUsage(unit, sender.seq, currency, 'transfer', amountMinor)

  const parties = { fromUser: sender.username, toUser: recipient.username, description: request.description }
  const sent = newTransaction(unit, 'transfer', 'create', {
    accountSeq: sender.seq,
    credentialSeq: caller.credential?.seq ?? null,
    currency,
    amountMinor,
    feeMinor,
    externalId: request.externalId,
    fingerprint: requestHash,
    detail: { direction: 'sent', ...parties },
  })
  const received = newTransaction(unit, 'transfer', 'receive', {
    accountSeq: recipient.seq,
    credentialSeq: null,
    currency,
    amountMinor,
    feeMinor: 0n,
    detail: { direction: 'received', ...parties },
  })
  createInState(unit, { kind: 'transfer', row: sent }, 'create', () => ({
    amounts: { amount: { amountMinor, peerSeq: recipient.seq }, fee: { amountMinor: feeMinor } },
    event: announcement(unit, sent, recipient.username, 0n),
  }))
  createInState(unit, { kind: 'transfer', row: received }, 'receive', () => ({
    event: announcement(unit, received, sender.username, amountMinor),
  }))
  return sent
}

/** The sender's entry also credited the recipient: the recipient's earlier balance is the current one minus `creditedMinor`. */
function announcement(unit: Unit, transfer: Transfer, counterparty: string, creditedMinor: bigint) {
  const currency = transfer.currency
  return {
    name: 'transfer.confirmed' as const,
    to: addressee(transfer),
    transactionId: transfer.id,
    data: (balance: { old: bigint; new: bigint }) => ({
      transaction_id: transfer.id,
      direction: transfer.detail.direction,
      amount: formatMoney(transfer.amountMinor, currency),
      currency,
      counterparty,
      description: transfer.detail.description,
      old_balance: formatMoney(balance.old - creditedMinor, currency),
      new_balance: formatMoney(balance.new, currency),
      confirmed_at: isoUtc(unit.atMs),
    }),
  }
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

const transferAnswer = (row: Transfer): ResponseOf<'transfer'> => ({
  transaction_id: row.id,
  external_id: row.externalId,
  from_user: row.detail.fromUser,
  to_user: row.detail.toUser,
  amount: asNumber.amount(row.amountMinor, row.currency),
  currency: row.currency,
  description: row.detail.description,
  status: row.status,
  confirmed_at: isoUtc(row.createdAtMs),
})
