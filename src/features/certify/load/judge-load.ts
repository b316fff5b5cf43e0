/** Computes the results of the rules of a load test. */
import { advisedResponseMs } from '../../../inside/platform.js'
import { secondMs } from '../../../inside/values.js'
import { withoutStateUrl } from '../receiver/check-context.js'
import { receiverRules } from '../receiver/rules.js'
import { expectedCreditsOf, type StateReader, StateUnavailable } from '../receiver/state-reader.js'
import type { TestEvent } from '../receiver/test-events.js'
import { inSeconds } from '../receiver/timing.js'
import { type Finding, fail, inconclusive, pass } from '../report/rules.js'
import type { LoadEvent } from './event-source.js'
import { describeFailure } from './figures.js'
import type { LoadLog } from './load-log.js'
import { formatRate, stopWords } from './profiles.js'
import type { LoadReport } from './report.js'
import type { LoadRule } from './rules.js'

type Judged = Exclude<LoadRule, 'accept.signed' | 'load.once' | 'load.recovers'>

export const judgeLoad = (log: LoadLog): Record<Judged, Finding> => ({
  'load.accepted': judgeAnswers(log),
  'load.in-time': judgeTimeouts(log),
  'load.soon': judgeTimes(log),
  'load.keeps-up': judgeBacklog(log),
})

function judgeAnswers(log: LoadLog): Finding {
  const others = log.failures().filter(({ reason }) => reason !== 'timeout')
  if (log.firstFailure === undefined) return pass(`${log.attempts - log.failed} answers, all with 2xx`)
  const kinds = others.map(({ reason, count }) => `${count} × ${describeFailure(reason)}`)
  const share = `${log.failed - log.timeouts} of ${log.attempts} attempts failed`
  return fail(`${share}: ${kinds.join(', ')}; ${describeEvents(log)}`, log.firstFailure)
}

/** Number of events that are named. */
const maxNamed = 3

/** Says which events failed; if only their kind matters, that the rate does not. */
function describeEvents(log: LoadLog): string {
  const found = log.failedEvents()
  const left = found.length - maxNamed
  const others = left > 0 ? `, and ${left} other ${left === 1 ? 'kind' : 'kinds'} of events` : ''
  const named = found.slice(0, maxNamed).map(({ event, failed, attempts }) => `${failed} of ${attempts} ${event}`)
  const where = `${named.join(', ')}${others}`
  if (log.eventsThatAlwaysFail().length > 0) return `${where}: all of these and no others, so the rate is not the cause`
  const { rate, afterMs } = log.firstFailed()
  return `${where}; the first after about ${inTenths(afterMs)}, at ${formatRate(rate)}`
}

const judgeTimeouts = ({ timeouts, attempts, firstTimeout }: LoadLog): Finding =>
  timeouts === 0 ? pass('no attempt timed out') : fail(`${timeouts} of ${attempts} attempts timed out`, firstTimeout)

function judgeTimes(log: LoadLog): Finding {
  const p95 = log.p95OfAnswers()
  if (p95 === null) return fail('more than 5 of 100 attempts got no answer')
  const observed = `95 of 100 within ${p95} ms`
  if (p95 < advisedResponseMs) return pass(observed)
  if (log.lateMs <= mostLateMs) return fail(observed)
  return inconclusive(`${observed}; the sandbox itself was busy and postponed events by ${inTenths(log.lateMs)}`)
}

/** If the sandbox postponed events by more than this, the times that it measured are too long as well. */
const mostLateMs = secondMs

const inTenths = (ms: number) => inSeconds(Math.round(ms / 100) * 100)

function judgeBacklog(log: LoadLog): Finding {
  const { events, acknowledged, oldestMs, stopped } = log
  const open = events - acknowledged
  const oldest = `the oldest waited ${inTenths(oldestMs)}`
  const why = stopped === null ? '' : `; ${stopWords[stopped]}`
  if (open === 0 && stopped !== null) return inconclusive(stopWords[stopped])
  if (open === 0) return pass(`${events} events acknowledged; ${oldest}`)
  const observed = `${open} of ${events} events were not acknowledged; ${oldest}${why}`
  const isSlow = log.timeouts > 0 || stopped === 'receiver'
  // The fix of the rule is about a receiver that is too slow.
  return isSlow ? fail(observed) : fail(`${observed}; ${describeEvents(log)}`, undefined, fixOfRefusals(log))
}

