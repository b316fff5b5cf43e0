/** What a posting that changes `available` is called in a statement: one row for each kind. */
import { keysOf } from '../../base/keys.js'

interface EntryTypeRow {
  /** `in` adds to the balance, `out` takes from it; `either` depends on the currency or on the caller. */
  direction: 'in' | 'out' | 'either'
  description: string
}

// biome-ignore format: a table, a row a line
export const entryTypes = {
  charge: { direction: 'in', description: 'Charge paid' },
  charge_fee: { direction: 'out', description: 'Fee of the charge' },
  deposit: { direction: 'in', description: 'Deposit to a fixed wallet' },
  deposit_fee: { direction: 'out', description: 'Fee of the deposit' },
  split_sent: { direction: 'out', description: 'Share of a charge sent to another account' },
  split_received: { direction: 'in', description: 'Share of a charge of another account' },
  refund: { direction: 'out', description: 'Charge refunded to the payer' },
  dispute_block: { direction: 'out', description: 'Amount blocked by a dispute' },
  dispute_release: { direction: 'in', description: 'Amount of a dispute released' },
  dispute_loss: { direction: 'out', description: 'Dispute lost: charge returned to the payer' },
  withdrawal: { direction: 'out', description: 'Withdrawal' },
  withdrawal_fee: { direction: 'out', description: 'Fee of the withdrawal' },
  withdrawal_return: { direction: 'in', description: 'Withdrawal returned' },
  withdrawal_fee_return: { direction: 'in', description: 'Fee of the withdrawal returned' },
  transfer_sent: { direction: 'out', description: 'Internal transfer sent' },
  transfer_received: { direction: 'in', description: 'Internal transfer received' },
  transfer_fee: { direction: 'out', description: 'Fee of the internal transfer' },
  conversion_sent: { direction: 'out', description: 'Amount converted' },
  conversion_received: { direction: 'in', description: 'Result of the conversion' },
  conversion_fee: { direction: 'out', description: 'Fee of the conversion' },
  conversion_return: { direction: 'either', description: 'Conversion reversed' },
  adjustment: { direction: 'either', description: 'Balance set' },
} as const satisfies Record<string, EntryTypeRow>

export type EntryType = keyof typeof entryTypes
// Pages that only name a type leave the table out.
export const postingTypeNames = /* @__PURE__ */ keysOf(entryTypes)

/** `transfer_fee` is the internal transfer fee. */
export const postingName = (type: EntryType): string =>
  type.replaceAll('_', ' ').replace('transfer', 'internal transfer')
