/** Objects as the API shows them: amounts as numbers in answers (§2, decisions 9, 19, 23, 25), as decimal strings on our own surface. */
import { isoOffset, isoUtc } from '../../base/iso.js'
import { amountNumber } from '../../base/money.js'
import { type Currency, currencies, type Network } from '../../protocol/api/currencies.js'
import type { SandboxObject } from '../../protocol/control/objects.js'
import { railOf } from '../../protocol/rails/index.js'
import type { ProofField } from '../../protocol/rails/rail.js'
import type { Db } from '../../store/db.js'
import { accountOf } from '../access/account.js'
import { money } from '../ledger/amounts.js'
import type { Dispute, Reply } from './disputes.js'
import type { Transaction, TransactionType } from './transactions.js'
import type { Subject } from './transition.js'
import { walletFields } from './wallet.js'

/** How an amount is written. */
export type Print = (minor: bigint, currency: Currency) => number | string
export const asNumber: Print = (minor, currency) => amountNumber(minor, currencies[currency].scale)
export const asText: Print = money

type Fields = Record<string, unknown>

const label = (row: Transaction) =>
  railOf(row.currency as Currency).label(row.currency as Currency, row.network as Network | null)

/** What proves the payment, under the name that its rail gives it; null under the names of the others. */
function proofOf(row: Transaction): Record<ProofField, string | null> {
  const none = { e2e_id: null, tracking_key: null, hash: null }
  return { ...none, [railOf(row.currency as Currency).proof]: row.detail.proof ?? null }
}

/** The answers of the endpoints that create them; `webhookUrl` is the address in effect. */
const answers: Record<TransactionType, (row: Transaction, print: Print, webhookUrl: string | null) => Fields> = {
  cashin: (row, print, webhookUrl) => {
    const currency = row.currency as Currency
    return {
      transaction_id: row.id,
      external_id: row.externalId,
      currency,
      amount: print(row.amountMinor, currency),
      fee: print(row.feeMinor, currency),
      payment_method: railOf(currency).method,
      payment_info: row.detail.paymentInfo ?? null,
      status: row.status,
      postback_url: webhookUrl,
      created_at: isoOffset(row.createdAtMs),
    }
  },
  cashout: (row, print) => {
    const currency = row.currency as Currency
    return {
      transaction_id: row.id,
      external_id: row.externalId,
      type: 'cashout',
      currency,
      network: label(row),
      amount: print(row.amountMinor, currency),
      fee: print(row.feeMinor, currency),
      wallet: row.detail.wallet ?? null,
      key_type: row.detail.keyType ?? null,
      status: row.status,
      created_at: isoOffset(row.createdAtMs),
    }
  },
  transfer: (row, print) => ({
    transaction_id: row.id,
    external_id: row.externalId,
    from_user: row.detail.fromUser,
    to_user: row.detail.toUser,
    amount: print(row.amountMinor, row.currency as Currency),
    currency: row.currency,
    description: row.detail.description ?? null,
    status: row.status,
    confirmed_at: isoUtc(row.createdAtMs),
  }),
  conversion: (row, print) => {
    const from = row.currency as Currency
    const to = row.currencyTo as Currency
    return {
      conversion_id: row.id,
      external_id: row.externalId,
      amount_from: print(row.amountMinor, from),
      currency_from: from,
      amount_to: print(BigInt(row.detail.amountToMinor ?? '0'), to),
      currency_to: to,
      rate: print === asNumber ? Number(row.detail.rate) : row.detail.rate,
      fee: print(row.feeMinor, from),
      status: row.status,
      completed_at: isoUtc(row.createdAtMs),
    }
  },
}

export function answerOf(row: Transaction, print: Print, webhookUrl: string | null = row.postbackUrl): Fields {
  return answers[row.type as TransactionType](row, print, webhookUrl)
}

/** An item of the transaction list: what every kind has, and the kind's own fields. */
export function listItem(row: Transaction, print: Print): Fields {
  const currency = row.currency as Currency
  return {
    transaction_id: row.id,
    external_id: row.externalId,
    type: row.type,
    status: row.status,
    source: row.source,
    currency,
    currency_type: railOf(currency).type,
    network: row.type === 'conversion' || row.type === 'transfer' ? null : label(row),
    amount: print(row.amountMinor, currency),
    fee: print(row.feeMinor, currency),
    created_at: isoOffset(row.createdAtMs),
    updated_at: isoOffset(row.updatedAtMs),
    ...ownFields(row, print),
  }
}

function ownFields(row: Transaction, print: Print): Fields {
  const { detail } = row
  const currency = row.currency as Currency
  const refund =
    detail.refundedMinor === undefined
      ? {}
      : { amount_refunded: print(BigInt(detail.refundedMinor), currency), reason: detail.reason }
  const own: Record<TransactionType, () => Fields> = {
    cashin: () => ({
      payment_method: railOf(currency).method,
      payment_info: detail.paymentInfo ?? null,
      ...proofOf(row),
      payer: detail.payer ?? null,
      ...(detail.walletId === undefined ? {} : { wallet_id: detail.walletId, wallet: detail.wallet }),
      ...refund,
    }),
    cashout: () => ({
      wallet: detail.wallet ?? null,
      key_type: detail.keyType ?? null,
      ...proofOf(row),
      // Of a withdrawal the event says hash, whatever the rail.
      hash: detail.proof ?? null,
      receiver: detail.receiver ?? null,
      error_code: detail.errorCode ?? null,
      error_message: detail.errorMessage ?? null,
      ...refund,
    }),
    transfer: () => ({
      direction: detail.direction,
      from_user: detail.fromUser,
      to_user: detail.toUser,
      description: detail.description ?? null,
    }),
    conversion: () => answers.conversion(row, print, null),
  }
  return own[row.type as TransactionType]()
}

/** A dispute as the list shows it; the detail adds its replies. */
export function disputeFields(row: Dispute, print: Print): Fields {
  return {
    infraction_id: row.id,
    transaction_id: row.transactionId,
    type: row.type,
    status: row.status,
    amount: print(row.amountMinor, row.currency as Currency),
    currency: row.currency,
    e2e_id: row.e2eId,
    reason: row.reason,
    deadline_at: isoUtc(row.deadlineAtMs),
    created_at: isoUtc(row.createdAtMs),
    resolved_at: row.resolvedAtMs === null ? null : isoUtc(row.resolvedAtMs),
  }
}

export function replyFields(reply: Reply): Fields {
  return { reply_id: reply.seq, message: reply.message, files: reply.files, created_at: isoUtc(reply.createdAtMs) }
}

/** Any object on our own surface, amounts as decimal strings. */
export function objectFields(db: Db, subject: Subject): SandboxObject {
  const { username } = accountOf(db, subject.row.accountSeq)
  // What a row has beside its columns is an open bag: the tests hold every answer against the schema.
  return { ...fieldsOf(subject), account: username } as unknown as SandboxObject
}

function fieldsOf(subject: Subject): Fields {
  if (subject.kind === 'dispute') return disputeFields(subject.row, asText)
  if (subject.kind === 'wallet') return walletFields(subject.row)
  return { ...listItem(subject.row, asText), postback_url: subject.row.postbackUrl }
}
