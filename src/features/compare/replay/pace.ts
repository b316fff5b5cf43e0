/** The platform's clock, as its answers and webhooks show it. */

import { webhookHeaders } from '../../../inside/platform.js'
import { type Fields, fieldsIn, minuteMs, parseMoment, secondMs } from '../../../inside/values.js'
import type { Exchange } from '../har/exchange.js'
import { momentToleranceMs } from '../judge/values.js'

/** The time at which the platform says it sent the body, or else the time of the last change in it. */
export const timeStatedIn = (body: unknown): unknown => {
  const { timestamp, meta, data } = fieldsIn(body)
  return timestamp ?? fieldsIn(meta).timestamp ?? changes.map((name) => fieldsIn(data)[name]).find((at) => at != null)
}
/** Fields of `data` with the time of a change, later changes first. */
const changes = [
  'refunded_at',
  'failed_at',
  'expired_at',
  'canceled_at',
  'resolved_at',
  'responded_at',
  'confirmed_at',
  'completed_at',
  'created_at',
]
/** Whether the body says when it was sent; otherwise its times cannot be compared. */
export const statesSendTime = (body: Fields | null) =>
  body?.timestamp !== undefined || fieldsIn(body?.meta).timestamp !== undefined

export const toleranceFor = (body: Fields | null): number =>
  statesSendTime(body) ? momentToleranceMs : Number.POSITIVE_INFINITY

/** How far the platform's clock is ahead of the recorder's: the median by the `Date` of answers, or else by the headers of webhooks. */
export function skewMsOf(entries: readonly Exchange[]): number {
  const dates = entries.map(
    ({ responseHeaders, startedMs }) => Date.parse(responseHeaders.get('date') ?? '') - startedMs,
  )
  const sent = entries.map(({ headers, startedMs }) => {
    const text = headers.get(webhookHeaders.timestamp.toLowerCase()) ?? ''
    return /^\d{10}$/.test(text) ? Number(text) * secondMs - startedMs : Number.NaN
  })
  const known = [dates, sent].map((list) => list.filter((ms) => Number.isFinite(ms)).sort((one, other) => one - other))
  const skewsMs = known.find((list) => list.length > 0) ?? []
  const median = skewsMs[Math.floor(skewsMs.length / 2)] ?? 0
  // A slow answer can look like a small difference of the clocks.
  return Math.abs(median) < minuteMs ? 0 : median
}

/** Follows the times that the platform states; in between it runs like the recorder's clock. */
export class PlatformClock {
  /** How far the platform's business time is ahead of the recorder's clock; null while unknown. */
  offsetMs: number | null = null
  #lastMs = 0

  /** `skewMs` is how far the platform's real clock is ahead. Its business time can differ, if its clock is controllable. */
  constructor(readonly skewMs: number) {}

  /** Returns the platform's time at an entry; it never runs backwards. */
  advanceTo(entry: Exchange, platformTime: unknown): number {
    const saidMs = typeof platformTime === 'string' ? parseMoment(platformTime) : null
    const atMs = saidMs ?? entry.startedMs + (this.offsetMs ?? this.skewMs)
    this.#lastMs = Math.max(this.#lastMs, atMs)
    return this.#lastMs
  }

  /** Sets the clock from an answer, which shows the current time. A webhook may be late, so it does not. */
  setFrom(entry: Exchange, platformTime: unknown): void {
    const saidMs = typeof platformTime === 'string' ? parseMoment(platformTime) : null
    if (saidMs !== null) this.offsetMs = saidMs - entry.startedMs
  }
}

/** The end of a recording. */
export class RecordedEnd {
  /** When answers were received, and what the platform's clock was then. */
  readonly #answers: { startedMs: number; saidMs: number }[]

  /** `bodies` has the parsed bodies of the calls. */
  constructor(
    readonly ms: number,
    calls: readonly Exchange[],
    bodies: ReadonlyMap<Exchange, Fields | null>,
  ) {
    this.#answers = calls.flatMap((call) => {
      const body = bodies.get(call) ?? null
      const saidMs = statesSendTime(body) ? parseMoment(String(timeStatedIn(body))) : null
      return saidMs === null ? [] : [{ startedMs: call.startedMs, saidMs }]
    })
  }

  /** How long the recorder waited after a moment; if the platform's clock can be stopped, as far as its answers show that it ran. */
  waitedMs(fromMs: number, canStop: boolean): number {
    const realMs = this.ms - fromMs
    if (!canStop) return realMs
    const before = this.#answers.findLast(({ startedMs }) => startedMs <= fromMs)
    const last = this.#answers.at(-1)
    return before === undefined || last === undefined ? 0 : Math.min(realMs, last.saidMs - before.saidMs)
  }
}
