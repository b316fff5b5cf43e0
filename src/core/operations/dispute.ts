/** MED disputes of PIX cash-ins: opened, answered, decided (part 3, §6.5, decisions 11, 26, 27). */
import { isoUtc } from '../../base/iso.js'
import type { ActionParams } from '../../protocol/actions/actions.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { EventName } from '../../protocol/platform/events.js'
import { disputeWindowMs } from '../../protocol/platform/limits.js'
import { disputeType, reasons } from '../../protocol/platform/reasons.js'
import { firstStatus } from '../../protocol/platform/transitions.js'
import { railOf } from '../../protocol/rails/index.js'
import { newUuid } from '../../protocol/rails/uuid.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import { amountParam, money } from '../ledger/ledger.js'
import type { Unit } from '../unit/unit.js'
import { addressee, reversal } from './cashin.js'
import { type Dispute, disputesOf, insertReply, type Reply } from './disputes.js'
import { type Cashin, findTransaction } from './transactions.js'
import { allowedOn, apply, create, type Effect, type Outcome } from './transition.js'

/** Whether a payer may dispute it: a confirmed PIX cash-in without a dispute, unless the payer took it back. */
export function isDisputable(unit: Pick<Unit, 'db'>, charge: Cashin): boolean {
  return (
    charge.status === 'confirmed' &&
    railOf(charge.currency).isDisputable &&
    !disputesOf(unit.db, charge.id).some((one) => one.status !== 'canceled')
  )
}

