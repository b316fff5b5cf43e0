/** Checks events that arrive again: copies, attempts after a failure, after a long downtime and after a crash. Different events take effect separately. */
import {
  type Check,
  type CheckContext,
  coveredByRetry,
  deliver,
  deliverAll,
  describeResponse,
  type ExpectedState,
  type Finding,
  fail,
  findWrongState,
  inconclusive,
  judgeStates,
  pass,
  withoutStateUrl,
} from '../check-context.js'
import { isOk } from '../event-sender.js'
import { createObject, firstEvent, performAction, type TestEvent } from '../test-events.js'
import { inSeconds, restartWaitMs } from '../timing.js'
import { underSameId } from './reversals.js'

const amounts = ['25.50', '19.99', '1.15', '4.35', '2.30', '1000.10', '8.41', '57.91']

const feeFix = 'Credit amount, or amount_net if your customer pays the fee. amount_net is already amount minus fee.'

const creditedOnce = (event: TestEvent, what: string): ExpectedState => ({ event, credited: 'once', what })

export const exact: Check = async (context) => {
  const events: TestEvent[] = []
  for (const amount of amounts) {
    const event = await context.testEvents.payCharge({ amount })
    await deliver(context, event, `a charge of ${amount}`)
    events.push(event)
  }
  return judgeStates(
    context,
    events.map((event, at) => ({
      ...creditedOnce(event, `a charge of ${String(event.data.amount)}`),
      // A float has the first amount exactly.
      ...(at === 0 ? { fixFor: () => feeFix } : {}),
    })),
    { passed: `${events.length} amounts credited exactly` },
  )
}

export const answered: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  await deliver(context, event, 'an event')
  for (const time of ['second', 'third']) await deliver(context, event, `the same event a ${time} time`)
  return pass('accepted three times')
}

export const inARow: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  await deliver(context, event, 'an event')
  const timestamp = String(context.sender.nowSeconds())
  for (let triesLeft = 2; triesLeft > 0; triesLeft--) await context.sender.send(event, { timestamp })
  return judgeStates(context, [creditedOnce(event, 'sent three times in a row')], {
    passed: 'credited once',
    tried: 'sent three times',
  })
}

export const atOnce: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  const attempts = await Promise.all(Array.from({ length: 6 }, () => context.sender.sendNow(event)))
  // A receiver may reject copies while it processes another one; if it rejected all six, the event is delivered again.
  if (!attempts.some(isOk)) await deliver(context, event, 'an event after six simultaneous copies')
  const tried = 'sent six times at once'
  return judgeStates(context, [creditedOnce(event, tried)], { passed: 'credited once', tried })
}

export const later: Check = async (context) => {
  const event = context.missed.repeated
  await deliver(context, event, 'an event from an hour ago', { ageSeconds: 250 })
  await context.sender.send(event)
  const tried = 'sent again later'
  return judgeStates(context, [creditedOnce(event, tried)], { passed: 'credited once', tried })
}

/** Sends the first event of the run again. How many events came in between is what this run can show. */
export const memory: Check = async (context) => {
  const { accepted } = context.sender.log
  const first = accepted.find(({ event }) => event.event === 'cashin.confirmed')
  if (first === undefined) return inconclusive('no event was accepted')
  const others = new Set(accepted.slice(accepted.indexOf(first) + 1).map(({ event }) => event.id)).size
  await deliver(context, first.event, `an event that was sent again after ${others} others`)
  return judgeStates(context, [creditedOnce(first.event, `sent again after ${others} other events`)], {
    passed: `credited once, still known after ${others} other events; more were not sent`,
    tried: `accepted again after ${others} other events`,
  })
}

/** A receiver must handle refunds with a `transaction_id` of their own and refunds with the charge's id. */
export const otherEvent: Check = async (context) => {
  const refund = await context.testEvents.refundCharge()
  const shared = await context.testEvents.refundCharge()
  const sharedRefund = underSameId(context, shared)
  await deliverAll(context, [refund.confirmed, refund.refunded, shared.confirmed, sharedRefund])
  const refunded = (event: TestEvent, refundEvent: TestEvent, what: string): ExpectedState => ({
    ...{ event, moreEvents: [refundEvent], credited: 'nothing', status: 'refunded', what },
  })
  return judgeStates(
    context,
    [
      refunded(refund.confirmed, refund.refunded, 'a charge that was refunded'),
      refunded(shared.confirmed, sharedRefund, 'a charge that was refunded under its own transaction_id'),
    ],
    { passed: 'refunded' },
  )
}

