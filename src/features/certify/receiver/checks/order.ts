/** Checks the final state when events arrive out of order. */

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
  waitForEarlierEvents,
} from '../check-context.js'
import { isFailure } from '../event-sender.js'
import type { TestEvent } from '../test-events.js'
import { createDispute } from './reversals.js'

/**
 * Sends the events in the given order. A receiver may postpone an event by rejecting it with a 4xx or 503, so those are sent
 * again afterwards: the last attempt of an event is later than that of the earlier event that it waits for.
 */
export async function sendOutOfOrder(context: CheckContext, events: readonly TestEvent[]): Promise<void> {
  const postponed: TestEvent[] = []
  for (const event of events) {
    const { accepted, last } = await context.sender.deliver(event)
    if (accepted) continue
    if (isFailure(last) && last.result.status !== 503)
      throw new Found(fail(`${event.event}, out of order: ${describeResponse(last)}`, last))
    postponed.push(event)
  }
  for (const event of postponed) await deliver(context, event, `${event.event}, out of order and then repeated`)
}

async function checkFinalState(
  context: CheckContext,
  events: readonly TestEvent[],
  expectations: readonly ExpectedState[],
  passed: string,
): Promise<Finding> {
  await sendOutOfOrder(context, events)
  // The state may be right already before the last event is processed.
  await waitForEarlierEvents(context)
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
  const early = await createDispute(context, 'dispute.respond')
  return checkFinalState(
    context,
    [
      ...[won, lost, replied].flatMap(({ confirmed, opened, ends }) => [confirmed, ...ends.toReversed(), opened]),
      ...[early.opened, early.confirmed],
    ],
    [
      {
        event: won.confirmed,
        moreEvents: won.ends,
        credited: 'once',
        what: 'a dispute that was won before it was opened',
      },
      {
        ...{ event: lost.confirmed, moreEvents: lost.ends, credited: 'nothing' },
        what: 'a dispute that was lost, whose refund arrived first and whose opening arrived last',
      },
      { event: replied.confirmed, credited: 'nothing', what: 'an open dispute whose reply arrived before its opening' },
      {
        ...{
          event: early.confirmed,
          credited: 'nothing',
          what: 'a dispute that was opened before the charge was confirmed',
        },
        fixFor: () =>
          'Store a dispute of a charge that you do not know yet, and block its money when the charge is confirmed.',
      },
    ],
    'the won dispute stays credited, the lost one and the open ones do not',
  )
}
