/** Compares the timing of webhooks: the first attempt of an event, and retries after failed ones (§6.3). */

import {
  seconds,
  webhookAttempts,
  webhookHeaders,
  webhookRetryDelaysMs,
  webhookTimeouts,
} from '../../../inside/platform.js'
import { minuteMs, parseMoment, secondMs } from '../../../inside/values.js'
import { plainDifference } from '../judge/headers.js'
import type { Difference } from '../judge/values.js'
import type { RecordedEvent } from './recorded-events.js'

/** Tolerance for the network and for a busy receiver. */
const firstToleranceMs = 30 * secondMs
const retryToleranceMs = 3 * secondMs

const documented = `retries after ${webhookRetryDelaysMs.map(seconds).join(', ')}, at most ${webhookAttempts} attempts`

const rounded = (ms: number) => seconds(Math.round(ms / 100) * 100)

/** `offsetMs` is how far the platform's clock is ahead of the recorder's, by the last answer. */
export function delayDifference(
  { attempts: [first], body }: RecordedEvent,
  offsetMs: number | null,
): Difference | null {
  const atMs = typeof body?.timestamp === 'string' ? parseMoment(body.timestamp) : null
  if (atMs === null || offsetMs === null) return null
  const delayMs = first.startedMs + offsetMs - atMs
  if (delayMs <= firstToleranceMs) return null
  const about = {
    documented: 'the first attempt is made at the event',
    breaks: `it was made after ${rounded(delayMs)}`,
  }
  return plainDifference('delay', [rounded(delayMs), 'at once'], about)
}

/** On a manual clock, a sandbox retries sooner than real time suggests. */
const hasOwnClock = ({ attempts: [first] }: RecordedEvent) => first.headers.has(webhookHeaders.sandbox.toLowerCase())

/** `endMs` is when the recording ends. */
export function attemptDifferences(hook: RecordedEvent, endMs: number): Difference[] {
  const { attempts } = hook
  const found: Difference[] = []
  const [first] = attempts
  const id = webhookHeaders.id.toLowerCase()
  if (attempts.some(({ body }) => body !== first.body))
    found.push(plainDifference('attempts.body', ['changes', 'stays the same']))
  if (attempts.some(({ headers }) => headers.get(id) !== first.headers.get(id)))
    found.push(plainDifference('attempts.id', ['changes', 'stays the same']))
  const failures = attempts.filter(({ status }) => status < 200 || status > 299)
  if (failures.length >= webhookAttempts && attempts.length > webhookAttempts)
    found.push(
      plainDifference('attempts.count', [attempts.length, webhookAttempts], {
        documented,
        breaks: 'the platform makes more attempts',
      }),
    )
  for (const [at, attempt] of attempts.entries()) {
    const next = attempts[at + 1]
    const delayMs = webhookRetryDelaysMs[at]
    if (delayMs === undefined || (attempt.status >= 200 && attempt.status <= 299)) continue
    if (next === undefined) {
      const dueMs = attempt.startedMs + webhookTimeouts.totalMs + delayMs * 1.5 + retryToleranceMs
      const about = { documented, breaks: `attempt ${at + 2} was not made` }
      if (endMs > dueMs && !hasOwnClock(hook))
        found.push(plainDifference('attempts.count', [attempts.length, webhookAttempts], about))
      break
    }
    const actualMs = next.startedMs - attempt.startedMs
    const isLate = actualMs > delayMs * 1.5 + retryToleranceMs && actualMs < 100 * minuteMs
    const isEarly = actualMs < delayMs * 0.75 && !hasOwnClock(hook)
    if (!isLate && !isEarly) continue
    const values = [rounded(actualMs), seconds(delayMs)] as const
    found.push(
      plainDifference('attempts.delay', values, {
        documented,
        breaks: `attempt ${at + 2} was made ${isLate ? 'later' : 'sooner'}`,
      }),
    )
    break
  }
  return found
}
