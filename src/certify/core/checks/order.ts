/** Do effects end right when events overtake each other? */
import {
  type Check,
  type CheckContext,
  describeResponse,
  type ExpectedState,
  type Finding,
  fail,
  findWrongState,
  pass,
  withoutStateUrl,
} from '../check-context.js'
import { isFailure } from '../event-sender.js'
import { performAction, type TestEvent } from '../test-events.js'

/** Sends them as they stand; one that overtook another may be put off with a 4xx, and comes again afterwards. */
async function overtaking(context: CheckContext, events: readonly TestEvent[]): Promise<Finding | undefined> {
  const putOff: TestEvent[] = []
  for (const event of events) {
    const { accepted, last } = await context.sender.deliver(event)
    if (!accepted && isFailure(last)) return fail(`${event.event}, out of order: ${describeResponse(last)}`, last)
    if (!accepted) putOff.push(event)
  }
  for (const event of putOff) {
    const { accepted, last } = await context.sender.deliver(event)
    if (!accepted) return fail(`${event.event}, out of order and again afterwards: ${describeResponse(last)}`, last)
  }
  return undefined
}

async function ends(
  context: CheckContext,
  events: readonly TestEvent[],
  expectations: readonly ExpectedState[],
  right: string,
): Promise<Finding> {
  const rejection = await overtaking(context, events)
  if (rejection !== undefined) return rejection
  if (context.stateReader === null) return withoutStateUrl('accepted')
  return (await findWrongState(context, expectations)) ?? pass(right)
}

export const refundFirst: Check = async (context) => {
  const { confirmed, refunded } = await context.testEvents.refundCharge()
  const expected = {
    event: confirmed,
    credited: 'nothing',
    status: 'refunded',
    what: 'refunded before it was confirmed',
  } as const
  return ends(context, [refunded, confirmed], [expected], 'it ended as refunded')
}

/** No charge can be both: the expiry is one that was on its way when the payment came. */
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
  return ends(context, [confirmed, expired], [expected], 'it stayed confirmed')
}

export const dispute: Check = async (context) => {
  const won = await disputed(context, 'dispute.win')
  const lost = await disputed(context, 'dispute.lose')
  const overtaken = ({ confirmed, opened, ends: [...end] }: Disputed) => [confirmed, ...end, opened]
  return ends(
    context,
    [...overtaken(won), ...overtaken(lost)],
    [
      { event: won.confirmed, credited: 'once', what: 'a dispute that was won before it was opened' },
      { event: lost.confirmed, credited: 'nothing', what: 'a dispute that was lost before it was opened' },
    ],
    'the one that was won stays credited, the one that was lost does not',
  )
}

interface Disputed {
  confirmed: TestEvent
  opened: TestEvent
  ends: TestEvent[]
}

async function disputed({ testEvents }: CheckContext, action: 'dispute.win' | 'dispute.lose'): Promise<Disputed> {
  const confirmed = await testEvents.payCharge()
  const [opened, ...end] = await testEvents.captureEvents((unit) => {
    performAction(unit, action, performAction(unit, 'dispute.open', confirmed.transactionId))
  })
  if (opened === undefined) throw new Error('the dispute told nothing')
  return { confirmed, opened, ends: end }
}
