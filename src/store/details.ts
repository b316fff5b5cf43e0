/**
 * Fields that only some types of transactions have: stored as JSON in `detail`, read by the row's `type`. Amounts are
 * minor units as text.
 */
import type { CashoutFailure } from '../protocol/platform/failures.js'
import type { TransactionType } from '../protocol/platform/transitions.js'
import type { PaymentInfo } from '../protocol/rails/index.js'
import type { PixKeyType } from '../protocol/rails/pix-key.js'

export interface Payer {
  name: string | null
  document: string | null
  /** From the request; a payment does not report it. */
  email?: string | null
}

/** A part of the net amount: a share in percent, or a fixed amount. */
export type StoredSplit = { username: string; percentage: string } | { username: string; amountMinor: string }

interface RefundDetail {
  refundedMinor?: string
  reason?: string
}

export interface CashinDetail extends RefundDetail {
  /** On a charge; a deposit to a fixed wallet has none. */
  paymentInfo?: PaymentInfo
  payer?: Payer
  split?: StoredSplit[]
  /** The requested amount, which counts towards the daily limit, if a different amount was paid. */
  requestedMinor?: string
  /** The fixed wallet that received the deposit. */
  walletId?: number
  wallet?: string
  /** The rail's proof of payment: an end-to-end id, a tracking key or a hash. */
  proof?: string
}

interface CashoutDetail extends RefundDetail {
  /** PIX key, CLABE or crypto address. */
  wallet: string
  keyType: PixKeyType | null
  description: string | null
  /** As given in the request; later as the rail reports it. */
  receiver: { name: string | null; document: string | null; bank: string | null }
  proof?: string
  errorCode?: CashoutFailure
  errorMessage?: string
}

interface TransferDetail {
  direction: 'sent' | 'received'
  fromUser: string
  toUser: string
  description: string | null
}

interface ConversionDetail {
  amountToMinor: string
  rate: string
  reason?: string
}

interface Details {
  cashin: CashinDetail
  cashout: CashoutDetail
  transfer: TransferDetail
  conversion: ConversionDetail
}

export type DetailOf<Type extends TransactionType> = Details[Type]
export type TransactionDetail = Details[TransactionType]
