/** Derives the platform's time from its answers and webhooks. */

import { webhookHeaders } from '../../../inside/platform.js'
import { type Fields, fieldsIn, minuteMs, parseMoment, secondMs } from '../../../inside/values.js'
import type { Exchange } from '../har/exchange.js'
import { momentToleranceMs } from '../judge/values.js'

/** When the platform sent the body; without that, the newest change that it reports. */
export const timeIn = (body: unknown): unknown => {
  const { timestamp, meta, data } = fieldsIn(body)
  return timestamp ?? fieldsIn(meta).timestamp ?? changes.map((name) => fieldsIn(data)[name]).find((at) => at != null)
}
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
/** Whether the body says when it was sent; otherwise its moments cannot be compared. */
export const isTimed = (body: Fields | null) =>
  body?.timestamp !== undefined || fieldsIn(body?.meta).timestamp !== undefined

export const toleranceFor = (body: Fields | null): number =>
  isTimed(body) ? momentToleranceMs : Number.POSITIVE_INFINITY

/** How far the platform's clock is ahead of the recorder's: the median over `Date`, otherwise over the webhooks' headers. */
export function skewOf(entries: readonly Exchange[]): number {
  const dates = entries.map(
    ({ responseHeaders, startedMs }) => Date.parse(responseHeaders.get('date') ?? '') - startedMs,
  )
  const sent = entries.map(({ headers, startedMs }) => {
    const text = headers.get(webhookHeaders.timestamp.toLowerCase()) ?? ''
    return /^\d{10}$/.test(text) ? Number(text) * secondMs - startedMs : Number.NaN
  })
  const known = [dates, sent].map((list) => list.filter((ms) => Number.isFinite(ms)).sort((one, other) => one - other))
  const best = known.find((list) => list.length > 0) ?? []
  const median = best[Math.floor(best.length / 2)] ?? 0
  // A slow answer is no skew.
  return Math.abs(median) < minuteMs ? 0 : median
}

/** Reads the platform's clock from its messages; in between it follows the recorder's clock. */
export class Pace {
  /** How far the platform's clock is ahead of the recorder's; null while unknown. */
  offsetMs: number | null = null
  #lastMs = 0

  /** `skewMs` is the same for the real clocks, which a controllable clock of the platform does not change. */
  constructor(readonly skewMs: number) {}

  /** The time of an entry, never before an earlier entry's. */
  next(entry: Exchange, platformTime: unknown): number {
    const saidMs = typeof platformTime === 'string' ? parseMoment(platformTime) : null
    const atMs = saidMs ?? entry.startedMs + (this.offsetMs ?? this.skewMs)
    this.#lastMs = Math.max(this.#lastMs, atMs)
    return this.#lastMs
  }

  /** Only an answer shows the current time; a webhook may be late. */
  learn(entry: Exchange, platformTime: unknown): void {
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
      const saidMs = isTimed(body) ? parseMoment(String(timeIn(body))) : null
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
