/**
 * The check of each rule, in the order in which they run: a rule comes after the rules that it depends on, and what is cheap and
 * important comes first, because a slow receiver may not be tested to the end.
 */

import type { Finding } from '../../report/rules.js'
import type { Check, CheckContext } from '../check-context.js'
import type { ReceiverRule } from '../rules.js'
import * as accept from './accept.js'
import * as answers from './answers.js'
import * as duplicates from './duplicates.js'
import * as effects from './effects.js'
import * as rejections from './rejections.js'
import * as reversals from './reversals.js'

export const checks: Record<ReceiverRule, Check> = {
  'accept.signed': accept.signed,
  'signature.checked': rejections.checked,
  'timestamp.old': rejections.old,
  'answer.beside-slow': answers.besideSlow,
  'answer.many': answers.manyAtOnce,
  'effect.applied': effects.applied,
  'amounts.exact': duplicates.exact,
  'duplicate.answered': duplicates.answered,
  'duplicate.in-a-row': duplicates.inARow,
  'accept.raw-body': accept.rawBody,
  'timestamp.tolerance': rejections.tolerance,
  'timestamp.ahead': rejections.ahead,
  'timestamp.number': rejections.number,
  'signature.required': rejections.required,
  'signature.key': rejections.key,
  'signature.whole': rejections.whole,
  'signature.encoding': rejections.encoding,
  'events.unknown': accept.unknownEvent,
  'events.more-fields': accept.moreFields,
  'events.all': accept.all,
  'events.rails': accept.rails,
  'effect.rails': effects.rails,
  'effect.unnamed': effects.unnamed,
  'effect.deposit': effects.deposits,
  'refund.full': reversals.refundFull,
  'refund.original': reversals.refundByOriginal,
  'refund.partial': reversals.refundPartial,
  'refund.once': reversals.refundOnce,
  'different.event': duplicates.otherEvent,
  'different.kind': duplicates.otherKind,
  'missed.late': duplicates.late,
  'order.refund-first': reversals.refundFirst,
  'order.expired-late': reversals.expiredLate,
  'effect.dispute': reversals.disputeOpened,
  'dispute.responded': reversals.disputeAfter('dispute.respond', 'nothing'),
  'dispute.won': reversals.disputeAfter('dispute.win', 'once'),
  'dispute.canceled': reversals.disputeAfter('dispute.cancel', 'once'),
  'dispute.lost': reversals.disputeLost,
  'dispute.partial': reversals.disputePartial,
  'dispute.confirmed': reversals.disputeConfirmed,
  'effect.withdrawal': effects.withdrawals,
  'effect.transfer': effects.transfers,
  'effect.conversion': effects.conversions,
  'order.dispute': reversals.disputeOutOfOrder,
  'refuse.status': rejections.status,
  'refuse.no-trace': rejections.noTrace,
  'duplicate.at-once': duplicates.atOnce,
  'duplicate.kinds': effects.repeated,
  'duplicate.later': duplicates.later,
  'retry.after-failure': duplicates.afterFailure,
  'duplicate.memory': duplicates.memory,
  'durable.restart': duplicates.restart,
  'answer.in-time': answers.inTime,
  'answer.soon': answers.soon,
  'answer.first': answers.atFirst,
  'production.sandbox': rejections.rejectsSandboxEvents,
  'production.https': rejections.https,
}

/** Rules that only read what other checks have measured. At the time limit these decide them from what was measured by then. */
export const measuredChecks: Partial<Record<ReceiverRule, (context: CheckContext) => Finding>> = {
  'answer.in-time': answers.inTime,
  'answer.soon': answers.soon,
  'answer.first': answers.atFirst,
  'refuse.status': rejections.status,
}