function fixOfRefusals(log: LoadLog): string {
  const kinds = log.failures().map(({ reason }) => describeFailure(reason))
  const events = log.eventsThatAlwaysFail().join(', ')
  return `Read the log of the receiver to see why ${events === '' ? 'these attempts' : events} failed (${kinds.join(', ')}). The receiver does not answer too slowly.`
}

/** `resent` is the number of charges whose events were sent more than once. */
function judgeEffects(
  { checked, once, missing, repeated, other }: Effects,
  firstWrong: string,
  resent: number,
): Finding {
  if (checked === 0) return inconclusive('no charge was acknowledged')
  if (checked === once && resent === 0)
    return inconclusive(`${checked} charges were read, but none was sent twice; use a longer load`)
  if (checked === once) return pass(`${checked} charges were read, each credited once`)
  const wrong = [
    [missing, 'not credited'],
    [repeated, 'credited more than once'],
    [other, 'credited with another amount'],
  ] as const
  const parts = wrong.flatMap(([count, what]) => (count === 0 ? [] : `${count} ${what}`))
  // The fix of the rule is about what was credited more than once.
  const fix = missing > 0 ? receiverRules['effect.applied'].fix : receiverRules['amounts.exact'].fix
  const observed = `of ${checked} charges: ${parts.join(', ')} (${firstWrong})`
  return fail(observed, undefined, repeated > 0 ? undefined : fix)
}

type Effects = NonNullable<LoadReport['effects']>
type Effect = Exclude<keyof Effects, 'checked'>

/** Largest number of charges to read, of those whose events were sent more than once and of the others. */
const maxOfEach = 100
const readAtATime = 8
/** Number of wrong charges after which reading stops: the result is clear, and each takes three seconds. */
const maxWrong = 16

export class EffectSample {
  readonly #repeated: TestEvent[] = []
  #others: TestEvent[] = []
  #count = 0
  #every = 1

  add({ event, isPlainCharge }: LoadEvent, attempts: number): void {
    if (!isPlainCharge) return
    if (attempts > 1 && this.#repeated.length < maxOfEach) this.#repeated.push(event)
    else if (this.#count++ % this.#every === 0) this.#others.push(event)
    if (this.#others.length <= 2 * maxOfEach) return
    // Keeps a sample of the whole load, however long the load is.
    this.#others = this.#others.filter((_, at) => at % 2 === 0)
    this.#every *= 2
  }

  /** Reads the charges, and judges their credits. */
  async judge(stateReader: StateReader | null): Promise<{ effects: Effects | null; finding: Finding }> {
    if (stateReader === null) return { effects: null, finding: withoutStateUrl('not tested') }
    const effects: Effects = { checked: 0, once: 0, missing: 0, repeated: 0, other: 0 }
    const unread = [...this.#repeated, ...this.#others.slice(0, maxOfEach)]
    let firstWrong = ''
    const readAll = async () => {
      for (let event = unread.shift(); event !== undefined; event = unread.shift()) {
        if (effects.checked - effects.once >= maxWrong) return
        const expected = expectedCreditsOf(event.data)
        const state = await stateReader.waitFor(event.transactionId, ({ creditedParts }) =>
          expected.includes(creditedParts),
        )
        const effect = effectOf(state.creditedParts, expected)
        effects.checked++
        effects[effect]++
        if (effect !== 'once')
          firstWrong ||= `${event.transactionId}: credited ${state.credited} instead of ${String(event.data.amount)}`
      }
    }
    try {
      await Promise.all(Array.from({ length: readAtATime }, readAll))
    } catch (error) {
      if (error instanceof StateUnavailable) return { effects: null, finding: inconclusive(error.message) }
      throw error
    }
    return { effects, finding: judgeEffects(effects, firstWrong, this.#repeated.length) }
  }
}

function effectOf(credited: bigint, expected: readonly bigint[]): Effect {
  if (expected.includes(credited)) return 'once'
  if (credited <= 0n) return 'missing'
  return expected.some((once) => once > 0n && credited % once === 0n) ? 'repeated' : 'other'
}
