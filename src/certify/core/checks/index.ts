/** The check of each rule, in the order in which they run: a rule comes after the rules that it depends on. */
import type { ReceiverRule } from '../../protocol/receiver-rules.js'
import type { Check } from '../check-context.js'
import * as accept from './accept.js'
import * as answers from './answers.js'
import * as disputes from './disputes.js'
import * as duplicates from './duplicates.js'
import * as events from './events.js'
import * as failures from './failures.js'
import * as order from './order.js'
import * as production from './production.js'
import * as signatures from './signatures.js'
import * as timestamps from './timestamps.js'

export const checks: Record<ReceiverRule, Check> = {
  'accept.signed': accept.signed,
  'accept.raw-body': accept.rawBody,
  'signature.checked': signatures.checked,
  'signature.required': signatures.required,
  'signature.key': signatures.key,
  'signature.whole': signatures.whole,
  'signature.encoding': signatures.encoding,
  'timestamp.old': timestamps.old,
  'timestamp.ahead': timestamps.ahead,
  'timestamp.number': timestamps.number,
  'timestamp.tolerance': timestamps.tolerance,
  'refuse.status': signatures.status,
  'events.all': events.all,
  'events.rails': events.rails,
  'events.unknown': accept.unknownEvent,
  'events.more-fields': accept.moreFields,
  'effect.applied': duplicates.applied,
  'amounts.exact': duplicates.exact,
  'refuse.no-trace': signatures.noTrace,
  'missed.late': failures.late,
  'duplicate.answered': duplicates.answered,
  'duplicate.in-a-row': duplicates.inARow,
  'different.event': duplicates.otherEvent,
  'different.kind': duplicates.otherKind,
  'order.refund-first': order.refundFirst,
  'order.expired-late': order.expiredLate,
  'effect.dispute': disputes.applied,
  'order.dispute': order.dispute,
  'duplicate.at-once': duplicates.atOnce,
  'duplicate.later': duplicates.later,
  'answer.many': answers.manyAtOnce,
  'answer.beside-slow': answers.besideSlow,
  'retry.after-failure': failures.afterFailure,
  'durable.restart': failures.restart,
  'answer.in-time': answers.inTime,
  'answer.soon': answers.soon,
  'production.sandbox': production.rejectsSandboxEvents,
  'production.https': production.https,
}
