/** What is owed to receivers, worked out independently: every event reaches its own, on the documented ladder, within the rate. */
import type { Attempt } from './network.js'
import { hold } from './violation.js'

export interface Owed {
  id: string
  event: string
  url: string
  /** What it tells of. */
  subject: string
  bornAtMs: number
  /** Its attempts were cut off or undone by a kill, a full disk or a restore: it must arrive, but the ladder may be off. */
  isDisturbed: boolean
  /** It comes from before a restore: what has been sent of it is not known. */
  isForgiven?: true
  /** It was sent once more because somebody asked for it, whatever else was under way. */
  isByHand?: true
}

/** §6.3: what passes between the end of an attempt and the next. */
const ladderMs = [0, 1000, 5000, 30_000, 120_000, 600_000]
const perMinute = 100
/** Decision 30: what is over the rate waits so long, and uses up no attempt. */
const deferralMs = 120_000

interface Circumstances {
  hasRates: boolean
  /** Some of what was sent may have been forgotten by a kill. */
  isDisturbed: boolean
  /** What was sent before is not known: the state of then was brought back by a restore. */
  sinceMs: number
}

/** Everything that has been born is settled: acknowledged once, or given up after six attempts. */
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
  hold(stray === undefined, () => `${stray?.event} ${stray?.id} was sent, and no such event was ever emitted`)
  if (hasRates && !isDisturbed) checkRate(attempts)
}

function checkOne({ id, event, url, bornAtMs, isDisturbed }: Owed, attempts: readonly Attempt[], isFull: IsFull): void {
  const reported = () =>
    `${event} ${id} born ${bornAtMs}: ${attempts.map((one) => `${one.atMs - bornAtMs}${one.isAccepted ? ' ok' : ''}`).join(', ') || 'never sent'}`
  hold(
    attempts.every((one) => one.url === url && one.event === event),
    () => `${reported()}: went somewhere else`,
  )
  const accepted = attempts.findIndex((one) => one.isAccepted)
  if (isDisturbed) {
    hold(accepted >= 0 || attempts.length >= ladderMs.length, () => `${reported()}: neither delivered nor given up`)
    return
  }
  hold(accepted === -1 || accepted === attempts.length - 1, () => `${reported()}: sent again after it was acknowledged`)
  hold(
    accepted >= 0 || attempts.length === ladderMs.length,
    () => `${reported()}: neither delivered nor given up after six`,
  )
  let fromMs = bornAtMs
  for (const [index, { atMs }] of attempts.entries()) {
    const late = atMs - fromMs - (ladderMs[index] ?? Number.NaN)
    hold(
      late >= 0 && late % deferralMs === 0,
      () => `${reported()}: attempt ${index + 1} is off the ladder by ${late} ms`,
    )
    for (let waitedMs = 0; waitedMs < late; waitedMs += deferralMs) {
      const plannedMs = fromMs + (ladderMs[index] ?? 0) + waitedMs
      hold(isFull(url, plannedMs), () => `${reported()}: attempt ${index + 1} had to wait although there was room`)
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

/** Deliveries about one object never overlap: the receiver hears of one change after the other. */
function checkOrder(events: readonly Attempt[][]): void {
  const attempts = events.flat().sort((a, b) => a.sentAs - b.sentAs)
  for (const [index, { id, sentAs }] of attempts.entries()) {
    const before = attempts[index - 1]
    const isCut = before?.answeredAs === Infinity
    hold(
      before === undefined || isCut || before.answeredAs < sentAs,
      () => `${id} went out before ${before?.id} about the same object was answered`,
    )
  }
}

type IsFull = (url: string, atMs: number) => boolean

/** Whether the minute up to that moment had all the sends that it may have. */
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

/** §6.3: at most a hundred in any sixty seconds, for each integration. */
function checkRate(attempts: readonly Attempt[]): void {
  for (const [url, times] of timesByUrl(attempts)) {
    for (let last = perMinute; last < times.length; last++) {
      const span = (times[last] ?? 0) - (times[last - perMinute] ?? 0)
      hold(span >= 60_000, () => `${url} got ${perMinute + 1} webhooks within ${span} ms`)
    }
  }
}
