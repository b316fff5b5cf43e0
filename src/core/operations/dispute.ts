/** MED disputes of PIX charges: opened, answered, decided (interface.md §3, §6.5, assumptions.md decisions 11, 26, 27). */
import { isoUtc } from '../../base/iso.js'
import type { ActionParams } from '../../protocol/actions/actions.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { EventName } from '../../protocol/platform/events.js'
import { disputeType } from '../../protocol/platform/failures.js'
import { disputeWindowMs } from '../../protocol/platform/limits.js'
import { railOf } from '../../protocol/rails/index.js'
import { newUuid } from '../../protocol/rails/pix-key.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import { amountParam, formatMoney } from '../ledger/pricing.js'
import type { Unit } from '../unit/unit.js'
import { refundEffect } from './cashin.js'
import { type Cashin, type Dispute, disputesOf, findTransaction, insertReply, type Reply } from './transactions.js'
import {
  allowedOn,
  createInState,
  type Effect,
  eventAbout,
  firstStatus,
  type Outcome,
  performTransition,
} from './transition.js'

/** Returns whether a payer can dispute the charge: a confirmed PIX charge without a dispute, unless the payer canceled it. */
export function isDisputable(unit: Pick<Unit, 'db'>, charge: Cashin): boolean {
  return (
    charge.status === 'confirmed' &&
    railOf(charge.currency).isDisputable &&
    !disputesOf(unit.db, charge.id).some((one) => one.status !== 'canceled')
  )
}

/** `dispute.open`: blocks the disputed amount. 409 INVALID_TRANSITION unless the charge is disputable. */
export function open(unit: Unit, charge: Cashin, params: ActionParams<'dispute.open'>): Outcome & { dispute: Dispute } {
  if (!isDisputable(unit, charge)) {
    const why = railOf(charge.currency).isDisputable
      ? `it is ${charge.status}${charge.status === 'confirmed' ? ' and already disputed' : ''}`
      : 'only PIX cash-ins can be disputed'
    throw new ApiError(
      'INVALID_TRANSITION',
      { from: charge.status, action: 'dispute.open', allowed: [] },
      `dispute.open is not possible on ${charge.id}: ${why}.`,
    )
  }
  const amountMinor = amountParam(charge, params.amount, { atMost: charge.amountMinor })
  const dispute: Dispute = {
    seq: unit.ids.sequence('disputes'),
    id: newUuid(unit.ids.draw('dispute')),
    accountSeq: charge.accountSeq,
    transactionId: charge.id,
    type: params.type ?? disputeType,
    status: firstStatus('dispute', 'open'),
    amountMinor,
    currency: charge.currency,
    e2eId: charge.detail.proof ?? '',
    reason: params.reason ?? unit.config.reasons['dispute.open'],
    deadlineAtMs: unit.atMs + disputeWindowMs,
    resolvedAtMs: null,
    createdAtMs: unit.atMs,
  }
  const outcome = createInState(unit, { kind: 'dispute', row: dispute }, 'open', () => ({
    amounts: { amount: { amountMinor } },
    event: eventAbout(charge, charge.id, 'chargeback.opened', () => ({
      infraction_id: dispute.id,
      transaction_id: charge.id,
      type: dispute.type,
      status: 'open',
      amount: formatMoney(amountMinor, charge.currency),
      currency: dispute.currency,
      e2e_id: dispute.e2eId,
      deadline_at: isoUtc(dispute.deadlineAtMs),
      reason: dispute.reason,
      created_at: isoUtc(unit.atMs),
    })),
  }))
  schedule(unit, 'deadline', dispute.deadlineAtMs, dispute.id)
  return { ...outcome, dispute }
}

/**
 * Returns whether the deadline has not passed. The setting `disputeDeadline` can leave the decision at the deadline to
 * the user (assumptions.md decision 26).
 */
export const isAnswerable = (unit: Pick<Unit, 'atMs'>, dispute: Dispute): boolean => unit.atMs <= dispute.deadlineAtMs

/**
 * `dispute.respond`, called by the reply endpoint or a trigger. 409 INVALID_TRANSITION for a second reply, or after the
 * deadline.
 */
