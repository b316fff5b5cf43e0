/** Checks that refunds take back what they say: all of a charge or a part of it, once, and of the right charge. */
import {
  type Check,
  type CheckContext,
  type ExpectedState,
  type Finding,
  findWrongState,
  notAccepted,
  pass,
} from '../check-context.js'
import { performAction, type TestEvent } from '../test-events.js'

interface Refund {
  confirmed: TestEvent
  refunded: TestEvent
}

/** The interface shows refunds with a `transaction_id` of their own; one with the charge's id is built by hand. */
export function underSameId({ testEvents }: CheckContext, { confirmed, refunded }: Refund): TestEvent {
  const { transactionId } = confirmed
  return testEvents.createEvent(refunded.event, transactionId, { ...refunded.data, transaction_id: transactionId })
}

/** Delivers the events and returns the first that is not accepted. */
export async function deliverAll(context: CheckContext, events: readonly TestEvent[]): Promise<Finding | undefined> {
  for (const event of events) {
    const rejection = await notAccepted(context, event, event.event)
    if (rejection !== undefined) return rejection
  }
  return undefined
}

const refundedCharge = ({ confirmed, refunded }: Refund, what: string): ExpectedState => ({
  ...{ event: confirmed, moreEvents: [refunded], credited: 'nothing', what },
})

/** A receiver that looks for the charge under another id does apply refunds; `byOriginal` finds it. */
export const full: Check = async (context) => {
  const [own, shared] = [await context.testEvents.refundCharge(), await context.testEvents.refundCharge()]
  const rejection = await deliverAll(context, [
    own.confirmed,
    own.refunded,
    shared.confirmed,
    underSameId(context, shared),
  ])
  if (rejection !== undefined) return rejection
  const wrong = await findWrongState(context, [refundedCharge(own, 'a refunded charge')])
  if (wrong === undefined) return pass('nothing credited any more')
  const other = await findWrongState(context, [refundedCharge(shared, 'a refunded charge')])
  return other === undefined
    ? pass('nothing credited any more if the refund has the transaction_id of the charge')
    : wrong
}

export const byOriginal: Check = async (context) => {
  const refund = await context.testEvents.refundCharge()
  const rejection = await deliverAll(context, [refund.confirmed, refund.refunded])
  if (rejection !== undefined) return rejection
  const what = 'a charge whose refund has another transaction_id'
  return (await findWrongState(context, [refundedCharge(refund, what)])) ?? pass('the charge was found')
}

const part = '10.00'

async function refundPart(context: CheckContext, times: number, what: string): Promise<Finding> {
  const confirmed = await context.testEvents.payCharge()
  const refunds = await context.testEvents.captureEvents(
    (unit) => void performAction(unit, 'cashin.refund', confirmed.transactionId, { amount: part }),
  )
  const copies = Array.from({ length: times }, () => refunds).flat()
  const rejection = await deliverAll(context, [confirmed, ...copies])
  if (rejection !== undefined) return rejection
  const expected = { event: confirmed, moreEvents: refunds, credited: 'once', minus: part, what } as const
  return (await findWrongState(context, [expected])) ?? pass(`${part} taken back`)
}

export const partial: Check = (context) => refundPart(context, 1, `a charge of which ${part} was refunded`)
export const once: Check = (context) =>
  refundPart(context, 3, `a charge of which ${part} was refunded, with the event sent three times`)
