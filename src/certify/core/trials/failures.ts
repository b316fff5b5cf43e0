/** What becomes of an event after an attempt that failed, after a long absence, and after a crash? */
import {
  answerOf,
  type Bench,
  broken,
  type Finding,
  holds,
  noEffects,
  notAccepted,
  type Trial,
  unseen,
  type Wanted,
  wrongEffect,
} from '../bench.js'
import { isOk } from '../wire.js'

export const late: Trial = async (bench) => {
  const { lone, confirmed, refunded } = bench.missed
  for (const event of [lone, confirmed, refunded]) {
    const refusal = await notAccepted(bench, event, `${event.event} of an hour ago`)
    if (refusal !== undefined) return refusal
  }
  if (bench.effects === null) return noEffects('accepted')
  const wrong = await wrongEffect(bench, [
    { event: lone, credited: 'once', what: 'a charge paid an hour ago' },
    { event: confirmed, credited: 'nothing', what: 'a charge paid and refunded an hour ago' },
  ])
  return wrong ?? holds('accepted, with their effects')
}

/** Failures of the receiver itself come by chance: whatever it recovered from during the whole run is followed. */
export const afterFailure: Trial = async (bench) => {
  const { wire, cast, effects } = bench
  const event = await cast.paid()
  const half = Math.floor(new TextEncoder().encode(event.body).length / 2)
  await wire.fire(event, { parting: { atByte: half, pauseMs: 5, end: 'break' } })
  const refusal = await notAccepted(bench, event, 'an event after the connection broke in its middle')
  if (refusal !== undefined) return refusal
  if (effects === null) return noEffects('accepted after a connection that broke')
  const own = wire.log.recovered.filter((hit) => hit.event.event === 'cashin.confirmed').slice(0, 20)
  const wishes: Wanted[] = own.map((hit) => ({
    event: hit.event,
    credited: 'once',
    what: `an event whose first attempt was ${answerOf(hit)}`,
  }))
  const wrong = await lost(bench, [
    { event, credited: 'once', what: 'an event after the connection broke in its middle' },
    ...wishes,
  ])
  const seen = own.length === 0 ? '' : `, ${own.length} after failures of the receiver itself`
  return wrong ?? holds(`credited once${seen}`)
}

/** Elsewhere an event that failed at first explains a missing effect; here it is the very thing that is looked for. */
async function lost(bench: Bench, wishes: readonly Wanted[]): Promise<Finding | undefined> {
  const wrong = await wrongEffect(bench, wishes)
  return wrong?.result === 'unseen' ? broken(wrong.seen) : wrong
}

export const restart: Trial = async (bench) => {
  const { wire, cast, effects, options, ws } = bench
  if (options.restart === null) return unseen('needs a command or URL that restarts the receiver')
  if (effects === null) return noEffects('not tried')
  const event = await cast.paid()
  const refusal = await notAccepted(bench, event, 'an event')
  if (refusal !== undefined) return refusal
  const restarted = await ws.send({ url: options.restart, headers: { 'content-length': '0' }, body: '' })
  if (!['ok', 'http_error'].includes(restarted.outcome) || (restarted.status ?? 0) >= 300)
    return unseen(`the receiver could not be restarted: ${restarted.status ?? restarted.outcome}`)
  if (!(await isBack(bench))) return broken('after the restart no event was accepted for 10 seconds')
  const survived = await wrongEffect(bench, [{ event, credited: 'once', what: 'accepted right before the restart' }])
  if (survived !== undefined) return survived
  await wire.fire(event)
  const twice = await wrongEffect(bench, [{ event, credited: 'once', what: 'sent again after the restart' }])
  return twice ?? holds('credited once, before and after')
}

async function isBack({ wire, cast, pause }: Bench): Promise<boolean> {
  const event = await cast.paid()
  for (let left = 50; left > 0; left--) {
    if (isOk(await wire.fire(event))) return true
    await pause(200)
  }
  return false
}
