/** What happens outside the calls: the action behind each event, and its parameters from the event. */
import type { ActionName, EventName } from '../../../inside/platform.js'

interface CauseRow {
  action: ActionName
  /** The field of `data` that identifies the object of the action. */
  subject: 'transaction_id' | 'original_transaction_id' | 'original_conversion_id' | 'infraction_id'
  /** Parameters of the action, by the field of `data` with the value. */
  takes?: Readonly<Record<string, string>>
  /** A parameter that is left to the sandbox's default if all such events of a recording have the same value. */
  usual?: string
}

/** Events that only a call can cause have no row. */
export const causes: Readonly<Partial<Record<EventName, CauseRow>>> = {
  'cashin.confirmed': { action: 'cashin.pay', subject: 'transaction_id', takes: { amount: 'amount', payer: 'payer' } },
  'cashin.refunded': {
    action: 'cashin.refund',
    subject: 'original_transaction_id',
    takes: { amount: 'amount_refunded', reason: 'reason' },
  },
  'cashin.expired': { action: 'cashin.expire', subject: 'transaction_id' },
  'cashout.confirmed': { action: 'cashout.confirm', subject: 'transaction_id', takes: { receiver: 'receiver' } },
  'cashout.failed': {
    action: 'cashout.fail',
    subject: 'transaction_id',
    takes: { error_code: 'error_code', error_message: 'error_message' },
  },
  'cashout.refunded': {
    action: 'cashout.refund',
    subject: 'original_transaction_id',
    takes: { amount: 'amount_refunded', reason: 'reason' },
    usual: 'reason',
  },
  'conversion.refunded': {
    action: 'conversion.refund',
    subject: 'original_conversion_id',
    takes: { reason: 'reason' },
  },
  'chargeback.opened': {
    action: 'dispute.open',
    subject: 'transaction_id',
    takes: { amount: 'amount', type: 'type', reason: 'reason' },
  },
  'chargeback.responded': { action: 'dispute.respond', subject: 'infraction_id' },
  'chargeback.confirmed': { action: 'dispute.confirm', subject: 'infraction_id' },
  'chargeback.won': { action: 'dispute.win', subject: 'infraction_id' },
  'chargeback.lost': { action: 'dispute.lose', subject: 'infraction_id' },
  'chargeback.canceled': { action: 'dispute.cancel', subject: 'infraction_id' },
}

/** The event of an action, for statuses that change without a webhook. */
export const eventOfAction = (action: ActionName): EventName | undefined =>
  // The keys of the table are event names.
  (Object.keys(causes) as EventName[]).find((event) => causes[event]?.action === action)
