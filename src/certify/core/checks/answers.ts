/** How soon are events answered, by themselves, many at once, and beside one that arrives slowly? */
import { secondMs } from '../../../base/duration.js'
import { type Check, type CheckContext, describeResponse, type Finding, fail, pass } from '../check-context.js'
import { type Attempt, isOk } from '../event-sender.js'
import type { TestEvent } from '../test-events.js'

const soonMs = 2 * secondMs
const many = 20
/** How long the slow body takes, and by when an answer beside it has not waited for it. */
const slowBodyMs = 1500
const besideMs = 1000

const secondsOf = ({ result }: Attempt) => `${(result.durationMs / 1000).toFixed(1)} s`
const slowest = (attempts: readonly Attempt[]) =>
  attempts.reduce((a, b) => (a.result.durationMs > b.result.durationMs ? a : b))

/** Where an event was never accepted, the rule that it was sent for has told so. */
export const inTime: Check = async ({ sender: { log } }) => {
  const late = log.recovered.filter(({ result }) => result.outcome === 'timeout')
  const [first, second] = late
  if (first !== undefined && second !== undefined)
    return fail(`${late.length} events were not answered in 10 seconds at the first attempt`, first)
  return pass(`the slowest answer took ${secondsOf(slowest(log.accepted))}`)
}

/** One slow answer may be the machine's doing: it has to happen again. */
export const soon: Check = async (context) => {
  const { sender, testEvents } = context
  const isSlow = (attempt: Attempt) => attempt.result.durationMs > soonMs
  if (sender.log.accepted.filter(isSlow).length === 1)
    for (let left = 3; left > 0; left--) await sender.deliver(await testEvents.payCharge())
  const slow = sender.log.accepted.filter(isSlow)
  const worst = slowest(sender.log.accepted)
  if (slow.length > 1)
    return fail(
      `${slow.length} of ${sender.log.accepted.length} answers took longer, the slowest ${secondsOf(worst)}`,
      worst,
    )
  return pass(`the slowest took ${secondsOf(worst)}`)
}

export const atOnce: Check = async (context) => {
  const missing = await twenty(context)
  if (missing === undefined) return pass(`${many} accepted`)
  // A moment's want of connections is not a fault of the receiver: what happens twice is.
  return (await twenty(context)) ?? pass(`${many} accepted at the second attempt`)
}

async function twenty({ sender, testEvents }: CheckContext): Promise<Finding | undefined> {
  const events: TestEvent[] = []
  for (let left = many; left > 0; left--) events.push(await testEvents.payCharge())
  const attempts = await Promise.all(events.map((event) => sender.sendNow(event)))
  const refused = attempts.filter((attempt) => !isOk(attempt))
  sender.log.accepted.push(...attempts.filter(isOk))
  const [first] = refused
  return first === undefined
    ? undefined
    : fail(`${refused.length} of ${many} were not accepted: ${describeResponse(first)}`, first)
}

export const besideSlow: Check = async (context) => {
  for (let left = 2; ; left--) {
    const attempt = await beside(context)
    if (isOk(attempt) && attempt.result.durationMs < besideMs)
      return pass(`answered after ${secondsOf(attempt)} meanwhile`)
    if (left === 1) return fail(`the other event: ${describeResponse(attempt)} after ${secondsOf(attempt)}`, attempt)
  }
}

async function beside({ sender, testEvents, pause }: CheckContext): Promise<Attempt> {
  const [slow, other] = [await testEvents.payCharge(), await testEvents.payCharge()]
  const slowly = sender.sendNow(slow, { parting: { atByte: 20, pauseMs: slowBodyMs, end: 'rest' } })
  await pause(50)
  const attempt = await sender.sendNow(other)
  await slowly
  return attempt
}
