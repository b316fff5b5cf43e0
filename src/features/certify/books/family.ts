/** Groups the postings of a transaction: an amount, its fee, and other postings that one entry may include. */
import type { EntryType } from '../../../inside/platform.js'
import type { BooksRule } from './rules.js'

export interface Family {
  fee: EntryType
  also: readonly EntryType[]
}

/** Operations that a ledger can book with or without the fee. */
export const families = {
  charge: { fee: 'charge_fee', also: ['split_sent'] },
  deposit: { fee: 'deposit_fee', also: [] },
  withdrawal: { fee: 'withdrawal_fee', also: [] },
  withdrawal_return: { fee: 'withdrawal_fee_return', also: [] },
  transfer_sent: { fee: 'transfer_fee', also: [] },
  conversion_sent: { fee: 'conversion_fee', also: [] },
} as const satisfies Partial<Record<EntryType, Family>>

export type Main = keyof typeof families

/** The rule that fails if a posting has no entry. Fees and blocks have their own rules. */
export const missingRules = {
  charge: 'entry.missing',
  charge_fee: 'fee.booked',
  deposit: 'deposit.booked',
  deposit_fee: 'fee.booked',
  split_sent: 'entry.missing',
  split_received: 'entry.missing',
  refund: 'refund.booked',
  dispute_block: 'entry.missing',
  dispute_release: 'dispute.released',
  dispute_loss: 'dispute.lost',
  withdrawal: 'entry.missing',
  withdrawal_fee: 'fee.booked',
  withdrawal_return: 'withdrawal.returned',
  withdrawal_fee_return: 'withdrawal.returned',
  transfer_sent: 'transfer.both-sides',
  transfer_received: 'transfer.both-sides',
  transfer_fee: 'fee.booked',
  conversion_sent: 'entry.missing',
  conversion_received: 'entry.missing',
  conversion_fee: 'fee.booked',
  conversion_return: 'entry.missing',
  adjustment: 'entry.missing',
} as const satisfies Record<EntryType, BooksRule>

export const feeTypes: ReadonlySet<EntryType> = new Set(Object.values(families).map(({ fee }) => fee))
