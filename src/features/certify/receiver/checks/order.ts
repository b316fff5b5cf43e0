/** Checks the final state when events arrive out of order. */

import { webhookAttempts } from '../../../../inside/platform.js'
import {
  type Check,
  type CheckContext,
  deliver,
  describeResponse,
  type ExpectedState,
  type Finding,
  Found,
  fail,
  judgeStates,
} from '../check-context.js'
import { type Attempt, isFailure } from '../event-sender.js'
import type { TestEvent } from '../test-events.js'
import { createDispute } from './disputes.js'

/**
 * Sends the events in the given order. A receiver may postpone an event by rejecting it with a 4xx, so those are sent
 * again afterwards.
 */
export async function sendOutOfOrder(context: CheckContext, events: readonly TestEvent[]): Promise<void> {
  const postponed: TestEvent[] = []
  for (const event of events) {
    const { accepted, last } = await context.sender.deliver(event)
    if (!accepted && isFailure(last)) {
      const finding = fail(`${event.event}, out of order: ${describeResponse(last)}`, last)
      throw new Found({ ...finding, ...postponedText(event, last) })
    }
    if (!accepted) postponed.push(event)
  }
  for (const event of postponed) await deliver(context, event, `${event.event}, out of order and then repeated`)
}

const subjects: Readonly<Record<string, string>> = { cashin: 'charge', cashout: 'withdrawal' }

/** A 503 is a decision of the receiver to get the event again; other failures are faults. */
const postponedText = ({ event, data }: TestEvent, { result }: Attempt): Partial<Finding> =>
  result.status === 503
    ? {
        observed: `the receiver answered 503 to ${event} of a ${subjects[event.split('.')[0] ?? ''] ?? 'dispute'} that it did not know yet (${String(data.original_transaction_id ?? data.infraction_id ?? data.transaction_id)}), at each of ${webhookAttempts} attempts`,
        fix: `Store the event, answer 200, and apply it when the event that it refers to arrives. A 503 asks the platform to repeat the event, and after ${webhookAttempts} attempts, in less than thirteen minutes, it is lost.`,
      }
    : {}

async function checkFinalState(
  context: CheckContext,
  events: readonly TestEvent[],
  expectations: readonly ExpectedState[],
  passed: string,
): Promise<Finding> {
  await sendOutOfOrder(context, events)
  return judgeStates(context, expectations, { passed })
}

export const refundFirst: Check = async (context) => {
  const { confirmed, refunded } = await context.testEvents.refundCharge()
  const expected = {
    event: confirmed,
    credited: 'nothing',
    status: 'refunded',
    what: 'refunded before it was confirmed',
  } as const
  return checkFinalState(context, [refunded, confirmed], [expected], 'it ended as refunded')
}

/** A charge cannot be both paid and expired. The expiry is built by hand, as if it had been in flight when the payment came. */
export const expiredLate: Check = async (context) => {
  const confirmed = await context.testEvents.payCharge()
  const { transaction_id, external_id, currency, amount, confirmed_at } = confirmed.data
  const fields = { transaction_id, external_id, currency, amount, status: 'expired', expired_at: confirmed_at }
  const expired = context.testEvents.createEvent('cashin.expired', confirmed.transactionId, fields)
  const expected = {
    event: confirmed,
    credited: 'once',
    status: 'confirmed',
    what: 'expired after it was confirmed',
  } as const
  return checkFinalState(context, [confirmed, expired], [expected], 'it stayed confirmed')
}

export const dispute: Check = async (context) => {
  const won = await createDispute(context, 'dispute.win')
  const lost = await createDispute(context, 'dispute.lose')
  const replied = await createDispute(context, 'dispute.respond')
  return checkFinalState(
    context,
    [won, lost, replied].flatMap(({ confirmed, opened, ends }) => [confirmed, ...ends, opened]),
    [
      { event: won.confirmed, credited: 'once', what: 'a dispute that was won before it was opened' },
      { event: lost.confirmed, credited: 'nothing', what: 'a dispute that was lost before it was opened' },
      { event: replied.confirmed, credited: 'nothing', what: 'an open dispute whose reply arrived before its opening' },
    ],
    'the won dispute stays credited, the lost and the open one do not',
  )
}
