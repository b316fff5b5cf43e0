/** How soon are events answered, by themselves, many at once, and beside one that arrives slowly? */
import { secondMs } from '../../../base/duration.js'
import { answerOf, type Bench, broken, type Finding, holds, type Trial } from '../bench.js'
import type { MadeEvent } from '../cast.js'
import { type Hit, isOk } from '../wire.js'

const soonMs = 2 * secondMs
const many = 20
/** How long the slow body takes, and by when an answer beside it has not waited for it. */
const slowBodyMs = 1500
const besideMs = 1000

const secondsOf = ({ result }: Hit) => `${(result.durationMs / 1000).toFixed(1)} s`
const slowest = (hits: readonly Hit[]) => hits.reduce((a, b) => (a.result.durationMs > b.result.durationMs ? a : b))

/** Where an event was never accepted, the rule that it was sent for has told so. */
export const inTime: Trial = async ({ wire: { log } }) => {
  const late = log.recovered.filter(({ result }) => result.outcome === 'timeout')
  const [first, second] = late
  if (first !== undefined && second !== undefined)
    return broken(`${late.length} events were not answered in 10 seconds at the first attempt`, first)
  return holds(`the slowest answer took ${secondsOf(slowest(log.accepted))}`)
}

/** One slow answer may be the machine's doing: it has to happen again. */
export const soon: Trial = async (bench) => {
  const { wire, cast } = bench
  const isSlow = (hit: Hit) => hit.result.durationMs > soonMs
  if (wire.log.accepted.filter(isSlow).length === 1)
    for (let left = 3; left > 0; left--) await wire.deliver(await cast.paid())
  const slow = wire.log.accepted.filter(isSlow)
  const worst = slowest(wire.log.accepted)
  if (slow.length > 1)
    return broken(
      `${slow.length} of ${wire.log.accepted.length} answers took longer, the slowest ${secondsOf(worst)}`,
      worst,
    )
  return holds(`the slowest took ${secondsOf(worst)}`)
}

export const atOnce: Trial = async (bench) => {
  const missing = await twenty(bench)
  if (missing === undefined) return holds(`${many} accepted`)
  // A moment's want of connections is not a fault of the receiver: what happens twice is.
  return (await twenty(bench)) ?? holds(`${many} accepted at the second attempt`)
}

async function twenty({ wire, cast }: Bench): Promise<Finding | undefined> {
  const events: MadeEvent[] = []
  for (let left = many; left > 0; left--) events.push(await cast.paid())
  const hits = await Promise.all(events.map((event) => wire.fireNow(event)))
  const refused = hits.filter((hit) => !isOk(hit))
  wire.log.accepted.push(...hits.filter(isOk))
  const [first] = refused
  return first === undefined
    ? undefined
    : broken(`${refused.length} of ${many} were not accepted: ${answerOf(first)}`, first)
}

export const besideSlow: Trial = async (bench) => {
  for (let left = 2; ; left--) {
    const hit = await beside(bench)
    if (isOk(hit) && hit.result.durationMs < besideMs) return holds(`answered after ${secondsOf(hit)} meanwhile`)
    if (left === 1) return broken(`the other event: ${answerOf(hit)} after ${secondsOf(hit)}`, hit)
  }
}

async function beside({ wire, cast, pause }: Bench): Promise<Hit> {
  const [slow, other] = [await cast.paid(), await cast.paid()]
  const slowly = wire.fireNow(slow, { parting: { atByte: 20, pauseMs: slowBodyMs, end: 'rest' } })
  await pause(50)
  const hit = await wire.fireNow(other)
  await slowly
  return hit
}
