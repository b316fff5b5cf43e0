/** Checks how quickly events are answered: alone, many at once, and while another event arrives slowly. */
import { seconds } from '../../../protocol/platform/figures.js'
import { advisedResponseMs, webhookTimeouts } from '../../../protocol/platform/limits.js'
import { slowBodyMs } from '../../protocol/timing.js'
import { type Check, type CheckContext, describeResponse, type Finding, fail, pass } from '../check-context.js'
import { type Attempt, isOk } from '../event-sender.js'
import type { TestEvent } from '../test-events.js'

const burstSize = 20
/** Longest time of a response that has not waited for a slow body on another connection. */
const maxParallelAnswerMs = 1000

const secondsOf = ({ result }: Attempt) => `${(result.durationMs / 1000).toFixed(1)} s`
const slowest = (attempts: readonly Attempt[]) =>
  attempts.reduce((a, b) => (a.result.durationMs > b.result.durationMs ? a : b))

/** Looks only at events that were accepted in the end; the others have failed the rule that they were sent for. */
export const inTime: Check = async ({ sender: { log } }) => {
  const late = log.recovered.filter(({ result }) => result.outcome === 'timeout')
  const [first, second] = late
  if (first !== undefined && second !== undefined)
    return fail(
      `${late.length} events were not answered within ${seconds(webhookTimeouts.totalMs)} at the first attempt`,
      first,
    )
  return pass(`the slowest response took ${secondsOf(slowest(log.accepted))}`)
}

/** One slow answer may be caused by the machine, so more events are sent: only a second slow answer fails. */
export const soon: Check = async (context) => {
  const { sender, testEvents } = context
  const isSlow = (attempt: Attempt) => attempt.result.durationMs > advisedResponseMs
  if (sender.log.accepted.filter(isSlow).length === 1)
    for (let triesLeft = 3; triesLeft > 0; triesLeft--) await sender.deliver(await testEvents.payCharge())
  const slow = sender.log.accepted.filter(isSlow)
  const worst = slowest(sender.log.accepted)
  if (slow.length > 1)
    return fail(
      `${slow.length} of ${sender.log.accepted.length} responses took longer than ${seconds(advisedResponseMs)}, the slowest ${secondsOf(worst)}`,
      worst,
    )
  return pass(`the slowest took ${secondsOf(worst)}`)
}

export const manyAtOnce: Check = async (context) => {
  const missing = await sendBurst(context)
  if (missing === undefined) return pass(`${burstSize} accepted`)
  // Connections may be exhausted for a moment through no fault of the receiver: only a second failure counts.
  return (await sendBurst(context)) ?? pass(`${burstSize} accepted at the second attempt`)
}

async function sendBurst({ sender, testEvents }: CheckContext): Promise<Finding | undefined> {
  const events: TestEvent[] = []
  for (let triesLeft = burstSize; triesLeft > 0; triesLeft--) events.push(await testEvents.payCharge())
  const attempts = await Promise.all(events.map((event) => sender.sendNow(event)))
  const refused = attempts.filter((attempt) => !isOk(attempt))
  sender.log.accepted.push(...attempts.filter(isOk))
  const [first] = refused
  return first === undefined
    ? undefined
    : fail(`${refused.length} of ${burstSize} were not accepted: ${describeResponse(first)}`, first)
}

export const besideSlow: Check = async (context) => {
  for (let triesLeft = 2; ; triesLeft--) {
    const attempt = await sendBesideSlow(context)
    if (isOk(attempt) && attempt.result.durationMs < maxParallelAnswerMs)
      return pass(`response after ${secondsOf(attempt)} meanwhile`)
    if (triesLeft === 1)
      return fail(
        `a second event, sent during the slow request: ${describeResponse(attempt)} after ${secondsOf(attempt)}`,
        attempt,
      )
  }
}

async function sendBesideSlow({ sender, testEvents, pause }: CheckContext): Promise<Attempt> {
  const [slow, other] = [await testEvents.payCharge(), await testEvents.payCharge()]
  const slowly = sender.sendNow(slow, { parting: { atByte: 20, pauseMs: slowBodyMs, end: 'rest' } })
  await pause(50)
  const attempt = await sender.sendNow(other)
  await slowly
  return attempt
}
