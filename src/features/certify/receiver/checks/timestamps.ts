/** Checks that timestamps outside the tolerance are rejected and those within it are accepted. */

import { type Check, type CheckContext, describeResponse, type Finding, fail, pass } from '../check-context.js'
import { type AttemptOptions, isOk } from '../event-sender.js'
import { windowSeconds } from '../timing.js'
import { usualMs } from './answers.js'
import { findNotRefused } from './signatures.js'

/**
 * Age of the timestamp in seconds; negative is in the future. The header has whole seconds, so the values leave room
 * for receivers that compare fractions of a second or get the call a moment later.
 */
const ages = {
  tooOld: windowSeconds + 1,
  tooFarAhead: -windowSeconds - 2,
  oldEnough: windowSeconds - 2,
  aheadEnough: 1 - windowSeconds,
} as const

/** A receiver may compare the timestamp only shortly before it answers: until then every age grows by this. */
const delaySeconds = ({ sender }: CheckContext) =>
  Math.max(0, Math.ceil((usualMs(sender.log.accepted) - slackMs) / 1000))

/** If a call takes longer than this, an unexpected result proves nothing: the age has changed on the way. */
const slackMs = 500
const maxTries = 3

async function findAcceptedBeyond(
  context: CheckContext,
  what: string,
  options: AttemptOptions,
): Promise<Finding | undefined> {
  for (let triesLeft = maxTries; ; triesLeft--) {
    const startedMs = context.workspace.clock.wall()
    const finding = await findNotRefused(context, what, () => options)
    if (finding === undefined || triesLeft === 1 || context.workspace.clock.wall() - startedMs < slackMs) return finding
  }
}

export const old: Check = async (context) =>
  (await findAcceptedBeyond(context, `an event from ${windowSeconds + 1} seconds ago`, { ageSeconds: ages.tooOld })) ??
  pass('refused')

export const ahead: Check = async (context) =>
  (await findAcceptedBeyond(context, `an event ${windowSeconds + 1} seconds ahead`, {
    ageSeconds: ages.tooFarAhead - delaySeconds(context),
  })) ?? pass('refused')

export const number: Check = async (context) => {
  for (const [what, timestamp] of [
    ['an event without a timestamp', null],
    ['an event with an empty timestamp', ''],
    ['an event with text as its timestamp', 'just now'],
    ['an event with a timestamp that ends in letters', `${context.sender.nowSeconds()}abc`],
  ] as const) {
    const finding = await findNotRefused(context, what, () => ({ timestamp }))
    if (finding !== undefined) return finding
  }
  return pass('refused')
}

export const tolerance: Check = async (context) =>
  (await findRefusedWithin(context, `an event from ${windowSeconds - 1} seconds ago`, {
    ageSeconds: ages.oldEnough - delaySeconds(context),
  })) ??
  (await findRefusedWithin(context, `an event ${windowSeconds - 1} seconds ahead`, { ageSeconds: ages.aheadEnough })) ??
  pass('accepted')

async function findRefusedWithin(
  context: CheckContext,
  what: string,
  options: AttemptOptions,
): Promise<Finding | undefined> {
  for (let triesLeft = maxTries; ; triesLeft--) {
    const attempt = await context.sender.send(await context.testEvents.payCharge(), options)
    if (isOk(attempt)) return undefined
    if (triesLeft === 1) return fail(`${what}: ${describeResponse(attempt)}`, attempt)
  }
}
