/** Checks how quickly events are answered: alone, many at once, and while another event arrives slowly. */
import { advisedResponseMs, seconds, webhookTimeouts } from '../../../../inside/platform.js'
import { type Finding, fail, inconclusive, pass } from '../../report/rules.js'
import { type Check, type CheckContext, describeResponse } from '../check-context.js'
import { type Attempt, isOk } from '../event-sender.js'
import { medianOf } from '../state-reader.js'
import type { TestEvent } from '../test-events.js'
import { slowBodyMs } from '../timing.js'

const burstSize = 20
/** The body of the slow event takes this much longer than a usual response, so that waiting for it shows. */
const slowBodyFactor = 2
/** A busy machine may delay any answer, so each of these attempts has to come too late. */
const slowBodyTries = 3
/** From this number of slow answers of `all` to one kind of event on, the machine does not explain them: half of few, or a part of many. */
const mostDelayed = (all: number) => Math.max(2, Math.min(all / 2, 5 + all / 20))

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

const isSlow = (attempt: Attempt) => attempt.result.durationMs > advisedResponseMs

/** From this part of all answers on, no machine is to blame. */
const slowShare = 1 / 4
/** A machine that delays any answer at times delays so many of one kind less often than this. */
const unlikely = 1e-4

/** The probability of at least `least` hits in `tries`, each with the probability `share`, below 1. */
function chanceOf(least: number, tries: number, share: number): number {
  let sum = 0
  let exactly = (1 - share) ** tries
  for (let hits = 0; hits <= tries; hits++) {
    if (hits >= least) sum += exactly
    exactly *= ((tries - hits) / (hits + 1)) * (share / (1 - share))
  }
  return sum
}

/** A busy machine delays few answers, of any kind of event. A receiver that is slow delays all, or many of one kind. */
function isSlowReceiver(slow: readonly Attempt[], all: readonly Attempt[]): boolean {
  if (slow.length >= slowShare * all.length) return true
  return [...new Set(slow.map(({ event }) => event.event))].some((kind) => {
    const countOf = (attempts: readonly Attempt[]) => attempts.filter(({ event }) => event.event === kind).length
    const [ofKind, slowOfKind] = [countOf(all), countOf(slow)]
    const share = (slow.length - slowOfKind) / Math.max(1, all.length - ofKind)
    return slowOfKind >= mostDelayed(ofKind) && chanceOf(slowOfKind, ofKind, share) < unlikely
  })
}

export function soon({ sender: { log } }: CheckContext): Finding {
  if (log.accepted.length === 0) return inconclusive('no event was accepted')
  const slow = log.accepted.filter(isSlow)
  const worst = slowest(log.accepted)
  const [count, limit] = [log.accepted.length, seconds(advisedResponseMs)]
  if (isSlowReceiver(slow, log.accepted))
    return fail(
      `${slow.length} of ${count} responses took longer than ${limit}, the slowest ${secondsOf(worst)}`,
      worst,
    )
  const others = slow.length === 0 ? '' : `, and ${slow.length} of ${count} longer than ${limit}`
  return pass(`the slowest took ${secondsOf(worst)}${others}`)
}

export const manyAtOnce: Check = async (context) => {
  const { log } = context.sender
  const first = await sendBurst(context)
  // Connections may be exhausted, or the machine busy, for a moment through no fault of the receiver: only a second time counts.
  const isGood = first.refused.length === 0
  const second = isGood && !first.accepted.some(isSlow) ? first : await sendBurst(context)
  const slowIn = (attempts: readonly Attempt[]) => attempts.filter(isSlow).length
  log.accepted.push(...(slowIn(first.accepted) < slowIn(second.accepted) ? first : second).accepted)
  if (isGood) return `${burstSize} accepted`
  const { length, 0: refused } = second.refused
  if (refused === undefined) return `${burstSize} accepted at the second attempt`
  return fail(`${length} of ${burstSize} were not accepted: ${describeResponse(refused)}`, refused)
}

/** A receiver that is busy may have events repeated, as the platform does after every status but 2xx. */
const asksForRepetition = ({ result: { status } }: Attempt) => status === 503 || status === 429

async function sendBurst({ sender, testEvents }: CheckContext) {
  const events: TestEvent[] = []
  for (let triesLeft = burstSize; triesLeft > 0; triesLeft--) events.push(await testEvents.createPaidCharge())
  const attempts = await Promise.all(events.map((event) => sender.sendNow(event)))
  const refused: Attempt[] = []
  for (const attempt of attempts.filter((one) => !isOk(one)))
    if (!asksForRepetition(attempt) || !(await sender.deliver(attempt.event)).accepted) refused.push(attempt)
  return { refused, accepted: attempts.filter(isOk) }
}

export const besideSlow: Check = async ({ sender, testEvents, pause, workspace: { clock } }) => {
  const usual = usualMs(sender.log.accepted)
  const bodyMs = Math.max(slowBodyMs, slowBodyFactor * usual)
  const usually = `usually after ${(usual / 1000).toFixed(1)} s`
  if (bodyMs + usual > webhookTimeouts.totalMs)
    return inconclusive(`the receiver answers too slowly for this check, ${usually}`)
  for (let triesLeft = slowBodyTries; ; triesLeft--) {
    const [slow, other] = [await testEvents.createPaidCharge(), await testEvents.createPaidCharge()]
    const restMs = clock.wall() + bodyMs
    const slowly = sender.sendNow(slow, { parting: { atByte: 20, pauseMs: bodyMs, end: 'rest' } })
    await pause(50)
    const attempt = await sender.sendNow(other)
    // The answer came before the rest of the slow body was sent. Standing still cannot make this true.
    const isBeside = clock.wall() < restMs
    await slowly
    if (isOk(attempt) && isBeside) return `response after ${secondsOf(attempt)} meanwhile, ${usually}`
    const observed = `${describeResponse(attempt)} after ${secondsOf(attempt)}, ${usually}`
    if (triesLeft === 1) return fail(`a second event, sent during the slow request: ${observed}`, attempt)
  }
}
