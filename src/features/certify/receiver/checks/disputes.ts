/** Checks that disputes block money, and release it only if they end in the merchant's favor. */
import {
  type Check,
  type CheckContext,
  deliverAll,
  type ExpectedState,
  findWrongState,
  pass,
  waitForEarlierEvents,
} from '../check-context.js'
import { receiverRules } from '../rules.js'
import { performAction, type TestEvent } from '../test-events.js'
import { threeTimes } from './refunds.js'

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

export async function createDispute(
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

export const opened: Check = async (context) => {
  const dispute = await createDispute(context, 'dispute.respond')
  return checkSteps(context, dispute, [['a charge with an open dispute', [dispute.opened], 'nothing']])
}

/** Builds the check of the credit after this step. */
export const after =
  (action: DisputeStep): Check =>
  async (context) => {
    const dispute = await createDispute(context, action)
    const { opened, ends } = dispute
    return checkSteps(context, dispute, [[`a charge after ${ends[0]?.event}`, [opened, ...ends], creditAfter[action]]])
  }

/** The decision alone must not release the money either: its refund arrives later. */
export const decided =
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
const aPart = '10.00'

export const partial: Check = async (context) => {
  const dispute = await createDispute(context, 'dispute.lose', { amount: aPart })
  return checkSteps(context, dispute, [
    [`a charge of which ${aPart} is disputed`, [dispute.opened], 'once', aPart],
    [
      `a charge of which ${aPart} was disputed and lost`,
      dispute.ends,
      'once',
      aPart,
      receiverRules['dispute.lost'].fix,
    ],
  ])
}

/** A receiver that adds instead of setting blocks or releases the money again for each copy. */
export const repeated: Check = async (context) => {
  for (const copied of ['chargeback.opened', 'chargeback.won']) {
    const dispute = await createDispute(context, 'dispute.win')
    const events = [dispute.opened, ...dispute.ends].flatMap((one) => (one.event === copied ? threeTimes(one) : one))
    const what = `a charge after a won dispute whose ${copied} arrived three times`
    const finding = await checkSteps(context, dispute, [[what, events, 'once']])
    if (finding.result !== 'passed') return finding
  }
  return pass('released once')
}
