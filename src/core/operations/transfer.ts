/** Internal transfers, completed at once; each side has its own transaction (interface.md §4.3, assumptions.md decision 23). */

import { isoUtc } from '../../base/iso.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { findAccount } from '../auth/account.js'
import { requireAvailable } from '../ledger/ledger.js'
import { asNumber, countUsage, feeOf, formatMoney, parseAmountField, requireLimits } from '../ledger/pricing.js'
import type { Unit } from '../unit/unit.js'
import type { Handler, Transfer } from './transactions.js'
import { createInState, eventAbout, findOriginal, newTransaction } from './transition.js'

/**
 * Creates a transfer and returns the sender's transaction. 404 NOT_FOUND for an unknown username, 422
 * SELF_TRANSFER_BLOCKED, 422 INSUFFICIENT_BALANCE.
 */
function createTransfer(...[{ unit, caller }, body]: Parameters<Handler<'transfer'>>): Transfer {
  const sender = caller.account
  const { username, currency } = body
  const amountMinor = parseAmountField(body.amount, currency)
  const { external_id: externalId = null, description = null } = body
  const request = { username, currency, amountMinor, externalId, description }
  const { fingerprint, original } = findOriginal(unit, 'transfer', sender.seq, request)
  if (original !== undefined) return original
  const recipient = findAccount(unit.db, username)
  if (recipient === undefined)
    throw new ApiError('NOT_FOUND', { field: 'username', username }, `There is no account ${username}.`)
  if (recipient.seq === sender.seq) throw new ApiError('SELF_TRANSFER_BLOCKED', { username })
  const priced = { accountSeq: sender.seq, currency, operation: 'transfer' } as const
  requireLimits(unit, priced, amountMinor)
  const feeMinor = feeOf(unit, priced, amountMinor)
  requireAvailable(unit, sender.seq, currency, amountMinor + feeMinor)
  countUsage(unit, priced, amountMinor)

  const parties = { fromUser: sender.username, toUser: recipient.username, description }
  const sent = newTransaction(unit, 'transfer', 'create', {
    accountSeq: sender.seq,
    credentialSeq: caller.credential.seq,
    currency,
    amountMinor,
    feeMinor,
    externalId,
    fingerprint,
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
  return eventAbout(transfer, transfer.id, 'transfer.confirmed', (balance) => ({
    transaction_id: transfer.id,
    direction: transfer.detail.direction,
    amount: formatMoney(transfer.amountMinor, currency),
    currency,
    counterparty,
    description: transfer.detail.description,
    old_balance: formatMoney(balance.old - creditedMinor, currency),
    new_balance: formatMoney(balance.new, currency),
    confirmed_at: isoUtc(unit.atMs),
  }))
}

export const transfer: Handler<'transfer'> = (...call) => {
  const row = createTransfer(...call)
  return {
    transaction_id: row.id,
    external_id: row.externalId,
    from_user: row.detail.fromUser,
    to_user: row.detail.toUser,
    amount: asNumber.amount(row.amountMinor, row.currency),
    currency: row.currency,
    description: row.detail.description,
    status: row.status,
    confirmed_at: isoUtc(row.createdAtMs),
  }
}
