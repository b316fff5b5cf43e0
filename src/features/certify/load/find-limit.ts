/** Finds the highest rate that a receiver sustains: doubles the rate until it does not, then narrows the interval. */

import { advisedResponseMs, webhookTimeouts } from '../../../inside/platform.js'
import { minuteMs, secondMs } from '../../../inside/values.js'
import type { CheckContext, Progress } from '../receiver/check-context.js'
import { type Attempt, isOk } from '../receiver/event-sender.js'
import { type Finding, fail, inconclusive, pass } from '../report/rules.js'
import type { EventSource } from './event-source.js'
import type { LoadLog } from './load-log.js'
import { formatRate, loadLimits } from './profiles.js'
import type { LoadOptions, LoadReport } from './report.js'
import { sendLoad } from './send-load.js'

type Limit = NonNullable<LoadReport['limit']>

/** A step of the search takes this share of the load's time, within these limits: a short one does not show a queue that grows. */
const stepShare = 1 / 6
const stepLimitsMs = { least: 1000, most: 10_000 } as const
const maxSteps = 20
/** The search ends when the lowest rate that failed is at most this multiple of the highest sustained one. */
const closeEnough = 1.1
/** A rate that is tried again is tried for longer: what the receiver had saved up is used then. */
const repeatedFor = 2
/** A rate whose two steps contradict each other is tried a third time. */
const decidingSteps = 3
/** Longest wait for a receiver that works off its queue and for one that rejects events, and the pause between the attempts. */
const recovery = { queueMs: 2 * minuteMs, rejectionMs: webhookTimeouts.totalMs, pauseMs: 2 * secondMs } as const

/**
 * The limit, and whether the receiver still answers after the steps that were too much. No step ends later than `endMs`;
 * `acknowledged` is the number of events that the receiver acknowledged before the search; `failing` are those that it never accepts, which say nothing about a rate.
 */
export async function findLimit(
  context: CheckContext,
  source: EventSource,
  load: LoadOptions,
  { isCanceled, onLoad }: Progress,
  before: { endMs: number; acknowledged: number; failing: readonly string[] },
): Promise<{ limit: Limit; finding: Finding }> {
  const { endMs, failing: ignored } = before
  const stepMs = Math.min(stepLimitsMs.most, Math.max(stepLimitsMs.least, Math.round(load.durationMs * stepShare)))
  const { clock } = context.workspace
  const steps: Limit['steps'] = []
  let { acknowledged } = before
  const result = (bounded_by: Limit['bounded_by'], finding: Finding) => {
    const { highest } = boundsOf(steps)
    return { limit: { rate: highest, bounded_by, steps }, finding }
  }
  /** Waits for the receiver; the failure if it does not answer any more. */
  const failure = async (rate: number): Promise<Finding | null> => {
    const silent = await attemptWithoutAnswer(context, source, isCanceled)
    const count = Number(acknowledged.toPrecision(2)).toLocaleString('en-US')
    const observed = `the receiver accepted no event any more after about ${count} events at ${formatRate(rate)}`
    return silent === null ? null : fail(observed, silent)
  }
  let stopped = await failure(load.rate)
  for (let rate = nextRate(steps, load.rate); rate !== null; rate = nextRate(steps, load.rate)) {
    const durationMs = steps.some((step) => step.rate === rate) ? repeatedFor * stepMs : stepMs
    if (stopped !== null || steps.length >= maxSteps || clock.wall() + durationMs > endMs || isCanceled()) break
    const log = await sendLoad(
      context,
      source,
      { rate, durationMs, profile: 'steady' },
      { isCanceled, ignored, resends: false },
    )
    acknowledged += log.acknowledged
    if (log.stopped === 'sandbox') return result('sandbox', answersAfter(steps))
    const step = { rate, p95_ms: log.p95OfAll(), failed: log.failed, sustained: isSustained(log, durationMs) }
    steps.push(step)
    onLoad?.({ step })
    if (!step.sustained) stopped = await failure(rate)
  }
  const isBounded = stopped !== null || boundsOf(steps).tooMuch !== null
  return result(isBounded ? 'receiver' : 'sandbox', stopped ?? answersAfter(steps))
}

