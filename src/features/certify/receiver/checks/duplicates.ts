/** Checks events that arrive again: copies, attempts after a failure, after a long downtime and after a crash. Different events take effect separately. */

import { fail, inconclusive } from '../../report/rules.js'
import {
  type Check,
  coveredByRetry,
  creditedOnce,
  describeResponse,
  type ExpectedState,
  refundedCharge,
  sentOnce,
  withoutStateUrl,
} from '../check-context.js'
import { type Attempt, isOk } from '../event-sender.js'
import { receiverRules } from '../rules.js'
import { failWithdrawal, requireEvent, type TestEvent } from '../test-events.js'
import { inSeconds, restartWaitMs } from '../timing.js'
import { deliverRefunds } from './reversals.js'

const amounts = ['25.50', '19.99', '1.15', '4.35', '2.30', '1000.10', '8.41', '57.91']

const feeFix = 'Credit amount, or amount_net if your customer pays the fee. amount_net is already amount minus fee.'

export const exact: Check = async (context) => {
  const expectations: ExpectedState[] = []
  for (const amount of amounts) {
    const what = `a charge of ${amount}`
    // A float has the first amount exactly.
    const fix = amount === amounts[0] ? feeFix : undefined
    const missingFix = receiverRules['effect.applied'].fix
    expectations.push({ ...sentOnce(await context.deliverCharge(what, { amount }), what), fix, missingFix })
  }
  await context.expectStates(expectations)
  return `${amounts.length} amounts credited exactly`
}

export const answered: Check = async (context) => {
  const event = await context.deliverCharge('an event')
  for (const time of ['second', 'third']) await context.deliver(event, `the same event a ${time} time`)
  return 'accepted three times'
}

export const inARow: Check = async (context) => {
  const event = await context.deliverCharge('an event')
  const timestamp = String(context.sender.nowSeconds())
  for (let triesLeft = 2; triesLeft > 0; triesLeft--) await context.sender.send(event, { timestamp })
  await context.expectStates([creditedOnce(event, 'sent three times in a row')], 'sent three times')
  return 'credited once'
}

export const atOnce: Check = async (context) => {
  const event = await context.testEvents.createPaidCharge()
  const attempts = await Promise.all(Array.from({ length: 6 }, () => context.sender.sendNow(event)))
  // A receiver may reject copies while it processes another one; if it rejected all six, the event is delivered again.
  if (!attempts.some(isOk)) await context.deliver(event, 'an event after six simultaneous copies')
  const tried = 'sent six times at once'
  await context.expectStates([creditedOnce(event, tried)], tried)
  return 'credited once'
}

export const later: Check = async (context) => {
  const event = context.missed.repeated
  await context.deliver(event, 'an event from an hour ago', { ageSeconds: 250 })
  await context.sender.send(event)
  await context.expectStates([creditedOnce(event, 'sent again later')], 'sent again later')
  return 'credited once'
}

/** Sends the first event of the run again. How many events came in between is what this run can show. */
export const memory: Check = async (context) => {
  const { accepted } = context.sender.log
  const at = accepted.findIndex(({ event }) => event.event === 'cashin.confirmed')
  const event = accepted[at]?.event
  if (event === undefined) return inconclusive('no event was accepted')
  const others = new Set(accepted.slice(at + 1).map((later) => later.event.id)).size
  await context.deliver(event, `an event that was sent again after ${others} others`)
  const again = `again after ${others} other events`
  await context.expectStates([creditedOnce(event, `sent ${again}`)], `accepted ${again}`)
  return `credited once, still known after ${others} other events; more were not sent`
}

export const otherEvent: Check = async (context) => {
  const { own, shared } = await deliverRefunds(context)
  await context.expectStates([
    { ...refundedCharge(own, 'a charge that was refunded'), status: 'refunded' },
    { ...refundedCharge(shared, 'a charge that was refunded under its own transaction_id'), status: 'refunded' },
  ])
  return 'refunded'
}

