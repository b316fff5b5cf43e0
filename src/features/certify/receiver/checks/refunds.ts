/** Checks that refunds take back what they say: all of a charge or a part of it, once, and of the right charge. */
import {
  type Check,
  type CheckContext,
  deliverAll,
  type ExpectedState,
  exactFix,
  type Finding,
  findWrongState,
  judgeStates,
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

export const threeTimes = (event: TestEvent): TestEvent[] => [event, event, event]

const refundedCharge = ({ confirmed, refunded }: Refund, what: string): ExpectedState => ({
  ...{ event: confirmed, moreEvents: [refunded], credited: 'nothing', what },
})

/** A receiver that looks for the charge under another id does apply refunds; `byOriginal` finds it. */
export const full: Check = async (context) => {
  const [own, shared] = [await context.testEvents.refundCharge(), await context.testEvents.refundCharge()]
  await deliverAll(context, [own.confirmed, own.refunded, shared.confirmed, underSameId(context, shared)])
  const wrong = await findWrongState(context, [refundedCharge(own, 'a refunded charge')])
  if (wrong === undefined) return pass('nothing credited any more')
  const other = await findWrongState(context, [refundedCharge(shared, 'a refunded charge')])
  return other === undefined
    ? pass('nothing credited any more if the refund has the transaction_id of the charge')
    : wrong
}

export const byOriginal: Check = async (context) => {
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

export const partial: Check = async (context) => {
  const finding = await refundPart(context, aPart)
  if (finding.result !== 'passed') return finding
  for (const inexact of inexactParts) {
    const found = await refundPart(context, inexact)
    if (found.result === 'failed') return { ...found, fix: exactFix }
    if (found.result !== 'passed') return found
  }
  return pass(`${1 + inexactParts.length} parts taken back exactly`)
}

export const once: Check = (context) => refundPart(context, aPart, true)
