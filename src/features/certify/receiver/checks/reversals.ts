/** Checks what takes money back, in order and out of it: refunds of a charge or of a part, and disputes, which block money and release it only if they end in the merchant's favor. */

import { fail } from '../../report/rules.js'
import {
  type Check,
  type CheckContext,
  creditedOnce,
  describeResponse,
  type ExpectedState,
  exactFix,
  Found,
  refundedCharge,
  twiceFix,
} from '../check-context.js'
import { isFailure } from '../event-sender.js'
import { receiverRules } from '../rules.js'
import { performAction, type Refund, requireEvent, type TestEvent } from '../test-events.js'

export const threeTimes = (event: TestEvent): TestEvent[] => [event, event, event]

/** A receiver must handle refunds with a `transaction_id` of their own and refunds with the charge's id. */
export async function deliverRefunds(context: CheckContext): Promise<Record<'own' | 'shared', Refund>> {
  const own = await context.testEvents.createRefundedCharge()
  const shared = await context.testEvents.createRefundUnderSameId()
  await context.deliverAll([own.confirmed, own.refunded, shared.confirmed, shared.refunded])
  return { own, shared }
}

/** A receiver that looks for the charge under another id does apply refunds; `refundByOriginal` finds it. */
export const refundFull: Check = async (context) => {
  const { own, shared } = await deliverRefunds(context)
  const wrong = await context.findWrongState([refundedCharge(own, 'a refunded charge')])
  if (wrong === undefined) return 'nothing credited any more'
  const other = await context.findWrongState([refundedCharge(shared, 'a refunded charge')])
  return other === undefined ? 'nothing credited any more if the refund has the transaction_id of the charge' : wrong
}

export const refundByOriginal: Check = async (context) => {
  const refund = await context.testEvents.createRefundedCharge()
  await context.deliverAll([refund.confirmed, refund.refunded])
  await context.expectStates([refundedCharge(refund, 'a charge whose refund has another transaction_id')])
  return 'the charge was found'
}

const aPart = ['25.50', '10.00'] as const
/** In binary floating point the differences of the last two are 14.879999999999999 and 15.350000000000001. */
const parts = [aPart, ['19.99', '5.11'], ['25.55', '10.20']] as const

async function refundPart(context: CheckContext, [amount, part]: (typeof parts)[number], isRepeated = false) {
  const confirmed = await context.testEvents.createPaidCharge({ amount })
  const refunds = await context.testEvents.captureEvents((unit) =>
    performAction(unit, 'cashin.refund', confirmed.transactionId, { amount: part }),
  )
  await context.deliverAll([confirmed, ...(isRepeated ? refunds.flatMap(threeTimes) : refunds)])
  const what = `a charge of ${amount} of which ${part} was refunded${isRepeated ? ', with the event sent three times' : ''}`
  const fix = amount === aPart[0] ? undefined : exactFix
  const expected = { event: confirmed, moreEvents: refunds, credited: 'once', minus: part, what, fix } as const
  await context.expectStates([isRepeated ? expected : { ...expected, twiceFix }])
}

export const refundPartial: Check = async (context) => {
  for (const part of parts) await refundPart(context, part)
  return `${parts.length} parts taken back exactly`
}

export const refundOnce: Check = async (context) => {
  await refundPart(context, aPart, true)
  return `${aPart[1]} taken back`
}

interface Disputed {
  confirmed: TestEvent
  opened: TestEvent
  /** The event of the reply or the decision. */
  end: TestEvent
  refunds: readonly TestEvent[]
}
type DisputeStep = 'dispute.respond' | 'dispute.lose' | 'dispute.confirm' | 'dispute.cancel' | 'dispute.win'

async function createDispute({ testEvents }: CheckContext, action: DisputeStep, amount?: string): Promise<Disputed> {
  const confirmed = await testEvents.createPaidCharge()
  const [opened, end, ...refunds] = await testEvents.captureEvents((unit) => {
    performAction(unit, action, performAction(unit, 'dispute.open', confirmed.transactionId, { amount }))
  })
  return { confirmed, opened: requireEvent(opened), end: requireEvent(end), refunds }
}

type Step = [what: string, events: readonly TestEvent[], credited: 'once' | 'nothing', minus?: string, fix?: string]

/**
 * Builds a check that pays a charge, sends the events of each step of its dispute, and reads the credit after each. A receiver
 * that ignores disputes keeps the credit; one that never credits would look right while the dispute is open.
 */
const checkDispute =
  (action: DisputeStep, stepsOf: (dispute: Disputed) => readonly Step[], amount?: string): Check =>
  async (context) => {
    const dispute = await createDispute(context, action, amount)
    const { confirmed, opened, end, refunds } = dispute
    const steps = stepsOf(dispute)
    const paid: Step = ['a paid charge', [confirmed], 'once']
    for (const [what, events, credited, minus, fix] of [paid, ...steps]) {
      await context.deliverAll(events)
      // The state may be right already before the last event is processed.
      await context.waitForEarlierEvents()
      await context.expectStates([
        { event: confirmed, moreEvents: [opened, end, ...refunds], credited, minus, what, fix },
      ])
    }
    return steps
      .map(([what, , credited]) => `${what}: ${credited === 'once' ? 'credited' : 'nothing credited'}`)
      .join('; ')
  }

