/** Finds the highest rate that a receiver sustains: doubles the rate until it does not, then narrows the interval. */
import { minuteMs, secondMs } from '../../../base/duration.js'
import { advisedResponseMs } from '../../../protocol/platform/limits.js'
import type { LoadReport } from '../../protocol/load.js'
import { loadLimits } from '../../protocol/load-profiles.js'
import type { CheckContext } from '../check-context.js'
import type { EventSource } from './event-source.js'
import type { LoadLog } from './load-log.js'
import { sendLoad } from './send-load.js'

type Limit = NonNullable<LoadReport['limit']>

interface LimitSearch {
  /** Rate of the first step in events a second. */
  rate: number
  stepMs: number
  /** No step ends later than this. */
  untilMs: number
  isOver(): boolean
  onStep(step: Limit['steps'][number]): void
}

const maxSteps = 14
/** The search ends when the lowest rate that failed is at most this multiple of the highest sustained one. */
const closeEnough = 1.1
/** Time in which the receiver recovers after a step with too high a rate. */
const recoveryMs = 2 * secondMs

export async function findLimit(context: CheckContext, source: EventSource, search: LimitSearch): Promise<Limit> {
  const { stepMs, untilMs, isOver } = search
  const nothing = () => {}
  const watch = { isOver, onSpan: nothing, onAcknowledged: nothing, repeats: false }
  const steps: Limit['steps'] = []
  let [highest, tooMuch]: [number | null, number | null] = [null, null]
  let rate: number | null = search.rate
  while (rate !== null && steps.length < maxSteps && context.workspace.clock.wall() + stepMs <= untilMs && !isOver()) {
    const log = await sendLoad(context, source, { rate, durationMs: stepMs, profile: 'steady' }, watch)
    if (log.stopped === 'sandbox') return { rate: highest, bounded_by: 'sandbox', steps }
    const sustained = isSustained(log, stepMs)
    const step = { rate, p95_ms: log.p95OfAll(), failed: log.failed, sustained }
    steps.push(step)
    search.onStep(step)
    if (sustained) highest = rate
    else {
      tooMuch = rate
      await context.pause(recoveryMs)
    }
    rate = nextRate(highest, tooMuch)
  }
  return { rate: highest, bounded_by: tooMuch === null ? 'sandbox' : 'receiver', steps }
}

function nextRate(highest: number | null, tooMuch: number | null): number | null {
  if (highest === null) {
    const half = (tooMuch ?? 0) / 2
    return half < loadLimits.leastRate ? null : half
  }
  if (tooMuch === null) return highest >= loadLimits.rate ? null : Math.min(loadLimits.rate, highest * 2)
  return tooMuch / highest <= closeEnough ? null : Math.round(5 * (highest + tooMuch)) / 10
}

/** Returns whether the rate is sustained. A growing queue is too much even in a short step, so growth is projected to a minute. */
function isSustained(log: LoadLog, stepMs: number): boolean {
  const p95 = log.p95OfAll()
  const quarterMs = stepMs / 4
  const growthMs = log.medianOf(stepMs - quarterMs, stepMs) - log.medianOf(0, quarterMs)
  const inAMinuteMs = (Math.max(0, growthMs) * minuteMs) / (stepMs - quarterMs)
  return p95 !== null && log.stopped === null && p95 + inAMinuteMs < advisedResponseMs
}
