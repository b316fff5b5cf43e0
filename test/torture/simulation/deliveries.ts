/** What is owed to receivers, worked out independently: every event reaches its own, on the documented ladder, within the rate. */
import type { Attempt } from './network.js'
import { hold } from './violation.js'

export interface Owed {
  id: string
  event: string
  url: string
  bornAtMs: number
  /** Its attempts were cut off or undone by a kill, a full disk or a restore: it must arrive, but the ladder may be off. */
  isDisturbed: boolean
  /** It comes from before a restore: what has been sent of it is not known. */
  isForgiven?: true
}

/** §6.3: what passes between the end of an attempt and the next. */
const ladderMs = [0, 1000, 5000, 30_000, 120_000, 600_000]
const perMinute = 100
/** Decision 30: what is over the rate waits so long, and uses up no attempt. */
const deferralMs = 120_000

/** Everything that has been born is settled: acknowledged once, or given up after six attempts. */
export function checkDeliveries(owed: readonly Owed[], attempts: readonly Attempt[], isWindowKept: boolean): void {
  const byId = new Map<string, Attempt[]>()
  for (const attempt of attempts) byId.set(attempt.id, [...(byId.get(attempt.id) ?? []), attempt])
  for (const one of owed.filter((each) => each.isForgiven !== true)) checkOne(one, byId.get(one.id) ?? [])
  const known = new Set(owed.map(({ id }) => id))
  const stray = attempts.find(({ id }) => !known.has(id))
  hold(stray === undefined, () => `${stray?.event} ${stray?.id} was sent, and no such event was ever emitted`)
  if (isWindowKept) checkRate(attempts)
}

function checkOne({ id, event, url, bornAtMs, isDisturbed }: Owed, attempts: readonly Attempt[]): void {
  const told = () =>
    `${event} ${id} born ${bornAtMs}: ${attempts.map((one) => `${one.atMs - bornAtMs}${one.isAccepted ? ' ok' : ''}`).join(', ') || 'never sent'}`
  hold(
    attempts.every((one) => one.url === url && one.event === event),
    () => `${told()}: went somewhere else`,
  )
  const accepted = attempts.findIndex((one) => one.isAccepted)
  if (isDisturbed) {
    hold(accepted >= 0 || attempts.length >= ladderMs.length, () => `${told()}: neither delivered nor given up`)
    return
  }
  hold(accepted === -1 || accepted === attempts.length - 1, () => `${told()}: sent again after it was acknowledged`)
  hold(
    accepted >= 0 || attempts.length === ladderMs.length,
    () => `${told()}: neither delivered nor given up after six`,
  )
  let fromMs = bornAtMs
  for (const [index, { atMs }] of attempts.entries()) {
    const late = atMs - fromMs - (ladderMs[index] ?? Number.NaN)
    hold(late >= 0 && late % deferralMs === 0, () => `${told()}: attempt ${index + 1} is off the ladder by ${late} ms`)
    fromMs = atMs
  }
}

/** §6.3: at most a hundred in any sixty seconds, for each integration. */
function checkRate(attempts: readonly Attempt[]): void {
  const byUrl = new Map<string, number[]>()
  for (const { url, atMs } of attempts) byUrl.set(url, [...(byUrl.get(url) ?? []), atMs])
  for (const [url, times] of byUrl) {
    times.sort((a, b) => a - b)
    for (let last = perMinute; last < times.length; last++) {
      const span = (times[last] ?? 0) - (times[last - perMinute] ?? 0)
      hold(span >= 60_000, () => `${url} got ${perMinute + 1} webhooks within ${span} ms`)
    }
  }
}
