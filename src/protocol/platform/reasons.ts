/** What stands as the reason of a reversal or a dispute where nobody gives one. */
import type { Basis } from './basis.js'

export const reasons = {
  'cashin.refund': { text: 'PROVIDER_REVERSAL', basis: 'spec' },
  'cashout.refund': { text: 'RETURNED_BY_DESTINATION', basis: 'assumed' },
  'conversion.refund': { text: 'SUPPORT_MANUAL_REVERSAL', basis: 'spec' },
  'dispute.open': { text: 'Payer does not recognise the transaction', basis: 'assumed' },
  'dispute.lose': { text: 'MED_DISPUTE_LOST', basis: 'assumed' },
  'dispute.confirm': { text: 'MED_DISPUTE_CONFIRMED', basis: 'assumed' },
} as const satisfies Record<string, { text: string; basis: Basis }>

/** The kind of a dispute where nobody says. */
export const disputeType = 'REFUND_REQUEST'
