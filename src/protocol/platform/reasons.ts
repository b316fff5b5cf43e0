/** Default reasons of refunds and disputes. */
import { keysOf, tableOf } from '../../base/keys.js'
import type { Basis } from './basis.js'

export const reasons = {
  'cashin.refund': { text: 'PROVIDER_REVERSAL', basis: 'spec' },
  'cashout.refund': { text: 'RETURNED_BY_DESTINATION', basis: 'assumed' },
  'conversion.refund': { text: 'SUPPORT_MANUAL_REVERSAL', basis: 'spec' },
  'dispute.open': { text: 'The payer does not recognize the transaction', basis: 'assumed' },
  'dispute.lose': { text: 'MED_DISPUTE_LOST', basis: 'assumed' },
  'dispute.confirm': { text: 'MED_DISPUTE_CONFIRMED', basis: 'assumed' },
} as const satisfies Record<string, { text: string; basis: Basis }>

export type ReasonName = keyof typeof reasons
export const reasonTexts: Readonly<Record<ReasonName, string>> = tableOf(keysOf(reasons), (name) => reasons[name].text)

/** Default type of a dispute. */
export const disputeType = 'REFUND_REQUEST'
