/** Computes the results of the rules of a load test. */

import { advisedResponseMs, attemptOutcomes, outcomeWords } from '../../../inside/platform.js'
import { secondMs } from '../../../inside/values.js'
import { type Finding, fail, inconclusive, pass } from '../receiver/check-context.js'
import { inSeconds } from '../receiver/timing.js'
import type { Effects } from './check-effects.js'
import { stopWords } from './figures.js'
import type { LoadLog } from './load-log.js'
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
  return fail(`${log.failed - log.timeouts} of ${log.attempts} attempts failed: ${kinds.join(', ')}`, log.firstFailure)
}

/** Returns a status such as `500` unchanged, and the text for any other outcome. */
export function describeFailure(reason: string): string {
  const outcome = attemptOutcomes.find((one) => one === reason)
  return outcome === undefined ? reason : outcomeWords[outcome]
}

const judgeTimeouts = ({ timeouts, attempts, firstTimeout }: LoadLog): Finding =>
  timeouts === 0 ? pass('no attempt timed out') : fail(`${timeouts} of ${attempts} attempts timed out`, firstTimeout)

function judgeTimes(log: LoadLog): Finding {
  const p95 = log.p95OfAll()
  if (p95 === null) return fail(`${log.failed} of ${log.attempts} attempts failed`)
  const observed = `95 of 100 within ${p95} ms${lateness(log)}`
  return p95 < advisedResponseMs ? pass(observed) : fail(observed)
}

/** If the sandbox postponed events by more than this, the times that it measured are too long as well. */
const lateMs = secondMs

const lateness = (log: LoadLog) =>
  log.lateMs > lateMs ? `; the sandbox itself was busy and postponed events by ${inTenths(log.lateMs)}` : ''

const inTenths = (ms: number) => inSeconds(Math.round(ms / 100) * 100)

function judgeBacklog({ events, acknowledged, oldestMs, stopped }: LoadLog): Finding {
  const open = events - acknowledged
  const oldest = `the oldest waited ${inTenths(oldestMs)}`
  const why = stopped === null ? '' : `; ${stopWords[stopped]}`
  if (open === 0 && stopped !== null) return inconclusive(stopWords[stopped])
  if (open === 0) return pass(`${events} events acknowledged; ${oldest}`)
  return fail(`${open} of ${events} events were not acknowledged; ${oldest}${why}`)
}

/** `resent` is the number of charges whose events were sent more than once. */
export function judgeEffects(
  { checked, once, missing, repeated, other }: Effects,
  firstWrong: string | null,
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
  return fail(`of ${checked} charges: ${parts.join(', ')} (${firstWrong})`)
}
