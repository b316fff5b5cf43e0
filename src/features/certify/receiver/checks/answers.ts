/** Checks how quickly events are answered: alone, many at once, and while another event arrives slowly. */
import { advisedResponseMs, seconds, webhookTimeouts } from '../../../../inside/platform.js'
import {
  type Check,
  type CheckContext,
  describeResponse,
  type Finding,
  fail,
  inconclusive,
  pass,
} from '../check-context.js'
import { type Attempt, isOk } from '../event-sender.js'
import { medianOf } from '../state-reader.js'
import type { TestEvent } from '../test-events.js'
import { slowBodyMs } from '../timing.js'

const burstSize = 20
/** The body of the slow event takes this much longer than a usual response, so that waiting for it shows. */
const slowBodyFactor = 2
/** Share of that time which a response may be later than usual without having waited for the body. */
const maxWaitShare = 2 / 3

const secondsOf = ({ result }: Attempt) => `${(result.durationMs / 1000).toFixed(1)} s`
/** The usual response time. */
export const usualMs = (accepted: readonly Attempt[]): number =>
  medianOf(accepted.map(({ result }) => result.durationMs))

const slowest = (attempts: readonly Attempt[]) =>
  attempts.reduce((a, b) => (a.result.durationMs > b.result.durationMs ? a : b))

/** Looks only at events that were accepted in the end; the others have failed the rule that they were sent for. */
export function inTime({ sender: { log } }: CheckContext): Finding {
  const late = log.recovered.filter(({ result }) => result.outcome === 'timeout')
  const [first, second] = late
  if (first !== undefined && second !== undefined)
    return fail(
      `${late.length} events were not answered within ${seconds(webhookTimeouts.totalMs)} at the first attempt`,
      first,
    )
  return log.accepted.length === 0
    ? inconclusive('no event was accepted')
    : pass(`the slowest response took ${secondsOf(slowest(log.accepted))}`)
}

/** A failure by chance does not hit every event of one kind, nor only their first attempts. */
const leastOfKind = 3

/** Looks for a kind of event of which each one was accepted only after a failure. Timeouts count for `inTime`. */
export function atFirst({ sender: { log } }: CheckContext): Finding {
  const idsOf = (attempts: readonly Attempt[], kind: string) =>
    new Set(attempts.flatMap(({ event }) => (event.event === kind ? event.id : [])))
  const failed = log.recovered.filter((attempt) => attempt.result.outcome !== 'timeout' && !asksForRepetition(attempt))
  for (const attempt of failed) {
    const { event: kind } = attempt.event
    const { size } = idsOf(failed, kind)
    if (size >= leastOfKind && size === idsOf(log.accepted, kind).size)
      return fail(`${kind}: the first attempt of each of ${size} events: ${describeResponse(attempt)}`, attempt)
  }
  return log.accepted.length === 0 ? inconclusive('no event was accepted') : pass('no kind of event failed each time')
}

/** One slow answer may be caused by the machine, so more events are sent: only a second slow answer fails. */
export const soon: Check = async (context) => {
  const { sender, testEvents } = context
  if (sender.log.accepted.filter(isSlow).length === 1)
    for (let triesLeft = 3; triesLeft > 0; triesLeft--) await sender.deliver(await testEvents.payCharge())
  return soonSoFar(context)
}

const isSlow = (attempt: Attempt) => attempt.result.durationMs > advisedResponseMs

export function soonSoFar({ sender }: CheckContext): Finding {
  const slow = sender.log.accepted.filter(isSlow)
  if (sender.log.accepted.length === 0) return inconclusive('no event was accepted')
  const worst = slowest(sender.log.accepted)
  if (slow.length > 1)
    return fail(
      `${slow.length} of ${sender.log.accepted.length} responses took longer than ${seconds(advisedResponseMs)}, the slowest ${secondsOf(worst)}`,
      worst,
    )
  return pass(`the slowest took ${secondsOf(worst)}`)
}

export const manyAtOnce: Check = async (context) => {
  const first = await sendBurst(context)
  // Connections may be exhausted for a moment through no fault of the receiver: only a second failure counts.
  if (first.result === 'passed') return first
  const second = await sendBurst(context)
  return second.result === 'passed' ? pass(`${burstSize} accepted at the second attempt`) : second
}

/** A receiver that is busy may have events repeated, as the platform does after every status but 2xx. */
const asksForRepetition = ({ result: { status } }: Attempt) => status === 503 || status === 429

async function sendBurst({ sender, testEvents }: CheckContext): Promise<Finding> {
  const events: TestEvent[] = []
  for (let triesLeft = burstSize; triesLeft > 0; triesLeft--) events.push(await testEvents.payCharge())
  const attempts = await Promise.all(events.map((event) => sender.sendNow(event)))
  const refused: Attempt[] = []
  for (const attempt of attempts.filter((one) => !isOk(one)))
    if (!asksForRepetition(attempt) || !(await sender.deliver(attempt.event)).accepted) refused.push(attempt)
  sender.log.accepted.push(...attempts.filter(isOk))
  const [first] = refused
  if (first === undefined) return pass(`${burstSize} accepted`)
  return fail(`${refused.length} of ${burstSize} were not accepted: ${describeResponse(first)}`, first)
}

export const besideSlow: Check = async (context) => {
  const usual = usualMs(context.sender.log.accepted)
  const bodyMs = Math.max(slowBodyMs, slowBodyFactor * usual)
  const usually = `usually after ${(usual / 1000).toFixed(1)} s`
  if (bodyMs + usual > webhookTimeouts.totalMs)
    return inconclusive(`the receiver answers too slowly for this check, ${usually}`)
  for (let triesLeft = 2; ; triesLeft--) {
    const attempt = await sendBesideSlow(context, bodyMs)
    if (isOk(attempt) && attempt.result.durationMs < usual + bodyMs * maxWaitShare)
      return pass(`response after ${secondsOf(attempt)} meanwhile, ${usually}`)
    if (triesLeft === 1)
      return fail(
        `a second event, sent during the slow request: ${describeResponse(attempt)} after ${secondsOf(attempt)}, ${usually}`,
        attempt,
      )
  }
}

async function sendBesideSlow({ sender, testEvents, pause }: CheckContext, bodyMs: number): Promise<Attempt> {
  const [slow, other] = [await testEvents.payCharge(), await testEvents.payCharge()]
  const slowly = sender.sendNow(slow, { parting: { atByte: 20, pauseMs: bodyMs, end: 'rest' } })
  await pause(50)
  const attempt = await sender.sendNow(other)
  await slowly
  return attempt
}