export const disputeOpened = checkDispute('dispute.respond', ({ opened }) => [
  ['a charge with an open dispute', [opened], 'nothing'],
])

/** Builds the check of the credit after this step. */
export const disputeAfter = (action: DisputeStep, credited: ExpectedState['credited']): Check =>
  checkDispute(action, ({ opened, end }) => [[`a charge after ${end.event}`, [opened, end], credited]])

/** The decision alone must not release the money either: its refund arrives later. */
export const disputeLost = checkDispute('dispute.lose', ({ opened, end, refunds }) => [
  ['a charge after chargeback.lost, before its refund', [opened, end], 'nothing'],
  ['a charge after chargeback.lost and cashin.refunded', refunds, 'nothing'],
])

/** The default amount of a test charge is more than this. */
const part = '10.00'
/** A part shows also what the refund of a whole charge hides: money that stays blocked. */
const disputeOfPart = (action: DisputeStep, fix: string): Check =>
  checkDispute(
    action,
    ({ opened, end, refunds }) => [
      [`a charge of which ${part} is disputed`, [opened], 'once', part],
      [`a charge of which ${part} was disputed, after ${end.event}`, [end], 'once', part, fix],
      [`a charge of which ${part} was disputed, after ${end.event} and its refund`, refunds, 'once', part, fix],
    ],
    part,
  )
export const disputePartial = disputeOfPart('dispute.lose', receiverRules['dispute.lost'].fix)
export const disputeConfirmed = disputeOfPart('dispute.confirm', receiverRules['dispute.confirmed'].fix)

/** A receiver that adds instead of setting blocks or releases the money again for each copy. */
export const disputeRepeated: Check = async (context) => {
  for (const copied of ['chargeback.opened', 'chargeback.won']) {
    const what = `a charge after a won dispute whose ${copied} arrived three times`
    const copies = (event: TestEvent) => (event.event === copied ? threeTimes(event) : [event])
    await checkDispute('dispute.win', ({ opened, end }) => [[what, [opened, end].flatMap(copies), 'once']])(context)
  }
  return 'released once'
}

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
  for (const event of postponed) await context.deliver(event, `${event.event}, out of order and then repeated`)
}

async function expectFinalStates(
  context: CheckContext,
  events: readonly TestEvent[],
  expectations: readonly ExpectedState[],
): Promise<void> {
  await sendOutOfOrder(context, events)
  // The state may be right already before the last event is processed.
  await context.waitForEarlierEvents()
  await context.expectStates(expectations)
}

export const refundFirst: Check = async (context) => {
  const { confirmed, refunded } = await context.testEvents.createRefundedCharge()
  const what = 'refunded before it was confirmed'
  const expected: ExpectedState = { event: confirmed, credited: 'nothing', status: 'refunded', what }
  await expectFinalStates(context, [refunded, confirmed], [expected])
  return 'it ended as refunded'
}

/** A charge cannot be both paid and expired. The expiry is built by hand, as if it had been in flight when the payment came. */
export const expiredLate: Check = async (context) => {
  const confirmed = await context.testEvents.createPaidCharge()
  const { transaction_id, external_id, currency, amount, confirmed_at } = confirmed.data
  const fields = { transaction_id, external_id, currency, amount, status: 'expired', expired_at: confirmed_at }
  const expired = context.testEvents.createEvent('cashin.expired', confirmed.transactionId, fields)
  const expected = { ...creditedOnce(confirmed, 'expired after it was confirmed'), status: 'confirmed' }
  await expectFinalStates(context, [confirmed, expired], [expected])
  return 'it stayed confirmed'
}

const earlyFix =
  'Store a dispute of a charge that you do not know yet, and block its money when the charge is confirmed.'

/** The disputes whose events are sent in the opposite order. */
const reordered = [
  ['dispute.win', 'once', 'a dispute that was won before it was opened'],
  ['dispute.lose', 'nothing', 'a dispute that was lost, whose refund arrived first and whose opening arrived last'],
  ['dispute.respond', 'nothing', 'an open dispute whose reply arrived before its opening'],
] as const

export const disputeOutOfOrder: Check = async (context) => {
  const events: TestEvent[] = []
  const states: ExpectedState[] = []
  for (const [action, credited, what] of reordered) {
    const { confirmed, opened, end, refunds } = await createDispute(context, action)
    events.push(confirmed, ...refunds.toReversed(), end, opened)
    // A reply changes nothing.
    const moreEvents = action === 'dispute.respond' ? [] : [end, ...refunds]
    states.push({ event: confirmed, credited, what, moreEvents })
  }
  const { confirmed, opened } = await createDispute(context, 'dispute.respond')
  const what = 'a dispute that was opened before the charge was confirmed'
  const early: ExpectedState = { event: confirmed, credited: 'nothing', what, fix: earlyFix }
  await expectFinalStates(context, [...events, opened, confirmed], [...states, early])
  return 'the won dispute stays credited, the lost one and the open ones do not'
}
