/** Default reasons of refunds and disputes. */
import type { Basis } from './basis.js'

export const reasons = {
  'cashin.refund': { text: 'PROVIDER_REVERSAL', basis: 'spec' },
  'cashout.refund': { text: 'RETURNED_BY_DESTINATION', basis: 'assumed' },
  'conversion.refund': { text: 'SUPPORT_MANUAL_REVERSAL', basis: 'spec' },
  'dispute.open': { text: 'The payer does not recognise the transaction', basis: 'assumed' },
  'dispute.lose': { text: 'MED_DISPUTE_LOST', basis: 'assumed' },
  'dispute.confirm': { text: 'MED_DISPUTE_CONFIRMED', basis: 'assumed' },
} as const satisfies Record<string, { text: string; basis: Basis }>

/** Default type of a dispute. */
export const disputeType = 'REFUND_REQUEST'
