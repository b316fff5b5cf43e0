/**
 * Objects as the API shows them: amounts as numbers in the platform API (interface.md §2, assumptions.md decisions 9,
 * 19, 23, 25), as decimal strings in the control API.
 */

import { isoOffset, isoUtc } from '../../base/iso.js'
import { labelOf } from '../../protocol/platform/currencies.js'
import { railOf } from '../../protocol/rails/index.js'
import type { ProofField } from '../../protocol/rails/rail.js'
import type { Db } from '../../store/db.js'
import { accountOf } from '../auth/authenticate.js'
import { type AmountFormat, asText, formatMoney } from '../ledger/pricing.js'
import { conversionFields } from './conversion.js'
import {
  type Cashin,
  type Cashout,
  type Conversion,
  type Dispute,
  findTransaction,
  type Reply,
  type Subject,
  type Transaction,
  type Transfer,
  type Wallet,
} from './transactions.js'
import { walletFields } from './wallet.js'

const label = ({ currency, network }: Transaction) => labelOf(currency, network)

/** Returns the proof of payment if its rail uses this field name, else null. */
const proofOf = ({ currency, detail }: Cashin | Cashout, name: ProofField): string | null =>
  railOf(currency).proof === name ? (detail.proof ?? null) : null

const refundedOf = <Money>({ currency, detail }: Cashin | Cashout, print: AmountFormat<Money>): Money | undefined =>
  detail.refundedMinor === undefined ? undefined : print.amount(BigInt(detail.refundedMinor), currency)

/**
 * The fields that a list item of every type has after its id. An item must begin with a field of its own: V8 creates a
 * new shape for each field after a shared beginning, which took half the CPU of a page of 50; this way an item takes a
 * hundredth of the time. Undefined fields do not appear in JSON.
 */
const common = <Money>(row: Transaction, print: AmountFormat<Money>) => ({
  external_id: row.externalId,
  source: row.source,
  currency: row.currency,
  currency_type: railOf(row.currency).type,
  amount: print.amount(row.amountMinor, row.currency),
  fee: print.amount(row.feeMinor, row.currency),
  created_at: isoOffset(row.createdAtMs),
  updated_at: isoOffset(row.updatedAtMs),
})

const cashinItem = <Money>(row: Cashin, print: AmountFormat<Money>) => ({
  transaction_id: row.id,
  ...common(row, print),
  type: row.type,
  status: row.status,
  network: label(row),
  payment_method: railOf(row.currency).method,
  payment_info: row.detail.paymentInfo ?? null,
  e2e_id: proofOf(row, 'e2e_id'),
  tracking_key: proofOf(row, 'tracking_key'),
  hash: proofOf(row, 'hash'),
  payer: row.detail.payer ?? null,
  wallet_id: row.detail.walletId,
  wallet: row.detail.wallet,
  amount_refunded: refundedOf(row, print),
  reason: row.detail.reason,
})

const cashoutItem = <Money>(row: Cashout, print: AmountFormat<Money>) => ({
  transaction_id: row.id,
  ...common(row, print),
  type: row.type,
  status: row.status,
  network: label(row),
  wallet: row.detail.wallet,
  key_type: row.detail.keyType,
  e2e_id: proofOf(row, 'e2e_id'),
  tracking_key: proofOf(row, 'tracking_key'),
  // The event of a withdrawal uses `hash` on every rail.
  hash: row.detail.proof ?? null,
  receiver: row.detail.receiver,
  error_code: row.detail.errorCode ?? null,
  error_message: row.detail.errorMessage ?? null,
  amount_refunded: refundedOf(row, print),
  reason: row.detail.reason,
})

const transferItem = <Money>(row: Transfer, print: AmountFormat<Money>) => ({
  transaction_id: row.id,
  ...common(row, print),
  type: row.type,
  status: row.status,
  network: null,
  direction: row.detail.direction,
  from_user: row.detail.fromUser,
  to_user: row.detail.toUser,
  description: row.detail.description,
})

const conversionItem = <Money>(row: Conversion, print: AmountFormat<Money>) => ({
  transaction_id: row.id,
  ...common(row, print),
  type: row.type,
  status: row.status,
  network: null,
  ...conversionFields(row, print),
})

export function listItem<Money>(row: Transaction, print: AmountFormat<Money>) {
  if (row.type === 'cashin') return cashinItem(row, print)
  if (row.type === 'cashout') return cashoutItem(row, print)
  return row.type === 'transfer' ? transferItem(row, print) : conversionItem(row, print)
}

/** Returns a dispute as the list shows it; the detail endpoint adds its replies. */
export const disputeItem = <Money>(row: Dispute, print: AmountFormat<Money>) => ({
  infraction_id: row.id,
  transaction_id: row.transactionId,
  type: row.type,
  status: row.status,
  amount: print.amount(row.amountMinor, row.currency),
  currency: row.currency,
  e2e_id: row.e2eId,
  reason: row.reason,
  deadline_at: isoUtc(row.deadlineAtMs),
  created_at: isoUtc(row.createdAtMs),
  resolved_at: row.resolvedAtMs === null ? null : isoUtc(row.resolvedAtMs),
})

export const replyItem = (reply: Reply) => ({
  reply_id: reply.seq,
  message: reply.message,
  files: reply.files,
  created_at: isoUtc(reply.createdAtMs),
})

const account = (db: Db, row: { accountSeq: number }) => accountOf(db, row.accountSeq).username

/** Objects as the control API shows them: amounts as decimal strings, plus the account. */
export const transactionObject = (db: Db, row: Transaction) =>
  Object.assign(listItem(row, asText), {
    amount_requested: requestedOf(row),
    postback_url: row.postbackUrl,
    account: account(db, row),
  })

/** Returns the amount of a charge whose payer paid another one. */
export const requestedOf = (row: Transaction): string | undefined =>
  row.type === 'cashin' && row.detail.requestedMinor !== undefined
    ? formatMoney(BigInt(row.detail.requestedMinor), row.currency)
    : undefined

export function disputeObject(db: Db, row: Dispute) {
  const charge = findTransaction(db, row.transactionId)
  return {
    ...disputeItem(row, asText),
    external_id: charge?.externalId ?? null,
    payer: charge?.type === 'cashin' ? (charge.detail.payer ?? null) : null,
    account: account(db, row),
  }
}
export const walletObject = (db: Db, row: Wallet) => ({ ...walletFields(row), account: account(db, row) })

export type PlatformObject = ReturnType<typeof disputeObject | typeof walletObject | typeof transactionObject>

export function objectOf(db: Db, { kind, row }: Subject): PlatformObject {
  if (kind === 'dispute') return disputeObject(db, row)
  return kind === 'wallet' ? walletObject(db, row) : transactionObject(db, row)
}