export const otherKind: Check = async (context) => {
  const { testEvents } = context
  const [before, after] = [await testEvents.payCharge(), await testEvents.payCharge()]
  const createFailedPayout = async (externalId: unknown) => {
    const captured = await testEvents.captureEvents((unit) => {
      const fields = { amount: '25.50', currency: 'BRL', key: 'ana@example.com' }
      const id = createObject(unit, 'cashout', { ...fields, external_id: `of-${String(externalId)}` })
      performAction(unit, 'cashout.fail', id, { error_code: 'PIX_KEY_NOT_FOUND' })
    })
    const event = firstEvent(captured)
    return testEvents.createEvent(event.event, event.transactionId, { ...event.data, external_id: externalId })
  }
  await deliverAll(context, [
    before,
    await createFailedPayout(before.data.external_id),
    await createFailedPayout(after.data.external_id),
    after,
  ])
  const confirmed = (event: TestEvent, what: string): ExpectedState => ({
    ...creditedOnce(event, what),
    status: 'confirmed',
  })
  return judgeStates(
    context,
    [
      confirmed(before, 'a charge whose external_id a failed withdrawal used later'),
      confirmed(after, 'a charge whose external_id a failed withdrawal had used before'),
    ],
    { passed: 'kept apart' },
  )
}

/** Pause before a receiver that restarts is called again. */
const retryPauseMs = 200

export const late: Check = async (context) => {
  const { lone, confirmed, refunded } = context.missed
  for (const event of [lone, confirmed, refunded]) {
    await deliver(context, event, `${event.event} from an hour ago`)
  }
  return judgeStates(
    context,
    [
      { event: lone, credited: 'once', what: 'a charge paid an hour ago' },
      { event: confirmed, credited: 'nothing', what: 'a charge paid and refunded an hour ago' },
    ],
    { passed: 'accepted, with their effects' },
  )
}

/**
 * Checks, besides its own event, every charge of the whole run that was accepted after a failure of the receiver,
 * because such failures occur by chance.
 */
export const afterFailure: Check = async (context) => {
  const { sender, testEvents, stateReader } = context
  const event = await testEvents.payCharge()
  const half = Math.floor(new TextEncoder().encode(event.body).length / 2)
  await sender.send(event, { parting: { atByte: half, pauseMs: 5, end: 'break' } })
  await deliver(context, event, 'an event after a broken connection')
  if (stateReader === null) return withoutStateUrl('accepted after a broken connection')
  const recovered = sender.log.recovered.filter((attempt) => attempt.event.event === 'cashin.confirmed').slice(0, 20)
  const expectations: ExpectedState[] = recovered.map((attempt) => ({
    event: attempt.event,
    credited: 'once',
    what: `an event whose first attempt was ${describeResponse(attempt)}`,
  }))
  const wrong = await findLostEffect(context, [
    { event, credited: 'once', what: 'an event after a broken connection' },
    ...expectations,
  ])
  const observed = recovered.length === 0 ? '' : `, ${recovered.length} after errors of the receiver`
  return wrong ?? pass(`credited once${observed}`)
}

/**
 * Turns an inconclusive finding into a failure: elsewhere a failed first attempt explains a missing credit, here it is
 * what is tested.
 */
async function findLostEffect(
  context: CheckContext,
  expectations: readonly ExpectedState[],
): Promise<Finding | undefined> {
  const wrong = await findWrongState(context, expectations)
  return wrong?.result === 'inconclusive' ? fail(wrong.observed.replace(coveredByRetry, '')) : wrong
}

export const restart: Check = async (context) => {
  const { sender, testEvents, stateReader, options, workspace: ws } = context
  if (options.restart === null || stateReader === null) return withoutStateUrl('not tested')
  const event = await testEvents.payCharge()
  await deliver(context, event, 'an event')
  const restarted = await ws.send({ url: options.restart, headers: { 'content-length': '0' }, body: '' })
  if (!['ok', 'http_error'].includes(restarted.outcome) || (restarted.status ?? 0) >= 300)
    return inconclusive(`the receiver could not be restarted: ${restarted.status ?? restarted.outcome}`)
  if (!(await waitUntilBack(context)))
    return fail(`after the restart no event was accepted for ${inSeconds(restartWaitMs)}`)
  const survived = await findWrongState(context, [
    { event, credited: 'once', what: 'accepted right before the restart' },
  ])
  if (survived !== undefined) return survived
  await sender.send(event)
  const twice = await findWrongState(context, [{ event, credited: 'once', what: 'sent again after the restart' }])
  return twice ?? pass('credited once, before and after')
}

async function waitUntilBack({ sender, testEvents, pause }: CheckContext): Promise<boolean> {
  const event = await testEvents.payCharge()
  for (let triesLeft = restartWaitMs / retryPauseMs; triesLeft > 0; triesLeft--) {
    if (isOk(await sender.send(event))) return true
    await pause(retryPauseMs)
  }
  return false
}
