/** Checks what takes money back, in order and out of it: refunds of a charge or of a part, and disputes, which block money and release it only if they end in the merchant's favor. */
import {
  type Check,
  type CheckContext,
  deliver,
  deliverAll,
  describeResponse,
  type ExpectedState,
  exactFix,
  type Finding,
  Found,
  fail,
  findWrongState,
  judgeStates,
  pass,
  waitForEarlierEvents,
} from '../check-context.js'
import { isFailure } from '../event-sender.js'
import { receiverRules } from '../rules.js'
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

export const threeTimes = (event: TestEvent): TestEvent[] => [event, event, event]

const refundedCharge = ({ confirmed, refunded }: Refund, what: string): ExpectedState => ({
  ...{ event: confirmed, moreEvents: [refunded], credited: 'nothing', what },
})

/** A receiver that looks for the charge under another id does apply refunds; `refundByOriginal` finds it. */
export const refundFull: Check = async (context) => {
  const [own, shared] = [await context.testEvents.refundCharge(), await context.testEvents.refundCharge()]
  await deliverAll(context, [own.confirmed, own.refunded, shared.confirmed, underSameId(context, shared)])
  const wrong = await findWrongState(context, [refundedCharge(own, 'a refunded charge')])
  if (wrong === undefined) return pass('nothing credited any more')
  const other = await findWrongState(context, [refundedCharge(shared, 'a refunded charge')])
  return other === undefined
    ? pass('nothing credited any more if the refund has the transaction_id of the charge')
    : wrong
}

export const refundByOriginal: Check = async (context) => {
  const refund = await context.testEvents.refundCharge()
  await deliverAll(context, [refund.confirmed, refund.refunded])
  const expected = refundedCharge(refund, 'a charge whose refund has another transaction_id')
  return judgeStates(context, [expected], { passed: 'the charge was found' })
}

interface Part {
  amount: string
  part: string
}
const aPart: Part = { amount: '25.50', part: '10.00' }
/** In binary floating point these differences are 14.879999999999999 and 15.350000000000001. */
const inexactParts: readonly Part[] = [
  { amount: '19.99', part: '5.11' },
  { amount: '25.55', part: '10.20' },
]

async function refundPart(context: CheckContext, { amount, part }: Part, isRepeated = false): Promise<Finding> {
  const confirmed = await context.testEvents.payCharge({ amount })
  const refunds = await context.testEvents.captureEvents(
    (unit) => void performAction(unit, 'cashin.refund', confirmed.transactionId, { amount: part }),
  )
  await deliverAll(context, [confirmed, ...(isRepeated ? refunds.flatMap(threeTimes) : refunds)])
  const what = `a charge of ${amount} of which ${part} was refunded${isRepeated ? ', with the event sent three times' : ''}`
  const expected = { event: confirmed, moreEvents: refunds, credited: 'once', minus: part, what } as const
  return judgeStates(context, [expected], { passed: `${part} taken back` })
}

export const refundPartial: Check = async (context) => {
  const finding = await refundPart(context, aPart)
  if (finding.result !== 'passed') return finding
  for (const inexact of inexactParts) {
    const found = await refundPart(context, inexact)
    if (found.result === 'failed') return { ...found, fix: exactFix }
    if (found.result !== 'passed') return found
  }
  return pass(`${1 + inexactParts.length} parts taken back exactly`)
}

export const refundOnce: Check = (context) => refundPart(context, aPart, true)

/** What stays credited after each step of a dispute. */
const creditAfter = {
  'dispute.respond': 'nothing',
  'dispute.lose': 'nothing',
  'dispute.confirm': 'nothing',
  'dispute.cancel': 'once',
  'dispute.win': 'once',
} as const
type DisputeStep = keyof typeof creditAfter

interface Disputed {
  confirmed: TestEvent
  opened: TestEvent
  ends: TestEvent[]
}

