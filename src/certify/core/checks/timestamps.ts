/** Does the time of an attempt count, as far as it should and no further? */
import { type Check, type CheckContext, describeResponse, type Finding, fail, pass } from '../check-context.js'
import { type AttemptOptions, isOk } from '../event-sender.js'
import { refused } from './signatures.js'

/**
 * Seconds before the call, in a header of whole seconds: a receiver that reads its clock in fractions,
 * and gets the call a moment later, must come to the same side.
 */
const ages = { tooOld: 301, tooFarAhead: -302, oldEnough: 298, aheadEnough: -299 } as const

/** A call that was long under way proves nothing. */
const slackMs = 500
const tries = 3

async function beyond(context: CheckContext, what: string, options: AttemptOptions): Promise<Finding | undefined> {
  for (let left = tries; ; left--) {
    const startedMs = context.ws.clock.wall()
    const finding = await refused(context, what, () => options)
    if (finding === undefined || left === 1 || context.ws.clock.wall() - startedMs < slackMs) return finding
  }
}

export const old: Check = async (context) =>
  (await beyond(context, 'an event of 301 seconds ago', { ageSeconds: ages.tooOld })) ?? pass('refused')

export const ahead: Check = async (context) =>
  (await beyond(context, 'an event 301 seconds ahead', { ageSeconds: ages.tooFarAhead })) ?? pass('refused')

export const number: Check = async (context) => {
  for (const [what, timestamp] of [
    ['an event without a timestamp', null],
    ['an event with an empty timestamp', ''],
    ['an event with words for a timestamp', 'just now'],
  ] as const) {
    const finding = await refused(context, what, () => ({ timestamp }))
    if (finding !== undefined) return finding
  }
  return pass('refused')
}

export const tolerance: Check = async (context) =>
  (await within(context, 'an event of 299 seconds ago', { ageSeconds: ages.oldEnough })) ??
  (await within(context, 'an event 299 seconds ahead', { ageSeconds: ages.aheadEnough })) ??
  pass('accepted')

async function within(context: CheckContext, what: string, options: AttemptOptions): Promise<Finding | undefined> {
  for (let left = tries; ; left--) {
    const attempt = await context.sender.send(await context.testEvents.payCharge(), options)
    if (isOk(attempt)) return undefined
    if (left === 1) return fail(`${what}: ${describeResponse(attempt)}`, attempt)
  }
}