export function respond(
  unit: Unit,
  dispute: Dispute,
  reply: Pick<Reply, 'message' | 'files'>,
): Outcome & { replyId: number } {
  if (dispute.status === 'open' && !isAnswerable(unit, dispute)) {
    const allowedActions = allowedOn('dispute', dispute.status).filter((action) => action !== 'dispute.respond')
    throw new ApiError(
      'INVALID_TRANSITION',
      {
        from: dispute.status,
        action: 'dispute.respond',
        allowed: allowedActions,
        deadline_at: isoUtc(dispute.deadlineAtMs),
      },
      `dispute.respond is not possible: the deadline for the reply was ${isoUtc(dispute.deadlineAtMs)}.`,
    )
  }
  const replyId = unit.ids.sequence('replies')
  const outcome = performTransition(unit, { kind: 'dispute', row: dispute }, 'respond', () => {
    insertReply(unit.db, { seq: replyId, disputeId: dispute.id, ...reply, createdAtMs: unit.atMs })
    // Only a dispute without a reply is decided at its deadline.
    cancelJobs(unit, 'deadline', dispute.id)
    return {
      event: eventAbout(chargeOf(unit, dispute), dispute.transactionId, 'chargeback.responded', () => ({
        infraction_id: dispute.id,
        transaction_id: dispute.transactionId,
        reply_id: replyId,
        status: 'responded',
        responded_at: isoUtc(unit.atMs),
      })),
    }
  })
  return { ...outcome, replyId }
}

export type Decision = 'confirm' | 'win' | 'lose' | 'cancel'

/** The event of each decision, and the fields that only this event has. */
const decisionEvents = {
  confirm: { event: 'chargeback.confirmed', fields: (at) => ({ confirmed_at: at }) },
  win: { event: 'chargeback.won', fields: (at) => ({ resolved_at: at }) },
  lose: { event: 'chargeback.lost', fields: (at, amount) => ({ amount_refunded: amount, resolved_at: at }) },
  cancel: { event: 'chargeback.canceled', fields: (at) => ({ canceled_by: 'payer', canceled_at: at }) },
} as const satisfies Record<
  Decision,
  { event: EventName; fields: (at: string, amount: string) => Record<string, string> }
>

/**
 * `dispute.confirm`, `win`, `lose`, `cancel`: releases the blocked amount; a confirmed or lost dispute also refunds the
 * charge.
 */
export function decide(unit: Unit, dispute: Dispute, decision: Decision): Outcome {
  return performTransition(unit, { kind: 'dispute', row: dispute }, decision, () => {
    cancelJobs(unit, 'deadline', dispute.id)
    const { event, fields } = decisionEvents[decision]
    const amount = formatMoney(dispute.amountMinor, dispute.currency)
    const effect: Effect = {
      amounts: { amount: { amountMinor: dispute.amountMinor } },
      set: { resolvedAtMs: unit.atMs },
      event: eventAbout(chargeOf(unit, dispute), dispute.transactionId, event, () => {
        const { id: infraction_id, transactionId: transaction_id, currency } = dispute
        // Event name and fields come from the same row of the table above.
        return { infraction_id, transaction_id, amount, currency, ...fields(isoUtc(unit.atMs), amount) } as never
      }),
    }
    return { ...effect, next: () => refundOfDispute(unit, dispute, decision) }
  })
}

function refundOfDispute(unit: Unit, dispute: Dispute, decision: Decision) {
  const charge = chargeOf(unit, dispute)
  const reason = unit.config.reasons[decision === 'lose' ? 'dispute.lose' : 'dispute.confirm']
  return {
    subject: { kind: 'cashin' as const, row: charge },
    effect: () => refundEffect(unit, charge, dispute.amountMinor, reason),
  }
}

/** Nobody replied in time: the dispute is decided as configured (default: confirmed; assumptions.md decision 26). */
export function decideAtDeadline(unit: Unit, dispute: Dispute): void {
  const { disputeDeadline } = unit.config
  if (dispute.status === 'open' && disputeDeadline !== 'manual') decide(unit, dispute, disputeDeadline)
}

function chargeOf(unit: Unit, dispute: Dispute): Cashin {
  const charge = findTransaction(unit.db, dispute.transactionId)
  if (charge?.type !== 'cashin') throw new Error(`the charge of dispute ${dispute.id} is missing`)
  return charge
}