/** `dispute.open`: the disputed amount is blocked. 409 INVALID_TRANSITION unless the cash-in is disputable. */
export function open(unit: Unit, charge: Cashin, params: ActionParams<'dispute.open'>): Outcome & { dispute: Dispute } {
  if (!isDisputable(unit, charge)) {
    const why = railOf(charge.currency).isDisputable
      ? `it is ${charge.status}${charge.status === 'confirmed' ? ' and disputed already' : ''}`
      : 'only PIX cash-ins can be disputed'
    throw new ApiError(
      'INVALID_TRANSITION',
      { from: charge.status, action: 'dispute.open', allowed: [] },
      { message: `dispute.open is not possible on ${charge.id}: ${why}.` },
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
    reason: params.reason ?? reasons['dispute.open'].text,
    deadlineAtMs: unit.atMs + disputeWindowMs,
    resolvedAtMs: null,
    createdAtMs: unit.atMs,
  }
  const outcome = create(unit, { kind: 'dispute', row: dispute }, 'open', () => ({
    amounts: { amount: { minor: amountMinor } },
    event: {
      name: 'chargeback.opened',
      to: told(unit, dispute),
      transactionId: charge.id,
      data: () => ({
        infraction_id: dispute.id,
        transaction_id: charge.id,
        type: dispute.type,
        status: 'open',
        amount: money(amountMinor, charge.currency),
        currency: dispute.currency,
        e2e_id: dispute.e2eId,
        deadline_at: isoUtc(dispute.deadlineAtMs),
        reason: dispute.reason,
        created_at: isoUtc(unit.atMs),
      }),
    },
  }))
  schedule(unit, 'deadline', dispute.deadlineAtMs, dispute.id)
  return { ...outcome, dispute }
}

/** Whether there is still time to answer, though the deadline itself may be left to the caller (decision 26). */
export const isAnswerable = (unit: Pick<Unit, 'atMs'>, dispute: Dispute): boolean => unit.atMs <= dispute.deadlineAtMs

/** `dispute.respond`, by the reply endpoint or a trigger. 409 INVALID_TRANSITION for a second reply, and after the deadline. */
export function respond(
  unit: Unit,
  dispute: Dispute,
  reply: Pick<Reply, 'message' | 'files'>,
): Outcome & { replyId: number } {
  if (dispute.status === 'open' && !isAnswerable(unit, dispute)) {
    const allowed = allowedOn('dispute', dispute.status).filter((action) => action !== 'dispute.respond')
    throw new ApiError(
      'INVALID_TRANSITION',
      { from: dispute.status, action: 'dispute.respond', allowed, deadline_at: isoUtc(dispute.deadlineAtMs) },
      { message: `dispute.respond is not possible: the time to answer ended at ${isoUtc(dispute.deadlineAtMs)}.` },
    )
  }
  const replyId = unit.ids.sequence('replies')
  const outcome = apply(unit, { kind: 'dispute', row: dispute }, 'respond', () => {
    insertReply(unit.db, { seq: replyId, disputeId: dispute.id, ...reply, createdAtMs: unit.atMs })
    return {
      event: {
        name: 'chargeback.responded',
        to: told(unit, dispute),
        transactionId: dispute.transactionId,
        data: () => ({
          infraction_id: dispute.id,
          transaction_id: dispute.transactionId,
          reply_id: replyId,
          status: 'responded',
          responded_at: isoUtc(unit.atMs),
        }),
      },
    }
  })
  return { ...outcome, replyId }
}

export type Decision = 'confirm' | 'win' | 'lose' | 'cancel'

/** What each decision tells, apart from what all of them tell. */
const announcements = {
  confirm: { event: 'chargeback.confirmed', fields: (at) => ({ confirmed_at: at }) },
  win: { event: 'chargeback.won', fields: (at) => ({ resolved_at: at }) },
  lose: { event: 'chargeback.lost', fields: (at, amount) => ({ amount_refunded: amount, resolved_at: at }) },
  cancel: { event: 'chargeback.canceled', fields: (at) => ({ canceled_by: 'payer', canceled_at: at }) },
} as const satisfies Record<
  Decision,
  { event: EventName; fields: (at: string, amount: string) => Record<string, string> }
>

/** `dispute.confirm`, `win`, `lose`, `cancel`: the block is lifted; confirmed and lost ones also refund the cash-in. */
export function decide(unit: Unit, dispute: Dispute, decision: Decision): Outcome {
  return apply(unit, { kind: 'dispute', row: dispute }, decision, () => {
    cancelJobs(unit, 'deadline', dispute.id)
    const { event, fields } = announcements[decision]
    const amount = money(dispute.amountMinor, dispute.currency)
    const effect: Effect = {
      amounts: { amount: { minor: dispute.amountMinor } },
      set: { resolvedAtMs: unit.atMs },
      event: {
        name: event,
        to: told(unit, dispute),
        transactionId: dispute.transactionId,
        data: () =>
          ({
            infraction_id: dispute.id,
            transaction_id: dispute.transactionId,
            amount,
            currency: dispute.currency,
            ...fields(isoUtc(unit.atMs), amount),
            // Name and fields come from one row of announcements.
          }) as never,
      },
    }
    return { ...effect, next: () => refundOfDispute(unit, dispute, decision) }
  })
}

function refundOfDispute(unit: Unit, dispute: Dispute, decision: Decision) {
  const charge = chargeOf(unit, dispute)
  const reason = reasons[decision === 'lose' ? 'dispute.lose' : 'dispute.confirm'].text
  return {
    subject: { kind: 'cashin' as const, row: charge },
    effect: () => reversal(unit, charge, dispute.amountMinor, reason),
  }
}

/** Nobody answered in time: decided as the configuration says, confirmed unless it says otherwise (decision 26). */
export function deadlinePassed(unit: Unit, dispute: Dispute): void {
  const { disputeDeadline } = unit.config
  if (dispute.status === 'open' && disputeDeadline !== 'manual') decide(unit, dispute, disputeDeadline)
}

function chargeOf(unit: Unit, dispute: Dispute): Cashin {
  const charge = findTransaction(unit.db, dispute.transactionId)
  if (charge?.type !== 'cashin') throw new Error(`the cash-in of dispute ${dispute.id} is missing`)
  return charge
}

const told = (unit: Unit, dispute: Dispute) => addressee(chargeOf(unit, dispute))
