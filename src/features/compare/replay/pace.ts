/** The platform's clock, as the platform's responses and webhooks show it. */

import { webhookHeaders } from '../../../inside/platform.js'
import { type Fields, fieldsIn, minuteMs, parseMoment, secondMs } from '../../../inside/values.js'
import type { Exchange } from '../har/exchange.js'
import { type Entry, isCall } from '../har/recording.js'
import { momentToleranceMs } from '../judge/values.js'

/** Fields of `data` with the time of a change, later changes first. */
const timeKeys =
  'refunded_at failed_at expired_at canceled_at resolved_at responded_at confirmed_at completed_at created_at'.split(
    ' ',
  )
/** The time at which the platform says it sent the body, or else the time of the last change in the body. */
export function statedMsIn(body: unknown): number | null {
  const { timestamp, meta, data } = fieldsIn(body)
  const stated =
    timestamp ?? fieldsIn(meta).timestamp ?? timeKeys.map((name) => fieldsIn(data)[name]).find((at) => at != null)
  return typeof stated === 'string' ? parseMoment(stated) : null
}
/** Whether the body states when it was sent. The times in other bodies cannot be compared. */
const statesSendTime = (body: Fields | null) =>
  body?.timestamp !== undefined || fieldsIn(body?.meta).timestamp !== undefined
/** The time at which the body says it was sent; null if it does not say so. */
export const sentMsIn = (body: Fields | null): number | null => (statesSendTime(body) ? statedMsIn(body) : null)
/** In milliseconds: how far two times may differ and still count as equal. */
export const toleranceFor = (body: Fields | null): number =>
  statesSendTime(body) ? momentToleranceMs : Number.POSITIVE_INFINITY

/** How far the platform's clock is ahead of the recorder's clock: the median over the `Date` headers of responses, or if there is none, over the timestamp headers of webhooks. */
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
  // A slow response can look like a small difference of the clocks.
  return Math.abs(median) < minuteMs ? 0 : median
}

/** How far the platform's business time is ahead of the recorder's clock at the first response that states it; null if none does. */
export function firstOffsetMs(entries: readonly Entry[], bodies: ReadonlyMap<Entry, Fields | null>): number | null {
  for (const entry of entries) {
    const sentMs = isCall(entry) ? sentMsIn(bodies.get(entry) ?? null) : null
    if (sentMs !== null) return sentMs - entry.startedMs
  }
  return null
}

/** For each entry, the time that the next response after it states. */
export function nextStatedMs(
  entries: readonly Entry[],
  bodies: ReadonlyMap<Entry, Fields | null>,
): ReadonlyMap<Exchange, number> {
  const next = new Map<Exchange, number>()
  let nextMs: number | null = null
  for (const entry of entries.toReversed()) {
    if (nextMs !== null) next.set(entry, nextMs)
    if (isCall(entry)) nextMs = sentMsIn(bodies.get(entry) ?? null) ?? nextMs
  }
  return next
}

/** Follows the times that the platform states. Between two of these times, it runs like the recorder's clock, but not past the second, because it may stand still. */
export class PlatformClock {
  /** How far the platform's business time is ahead of the recorder's clock; null before the first response that states it. */
  offsetMs: number | null = null
  #lastMs = 0

  /**
   * `skewMs`: how far the platform's real clock is ahead of the recorder's clock.
   * `firstOffsetMs`: how far its business time is ahead at first. It differs on a platform with a controllable clock.
   */
  constructor(
    readonly skewMs: number,
    private readonly firstOffsetMs: number,
    private readonly nextMs: ReadonlyMap<Exchange, number>,
  ) {}

  /** Returns the platform's business time at an entry. The returned times never decrease. */
  advanceTo(entry: Exchange, statedMs: number | null): number {
    this.#lastMs = Math.max(this.#lastMs, statedMs ?? this.#unstatedMs(entry))
    return this.#lastMs
  }

  #unstatedMs(entry: Exchange): number {
    const atMs = entry.startedMs + (this.offsetMs ?? this.firstOffsetMs)
    const nextMs = this.nextMs.get(entry) ?? atMs
    // A time before the last one is wrong, and says nothing.
    return nextMs < this.#lastMs ? atMs : Math.min(atMs, nextMs)
  }

  /** Sets the clock from a response, which states the current time. Webhooks do not set the clock, because a webhook can arrive late. */
  setFrom(entry: Exchange, statedMs: number | null): void {
    if (statedMs !== null) this.offsetMs = statedMs - entry.startedMs
  }
}

/** The end of a recording. */
export class RecordedEnd {
  /** For each response that states its time: the start of the call by the recorder's clock, and the stated time. */
  readonly #responses: { startedMs: number; statedMs: number }[]

  /** `bodies` has the parsed response bodies of the calls. */
  constructor(
    readonly endMs: number,
    calls: readonly Exchange[],
    bodies: ReadonlyMap<Exchange, Fields | null>,
  ) {
    this.#responses = calls.flatMap((call) => {
      const statedMs = sentMsIn(bodies.get(call) ?? null)
      return statedMs === null ? [] : [{ startedMs: call.startedMs, statedMs }]
    })
  }

  /** Returns how long the recording goes on after `fromMs`. If the platform's clock can stop, at most the time by which it advanced until the last response. */
  waitedMs(fromMs: number, canStop: boolean): number {
    const realMs = this.endMs - fromMs
    if (!canStop) return realMs
    const before = this.#responses.findLast(({ startedMs }) => startedMs <= fromMs)
    const last = this.#responses.at(-1)
    return before === undefined || last === undefined ? 0 : Math.min(realMs, last.statedMs - before.statedMs)
  }
}
