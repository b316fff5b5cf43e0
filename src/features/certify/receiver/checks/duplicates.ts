/** Checks that a repeated event takes effect once, and that different events take effect separately. */
import {
  type Check,
  describeResponse,
  fail,
  findWrongState,
  inconclusive,
  notAccepted,
  pass,
  withoutStateUrl,
} from '../check-context.js'
import { isOk } from '../event-sender.js'
import { createObject, firstEvent, performAction, type TestEvent } from '../test-events.js'
import { deliverAll, underSameId } from './refunds.js'

const amounts = ['25.50', '19.99', '1.15', '4.35', '2.30', '1000.10', '8.41', '57.91']

export const exact: Check = async (context) => {
  const events: TestEvent[] = []
  for (const amount of amounts) {
    const event = await context.testEvents.payCharge({ amount })
    const rejection = await notAccepted(context, event, `a charge of ${amount}`)
    if (rejection !== undefined) return rejection
    events.push(event)
  }
  const expectations = events.map((event) => ({
    event,
    credited: 'once' as const,
    what: `a charge of ${String(event.data.amount)}`,
  }))
  return (await findWrongState(context, expectations)) ?? pass(`${events.length} amounts credited exactly`)
}

export const answered: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  const rejection = await notAccepted(context, event, 'an event')
  if (rejection !== undefined) return rejection
  for (const time of ['second', 'third']) {
    const again = await notAccepted(context, event, `the same event a ${time} time`)
    if (again !== undefined) return again
  }
  return pass('accepted three times')
}

export const inARow: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  const rejection = await notAccepted(context, event, 'an event')
  if (rejection !== undefined) return rejection
  const timestamp = String(context.sender.nowSeconds())
  for (let triesLeft = 2; triesLeft > 0; triesLeft--) await context.sender.send(event, { timestamp })
  if (context.stateReader === null) return withoutStateUrl('sent three times')
  return (
    (await findWrongState(context, [{ event, credited: 'once', what: 'sent three times in a row' }])) ??
    pass('credited once')
  )
}

export const atOnce: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  const attempts = await Promise.all(Array.from({ length: 6 }, () => context.sender.sendNow(event)))
  // A receiver may reject copies while it processes another one; if it rejected all six, the event is delivered again.
  if (!attempts.some(isOk)) {
    const rejection = await notAccepted(context, event, 'an event after six simultaneous copies')
    if (rejection !== undefined) return rejection
  }
  if (context.stateReader === null) return withoutStateUrl('sent six times at once')
  return (
    (await findWrongState(context, [{ event, credited: 'once', what: 'sent six times at once' }])) ??
    pass('credited once')
  )
}

export const later: Check = async (context) => {
  const event = context.missed.repeated
  const earlier = await context.sender.deliver(event, { ageSeconds: 250 })
  if (!earlier.accepted) return fail(`an event from an hour ago: ${describeResponse(earlier.last)}`, earlier.last)
  await context.sender.send(event)
  if (context.stateReader === null) return withoutStateUrl('sent again later')
  return (
    (await findWrongState(context, [{ event, credited: 'once', what: 'sent again later' }])) ?? pass('credited once')
  )
}

/** Sends the first event of the run again. How many events came in between is what this run can show. */
export const memory: Check = async (context) => {
  const { accepted } = context.sender.log
  const first = accepted.find(({ event }) => event.event === 'cashin.confirmed')
  if (first === undefined) return inconclusive('no event was accepted')
  const others = new Set(accepted.slice(accepted.indexOf(first) + 1).map(({ event }) => event.id)).size
  const rejection = await notAccepted(context, first.event, `an event that was sent again after ${others} others`)
  if (rejection !== undefined) return rejection
  if (context.stateReader === null) return withoutStateUrl(`accepted again after ${others} other events`)
  const what = `sent again after ${others} other events`
  return (
    (await findWrongState(context, [{ event: first.event, credited: 'once', what }])) ??
    pass(`credited once, still known after ${others} other events; more were not sent`)
  )
}

/** A receiver must handle refunds with a `transaction_id` of their own and refunds with the charge's id. */
export const otherEvent: Check = async (context) => {
  const refund = await context.testEvents.refundCharge()
  const shared = await context.testEvents.refundCharge()
  const events = [refund.confirmed, refund.refunded, shared.confirmed, underSameId(context, shared)]
  const rejection = await deliverAll(context, events)
  if (rejection !== undefined) return rejection
  if (context.stateReader === null) return withoutStateUrl('accepted')
  const wrong = await findWrongState(context, [
    { event: refund.confirmed, credited: 'nothing', status: 'refunded', what: 'a charge that was refunded' },
    {
      event: shared.confirmed,
      credited: 'nothing',
      status: 'refunded',
      what: 'a charge that was refunded under its own transaction_id',
    },
  ])
  return wrong ?? pass('refunded')
}

export const otherKind: Check = async (context) => {
  const { testEvents } = context
  const [before, after] = [await testEvents.payCharge(), await testEvents.payCharge()]
  const createFailedPayout = async (externalId: unknown) => {
    const captured = await testEvents.captureEvents((unit) => {
      const id = createObject(unit, 'cashout', {
        amount: '25.50',
        currency: 'BRL',
        key: 'ana@example.com',
        external_id: `of-${String(externalId)}`,
      })
      performAction(unit, 'cashout.fail', id, { error_code: 'PIX_KEY_NOT_FOUND' })
    })
    const event = firstEvent(captured)
    return testEvents.createEvent(event.event, event.transactionId, { ...event.data, external_id: externalId })
  }
  for (const event of [
    before,
    await createFailedPayout(before.data.external_id),
    await createFailedPayout(after.data.external_id),
    after,
  ]) {
    const rejection = await notAccepted(context, event, event.event)
    if (rejection !== undefined) return rejection
  }
  if (context.stateReader === null) return withoutStateUrl('accepted')
  const wrong = await findWrongState(context, [
    {
      event: before,
      credited: 'once',
      status: 'confirmed',
      what: 'a charge whose external_id a failed withdrawal used later',
    },
    {
      event: after,
      credited: 'once',
      status: 'confirmed',
      what: 'a charge whose external_id a failed withdrawal had used before',
    },
  ])
  return wrong ?? pass('kept apart')
}