export const otherKind: Check = async (context) => {
  const { testEvents } = context
  const [before, after] = [await testEvents.createPaidCharge(), await testEvents.createPaidCharge()]
  const createFailedPayout = async (externalId: unknown) => {
    const event = requireEvent((await testEvents.captureEvents(failWithdrawal))[0])
    return testEvents.createEvent(event.event, event.transactionId, { ...event.data, external_id: externalId })
  }
  await context.deliverAll([
    before,
    await createFailedPayout(before.data.external_id),
    await createFailedPayout(after.data.external_id),
    after,
  ])
  await context.expectStates([
    { ...creditedOnce(before, 'a charge whose external_id a failed withdrawal used later'), status: 'confirmed' },
    { ...creditedOnce(after, 'a charge whose external_id a failed withdrawal had used before'), status: 'confirmed' },
  ])
  return 'kept apart'
}

export const late: Check = async (context) => {
  const { lone, confirmed, refunded } = context.missed
  for (const event of [lone, confirmed, refunded]) await context.deliver(event, `${event.event} from an hour ago`)
  await context.expectStates([
    sentOnce(lone, 'a charge paid an hour ago'),
    refundedCharge({ confirmed, refunded }, 'a charge paid and refunded an hour ago'),
  ])
  return 'accepted, with their effects'
}

/**
 * Checks, besides its own event, the charges of the whole run that were accepted after a failure of the receiver, because
 * such failures occur by chance. What was refunded or disputed later is credited no more.
 */
export const afterFailure: Check = async (context) => {
  const { sender, testEvents, stateReader } = context
  const event = await testEvents.createPaidCharge()
  const half = Math.floor(new TextEncoder().encode(event.body).length / 2)
  await sender.send(event, { parting: { atByte: half, pauseMs: 5, end: 'break' } })
  const what = 'an event after a broken connection'
  await context.deliver(event, what)
  if (stateReader === null) return withoutStateUrl('accepted after a broken connection')
  const isCredited = ({ event }: Attempt) =>
    event.event === 'cashin.confirmed' && !sender.log.accepted.some((later) => isAnotherOf(event, later.event))
  const recovered = sender.log.recovered.filter(isCredited).slice(0, 20)
  const wrong = await context.findWrongState([
    sentOnce(event, what),
    ...recovered.map((attempt) =>
      sentOnce(attempt.event, `an event whose first attempt was ${describeResponse(attempt)}`),
    ),
  ])
  // Elsewhere a failed first attempt explains a missing credit; here it is what is tested.
  if (wrong?.result === 'inconclusive') return fail(wrong.observed.replace(coveredByRetry, ''))
  const observed = recovered.length === 0 ? '' : `, ${recovered.length} after errors of the receiver`
  return wrong ?? `credited once${observed}`
}

const isAnotherOf = ({ id, transactionId }: TestEvent, other: TestEvent): boolean =>
  other.id !== id && [other.transactionId, other.data.original_transaction_id].includes(transactionId)

/** While the receiver is being stopped it is sent so many events: only the newest that it accepted may be in memory alone. */
const eventsAtRestart = 50

export const restart: Check = async (context) => {
  const { sender, stateReader, options, workspace: ws } = context
  if (options.restart === undefined || stateReader === null) return withoutStateUrl('not tested')
  const first = await context.deliverCharge('an event')
  const accepted = [first]
  let isRestarted = false
  const request = { url: options.restart, headers: { 'content-length': '0' }, body: '' }
  const restarting = ws.send(request).finally(() => (isRestarted = true))
  for (let left = eventsAtRestart; left > 0 && !isRestarted; left--) {
    const event = await context.testEvents.createPaidCharge()
    if (isOk(await sender.sendNow(event))) accepted.push(event)
    await context.pause(20)
  }
  const restarted = await restarting
  if (!['ok', 'http_error'].includes(restarted.outcome) || (restarted.status ?? 0) >= 300)
    return inconclusive(`the receiver could not be restarted: ${restarted.status ?? restarted.outcome}`)
  if (!(await context.isAnswering([0, ...Array<number>(restartWaitMs / 200).fill(200)])))
    return fail(`after the restart no event was accepted for ${inSeconds(restartWaitMs)}`)
  await context.expectStates(accepted.map((event) => creditedOnce(event, 'accepted right before the restart')))
  await sender.send(first)
  await context.expectStates([creditedOnce(first, 'sent again after the restart')])
  return `${accepted.length} credited once`
}
