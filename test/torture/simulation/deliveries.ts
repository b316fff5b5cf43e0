/** An independent check of deliveries: every event reaches its receiver, by the documented retry schedule and within the rate limit. */
import type { Attempt } from './network.js'
import { hold } from './violation.js'

export interface Owed {
  id: string
  event: string
  url: string
  /** The object that the event is about. */
  subject: string
  bornAtMs: number
  /** A kill, a full disk or a restore has interrupted its attempts: it must arrive, but not by the retry schedule. */
  isDisturbed: boolean
  /** The event is older than a restore, so its earlier attempts are unknown. */
  isForgiven?: true
  /** A step has redelivered it, possibly during another attempt, or has changed the order of its delivery. */
  isByHand?: true
}

/** §6.3: the delays between the end of an attempt and the next attempt. */
const retryDelaysMs = [0, 1000, 5000, 30_000, 120_000, 600_000]
const perMinute = 100
/** Decision 30: a webhook over the rate limit waits this long, which does not count as an attempt. */
const deferralMs = 120_000

interface Circumstances {
  hasRates: boolean
  /** A kill may have lost the record of some attempts. */
  isDisturbed: boolean
  /** The time of the last restore; earlier attempts are unknown. */
  sinceMs: number
}

/** Requires that each event is acknowledged once or failed after six attempts. */
export function checkDeliveries(
  owed: readonly Owed[],
  attempts: readonly Attempt[],
  { hasRates, isDisturbed, sinceMs }: Circumstances,
): void {
  const byId = groups(attempts, ({ id }) => id)
  const isFull = hasRates ? fullness(attempts, sinceMs) : () => false
  for (const one of owed.filter((each) => each.isForgiven !== true)) checkOne(one, byId.get(one.id) ?? [], isFull)
  for (const events of groups(owed, ({ url, subject }) => `${url} ${subject}`).values())
    if (events.every(({ isByHand }) => isByHand !== true)) checkOrder(events.map(({ id }) => byId.get(id) ?? []))
  const known = new Set(owed.map(({ id }) => id))
  const stray = attempts.find(({ id }) => !known.has(id))
  hold(stray === undefined, () => `${stray?.event} ${stray?.id} was sent, but such an event was never emitted`)
  if (hasRates && !isDisturbed) checkRate(attempts)
}

function checkOne({ id, event, url, bornAtMs, isDisturbed }: Owed, attempts: readonly Attempt[], isFull: IsFull): void {
  const summary = () =>
    `${event} ${id} emitted at ${bornAtMs}: ${attempts.map((one) => `${one.atMs - bornAtMs}${one.isAccepted ? ' ok' : ''}`).join(', ') || 'never sent'}`
  hold(
    attempts.every((one) => one.url === url && one.event === event),
    () => `${summary()}: sent to another URL or as another event`,
  )
  const accepted = attempts.findIndex((one) => one.isAccepted)
  if (isDisturbed) {
    hold(accepted >= 0 || attempts.length >= retryDelaysMs.length, () => `${summary()}: neither delivered nor failed`)
    return
  }
  hold(accepted === -1 || accepted === attempts.length - 1, () => `${summary()}: sent again after it was acknowledged`)
  hold(
    accepted >= 0 || attempts.length === retryDelaysMs.length,
    () => `${summary()}: neither delivered nor failed after six attempts`,
  )
  let fromMs = bornAtMs
  for (const [index, { atMs }] of attempts.entries()) {
    const late = atMs - fromMs - (retryDelaysMs[index] ?? Number.NaN)
    hold(
      late >= 0 && late % deferralMs === 0,
      () => `${summary()}: attempt ${index + 1} deviates from the retry schedule by ${late} ms`,
    )
    for (let waitedMs = 0; waitedMs < late; waitedMs += deferralMs) {
      const plannedMs = fromMs + (retryDelaysMs[index] ?? 0) + waitedMs
      hold(isFull(url, plannedMs), () => `${summary()}: attempt ${index + 1} waited although the rate limit had room`)
    }
    fromMs = atMs
  }
}

function groups<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const one of list) {
    const key = keyOf(one)
    const group = found.get(key)
    if (group === undefined) found.set(key, [one])
    else group.push(one)
  }
  return found
}

/** Requires that deliveries about one object never overlap, so that the receiver gets its events in order. */
function checkOrder(events: readonly Attempt[][]): void {
  const attempts = events.flat().sort((a, b) => a.sentAs - b.sentAs)
  for (const [index, { id, sentAs }] of attempts.entries()) {
    const before = attempts[index - 1]
    const isUnanswered = before?.answeredAs === Infinity
    hold(
      before === undefined || isUnanswered || before.answeredAs < sentAs,
      () => `${id} was sent before the receiver had answered ${before?.id} about the same object`,
    )
  }
}

type IsFull = (url: string, atMs: number) => boolean

/** Returns whether the rate limit was used up in the minute before a moment. */
function fullness(attempts: readonly Attempt[], sinceMs: number): IsFull {
  const times = timesByUrl(attempts)
  return (url, atMs) =>
    atMs < sinceMs + 60_000 ||
    (times.get(url) ?? []).filter((one) => one > atMs - 60_000 && one <= atMs).length >= perMinute
}

const timesByUrl = (attempts: readonly Attempt[]): Map<string, number[]> =>
  new Map(
    [...groups(attempts, ({ url }) => url)].map(([url, list]) => [
      url,
      list.map(({ atMs }) => atMs).sort((a, b) => a - b),
    ]),
  )

/** §6.3: at most 100 webhooks in any 60 seconds, for each integration. */
function checkRate(attempts: readonly Attempt[]): void {
  for (const [url, times] of timesByUrl(attempts)) {
    for (let last = perMinute; last < times.length; last++) {
      const span = (times[last] ?? 0) - (times[last - perMinute] ?? 0)
      hold(span >= 60_000, () => `${url} got ${perMinute + 1} webhooks within ${span} ms`)
    }
  }
}