const answersAfter = (steps: Limit['steps']): Finding => {
  const failed = steps.filter(({ sustained }) => !sustained).length
  if (steps.length === 0) return inconclusive('no time was left for the search')
  return pass(failed === 0 ? 'no rate was too much' : `it answered again after ${failed} steps that were too much`)
}

/** Waits until the receiver answers in time. Returns the last attempt if it accepts no event any more, otherwise null. */
async function attemptWithoutAnswer(
  { workspace: { clock }, sender, pause }: CheckContext,
  source: EventSource,
  isCanceled: () => boolean,
): Promise<Attempt | null> {
  const startMs = clock.wall()
  for (let isAlive = false; ; ) {
    const attempt = await sender.sendNow((await source.next()).event)
    isAlive ||= isOk(attempt)
    const isQuick = isOk(attempt) && attempt.result.durationMs < advisedResponseMs
    // An event that is answered late, or not in time, waits in a queue.
    const isQueued = isOk(attempt) || attempt.result.outcome === 'timeout'
    const isLate = clock.wall() - startMs >= (isQueued ? recovery.queueMs : recovery.rejectionMs)
    if (isQuick || isCanceled() || isLate) return isAlive || isCanceled() ? null : attempt
    await pause(recovery.pauseMs)
  }
}

/** The highest sustained rate and the lowest rate that was too much, by the majority of the steps at each rate. */
function boundsOf(steps: Limit['steps']) {
  const balance = new Map<number, number>()
  for (const { rate, sustained } of steps) balance.set(rate, (balance.get(rate) ?? 0) + (sustained ? 1 : -1))
  const sustained = [...balance].flatMap(([rate, votes]) => (votes > 0 ? rate : []))
  const highest = sustained.length === 0 ? null : Math.max(...sustained)
  const above = [...balance].flatMap(([rate, votes]) => (votes < 0 && rate > (highest ?? 0) ? rate : []))
  return { highest, tooMuch: above.length === 0 ? null : Math.min(...above) }
}

/** The rate of the next step; null when the limit is known. One bad moment does not decide: both bounds are tried twice. */
function nextRate(steps: Limit['steps'], first: number): number | null {
  const { highest, tooMuch } = boundsOf(steps)
  const contradicted = steps.find(({ rate }) => isContradicted(steps, rate))
  if (contradicted !== undefined) return contradicted.rate
  if (highest === null) {
    if (tooMuch === null) return first
    const half = tooMuch / 2
    return half < loadLimits.leastRate ? null : half
  }
  if (tooMuch === null) return highest >= loadLimits.rate ? null : Math.min(loadLimits.rate, highest * 2)
  if (tooMuch / highest > closeEnough) return Math.round(5 * (highest + tooMuch)) / 10
  return [tooMuch, highest].find((rate) => steps.filter((step) => step.rate === rate).length === 1) ?? null
}

/** Whether some steps at this rate were sustained and as many were not. */
function isContradicted(steps: Limit['steps'], rate: number): boolean {
  const own = steps.filter((step) => step.rate === rate)
  return own.length < decidingSteps && 2 * own.filter(({ sustained }) => sustained).length === own.length
}

/** Share of the attempts that may fail or be late at a sustained rate. */
const lateShare = 0.05

/**
 * Returns whether the rate is sustained, in the whole step and in its second half, in which a supply that had been saved up
 * is used. A growing queue is too much even in a short step, so growth is projected to a minute. The quickest tenth of each
 * half shows the growth: a receiver that pauses at times works off its queue between the pauses.
 */
function isSustained(log: LoadLog, stepMs: number): boolean {
  const p95 = log.p95OfAll()
  const halfMs = stepMs / 2
  const growthMs = log.percentileOf(halfMs, stepMs, 0.1) - log.percentileOf(0, halfMs, 0.1)
  const inAMinuteMs = (Math.max(0, growthMs) * minuteMs) / halfMs
  const isSteady = log.failedShareOf(halfMs, stepMs) <= lateShare
  return p95 !== null && log.stopped === null && isSteady && p95 + inAMinuteMs < advisedResponseMs
}