async function createDispute(
  { testEvents }: CheckContext,
  action: DisputeStep,
  params: { amount?: string } = {},
): Promise<Disputed> {
  const confirmed = await testEvents.payCharge()
  const [opened, ...ends] = await testEvents.captureEvents((unit) => {
    performAction(unit, action, performAction(unit, 'dispute.open', confirmed.transactionId, params))
  })
  if (opened === undefined) throw new Error('the sandbox created no test event for the dispute')
  return { confirmed, opened, ends }
}

type Step = [
  what: string,
  events: readonly TestEvent[],
  credited: ExpectedState['credited'],
  minus?: string,
  fix?: string,
]

/** A receiver that ignores disputes keeps the credit; one that never credits would look right while the dispute is open. */
async function checkSteps(context: CheckContext, { confirmed, opened, ends }: Disputed, steps: readonly Step[]) {
  for (const [what, events, credited, minus, fix] of [['a paid charge', [confirmed], 'once'] as Step, ...steps]) {
    await deliverAll(context, events)
    // The state may be right already before the last event is processed.
    await waitForEarlierEvents(context)
    const wrong = await findWrongState(context, [
      { event: confirmed, moreEvents: [opened, ...ends], credited, minus, what, fixFor: () => fix },
    ])
    if (wrong !== undefined) return wrong
  }
  return pass(
    steps.map(([what, , credited]) => `${what}: ${credited === 'once' ? 'credited' : 'nothing credited'}`).join('; '),
  )
}

export const disputeOpened: Check = async (context) => {
  const dispute = await createDispute(context, 'dispute.respond')
  return checkSteps(context, dispute, [['a charge with an open dispute', [dispute.opened], 'nothing']])
}

/** Builds the check of the credit after this step. */
export const disputeAfter =
  (action: DisputeStep): Check =>
  async (context) => {
    const dispute = await createDispute(context, action)
    const { opened, ends } = dispute
    return checkSteps(context, dispute, [[`a charge after ${ends[0]?.event}`, [opened, ...ends], creditAfter[action]]])
  }

/** The decision alone must not release the money either: its refund arrives later. */
export const disputeDecided =
  (action: 'dispute.lose' | 'dispute.confirm'): Check =>
  async (context) => {
    const dispute = await createDispute(context, action)
    const [end, ...refunds] = dispute.ends
    if (end === undefined) throw new Error('the sandbox created no test event for the end of the dispute')
    return checkSteps(context, dispute, [
      [`a charge after ${end.event}, before its refund`, [dispute.opened, end], creditAfter[action]],
      [`a charge after ${end.event} and cashin.refunded`, refunds, creditAfter[action]],
    ])
  }

/** The default amount of a test charge is more than this. */
const disputedPart = '10.00'

export const disputePartial: Check = async (context) => {
  const dispute = await createDispute(context, 'dispute.lose', { amount: disputedPart })
  return checkSteps(context, dispute, [
    [`a charge of which ${disputedPart} is disputed`, [dispute.opened], 'once', disputedPart],
    [
      `a charge of which ${disputedPart} was disputed and lost`,
      dispute.ends,
      'once',
      disputedPart,
      receiverRules['dispute.lost'].fix,
    ],
  ])
}

/** A receiver that adds instead of setting blocks or releases the money again for each copy. */
export const disputeRepeated: Check = async (context) => {
  for (const copied of ['chargeback.opened', 'chargeback.won']) {
    const dispute = await createDispute(context, 'dispute.win')
    const events = [dispute.opened, ...dispute.ends].flatMap((one) => (one.event === copied ? threeTimes(one) : one))
    const what = `a charge after a won dispute whose ${copied} arrived three times`
    const finding = await checkSteps(context, dispute, [[what, events, 'once']])
    if (finding.result !== 'passed') return finding
  }
  return pass('released once')
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

export const disputeOutOfOrder: Check = async (context) => {
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
      {
        event: replied.confirmed,
        credited: 'nothing',
        what: 'an open dispute whose reply arrived before its opening',
      },
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
