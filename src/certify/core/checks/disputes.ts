/** Checks that disputes block money, and release it only if they end in the merchant's favour. */
import {
  type Check,
  type CheckContext,
  type ExpectedState,
  findWrongState,
  notAccepted,
  pass,
} from '../check-context.js'
import { performAction, type TestEvent } from '../test-events.js'

/** What stays credited after each end of a dispute. */
const creditAfter = {
  'dispute.lose': 'nothing',
  'dispute.confirm': 'nothing',
  'dispute.cancel': 'once',
  'dispute.win': 'once',
} as const
type DisputeEnd = keyof typeof creditAfter

interface Disputed {
  confirmed: TestEvent
  opened: TestEvent
  ends: TestEvent[]
}

export async function createDispute({ testEvents }: CheckContext, action: DisputeEnd): Promise<Disputed> {
  const confirmed = await testEvents.payCharge()
  const [opened, ...ends] = await testEvents.captureEvents((unit) => {
    performAction(unit, action, performAction(unit, 'dispute.open', confirmed.transactionId))
  })
  if (opened === undefined) throw new Error('the sandbox created no test event for the dispute')
  return { confirmed, opened, ends }
}

type Step = [what: string, events: readonly TestEvent[], credited: ExpectedState['credited']]

/** A receiver that ignores disputes keeps the credit; one that never credits would look right while the dispute is open. */
export const applied: Check = async (context) => {
  for (const [action, end] of Object.entries(creditAfter) as [DisputeEnd, ExpectedState['credited']][]) {
    const { confirmed, opened, ends } = await createDispute(context, action)
    const steps: Step[] = [
      ['a paid charge', [confirmed], 'once'],
      ['a charge with an open dispute', [opened], 'nothing'],
      [`a charge after ${ends[0]?.event}`, ends, end],
    ]
    for (const [what, events, credited] of steps) {
      for (const event of events) {
        const rejection = await notAccepted(context, event, event.event)
        if (rejection !== undefined) return rejection
      }
      const wrong = await findWrongState(context, [{ event: confirmed, moreEvents: [opened, ...ends], credited, what }])
      if (wrong !== undefined) return wrong
    }
  }
  return pass('blocked while open; released if won or canceled')
}
