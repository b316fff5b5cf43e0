/** Does the time of an attempt count, as far as it should and no further? */
import { answerOf, type Bench, broken, type Finding, holds, type Trial } from '../bench.js'
import { isOk, type Shot } from '../wire.js'
import { refused } from './signatures.js'

/**
 * Seconds before the call, in a header of whole seconds: a receiver that reads its clock in fractions,
 * and gets the call a moment later, must come to the same side.
 */
const ages = { tooOld: 301, tooFarAhead: -302, oldEnough: 298, aheadEnough: -299 } as const

/** A call that was long under way proves nothing. */
const slackMs = 500
const tries = 3

async function beyond(bench: Bench, what: string, shot: Shot): Promise<Finding | undefined> {
  for (let left = tries; ; left--) {
    const startedMs = bench.ws.clock.wall()
    const finding = await refused(bench, what, () => shot)
    if (finding === undefined || left === 1 || bench.ws.clock.wall() - startedMs < slackMs) return finding
  }
}

export const old: Trial = async (bench) =>
  (await beyond(bench, 'an event of 301 seconds ago', { ageSeconds: ages.tooOld })) ?? holds('refused')

export const ahead: Trial = async (bench) =>
  (await beyond(bench, 'an event 301 seconds ahead', { ageSeconds: ages.tooFarAhead })) ?? holds('refused')

export const number: Trial = async (bench) => {
  for (const [what, timestamp] of [
    ['an event without a timestamp', null],
    ['an event with an empty timestamp', ''],
    ['an event with words for a timestamp', 'just now'],
  ] as const) {
    const finding = await refused(bench, what, () => ({ timestamp }))
    if (finding !== undefined) return finding
  }
  return holds('refused')
}

export const tolerance: Trial = async (bench) =>
  (await within(bench, 'an event of 299 seconds ago', { ageSeconds: ages.oldEnough })) ??
  (await within(bench, 'an event 299 seconds ahead', { ageSeconds: ages.aheadEnough })) ??
  holds('accepted')

async function within(bench: Bench, what: string, shot: Shot): Promise<Finding | undefined> {
  for (let left = tries; ; left--) {
    const hit = await bench.wire.fire(await bench.cast.paid(), shot)
    if (isOk(hit)) return undefined
    if (left === 1) return broken(`${what}: ${answerOf(hit)}`, hit)
  }
}
