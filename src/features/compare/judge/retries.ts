/** Compares the time between the attempts of webhooks (interface.md §6.3), of all webhooks together. */
import { seconds, webhookHeaders, webhookRetryDelaysMs } from '../../../inside/platform.js'
import { minuteMs, secondMs } from '../../../inside/values.js'
import type { Exchange } from '../har/exchange.js'
import type { RecordedEvent } from '../replay/recorded-events.js'
import type { Findings } from './findings.js'
import { documentedRetries, hasOwnClock, inSeconds, plainDifference, retryToleranceMs } from './headers.js'
import type { Scene } from './judge.js'
import type { Difference } from './values.js'

interface Retry {
  scene: Scene
  /** Of the attempt before: 0 is the first. */
  at: number
  fromMs: number
  toMs: number
  /** By the recorder's clock, and at most what the platform's clock shows: the recorder can have stood still. */
  delayMs: number
  canBeEarly: boolean
}

/** So many delays, one after the other, are not long by chance. */
const leastRetries = 3

const sentMs = ({ headers }: Exchange) => Number(headers.get(webhookHeaders.timestamp.toLowerCase())) * secondMs

export class Retries {
  readonly #all: Retry[] = []

  collect(hook: RecordedEvent, scene: Scene): void {
    for (const [at, { startedMs: fromMs, status }] of hook.attempts.entries()) {
      const [attempt, next] = hook.attempts.slice(at)
      if (attempt === undefined || next === undefined || (status >= 200 && status <= 299)) continue
      const [toMs, statedMs] = [next.startedMs, sentMs(next) - sentMs(attempt)]
      // The headers have whole seconds.
      const mostMs = statedMs > 0 ? statedMs + secondMs : Number.POSITIVE_INFINITY
      const delayMs = Math.min(toMs - fromMs, mostMs)
      this.#all.push({ scene, at, fromMs, toMs, delayMs, canBeEarly: !hasOwnClock(hook) })
    }
  }

  judge(findings: Findings, add: (difference: Difference, scene: Scene) => void): void {
    for (const [at, delayMs] of webhookRetryDelaysMs.entries()) {
      const retries = this.#all.filter((one) => one.at === at)
      const [first] = retries
      if (first === undefined) return
      const found = differenceIn(retries, at, delayMs)
      // The next delays differ for the same reason.
      if (found !== null) return void add(found, first.scene)
      findings.show({ path: 'attempts.delay', sandbox: seconds(delayMs) }, ['value'], first.scene)
    }
  }
}

/** A machine can stand still, so a platform differs only if no attempt is in time. */
function differenceIn(retries: readonly Retry[], at: number, documentedMs: number): Difference | null {
  // A recording can have more retries than a call can have arguments.
  const leastMs = retries.reduce((least, { delayMs }) => Math.min(least, delayMs), Number.POSITIVE_INFINITY)
  const mostMs = retries.reduce((most, { delayMs }) => Math.max(most, delayMs), 0)
  let [apart, untilMs] = [0, 0]
  for (const { fromMs, toMs } of retries) if (fromMs >= untilMs) [apart, untilMs] = [apart + 1, toMs]
  const toleranceMs = apart < leastRetries ? documentedMs / 2 + retryToleranceMs : Math.max(secondMs, documentedMs / 4)
  const isLate = leastMs > documentedMs + toleranceMs && leastMs < 100 * minuteMs
  const isEarly = mostMs < documentedMs * 0.75 && retries.every(({ canBeEarly }) => canBeEarly)
  if (!isLate && !isEarly) return null
  const breaks = `attempt ${at + 2} was made ${isLate ? 'later' : 'sooner'}`
  const values = [inSeconds(isLate ? leastMs : mostMs), seconds(documentedMs)] as const
  const about = { documented: documentedRetries, breaks }
  return { ...plainDifference('attempts.delay', values, about), isInEveryMessage: true }
}
