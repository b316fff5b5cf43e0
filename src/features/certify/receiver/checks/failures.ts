/** Checks events that arrive after a failed attempt, after a long downtime and after a crash. */

import {
  type Check,
  type CheckContext,
  coveredByRetry,
  deliver,
  describeResponse,
  type ExpectedState,
  type Finding,
  fail,
  findWrongState,
  inconclusive,
  judgeStates,
  pass,
  withoutStateUrl,
} from '../check-context.js'
import { isOk } from '../event-sender.js'
import { inSeconds, restartWaitMs } from '../timing.js'

/** Pause before a receiver that restarts is called again. */
const retryPauseMs = 200

export const late: Check = async (context) => {
  const { lone, confirmed, refunded } = context.missed
  for (const event of [lone, confirmed, refunded]) {
    await deliver(context, event, `${event.event} from an hour ago`)
  }
  return judgeStates(
    context,
    [
      { event: lone, credited: 'once', what: 'a charge paid an hour ago' },
      { event: confirmed, credited: 'nothing', what: 'a charge paid and refunded an hour ago' },
    ],
    { passed: 'accepted, with their effects' },
  )
}

/**
 * Checks, besides its own event, every charge of the whole run that was accepted after a failure of the receiver,
 * because such failures occur by chance.
 */
export const afterFailure: Check = async (context) => {
  const { sender, testEvents, stateReader } = context
  const event = await testEvents.payCharge()
  const half = Math.floor(new TextEncoder().encode(event.body).length / 2)
  await sender.send(event, { parting: { atByte: half, pauseMs: 5, end: 'break' } })
  await deliver(context, event, 'an event after a broken connection')
  if (stateReader === null) return withoutStateUrl('accepted after a broken connection')
  const recovered = sender.log.recovered.filter((attempt) => attempt.event.event === 'cashin.confirmed').slice(0, 20)
  const expectations: ExpectedState[] = recovered.map((attempt) => ({
    event: attempt.event,
    credited: 'once',
    what: `an event whose first attempt was ${describeResponse(attempt)}`,
  }))
  const wrong = await findLostEffect(context, [
    { event, credited: 'once', what: 'an event after a broken connection' },
    ...expectations,
  ])
  const observed = recovered.length === 0 ? '' : `, ${recovered.length} after errors of the receiver`
  return wrong ?? pass(`credited once${observed}`)
}

/**
 * Turns an inconclusive finding into a failure: elsewhere a failed first attempt explains a missing credit, here it is
 * what is tested.
 */
async function findLostEffect(
  context: CheckContext,
  expectations: readonly ExpectedState[],
): Promise<Finding | undefined> {
  const wrong = await findWrongState(context, expectations)
  return wrong?.result === 'inconclusive' ? fail(wrong.observed.replace(coveredByRetry, '')) : wrong
}

export const restart: Check = async (context) => {
  const { sender, testEvents, stateReader, options, workspace: ws } = context
  if (options.restart === null || stateReader === null) return withoutStateUrl('not tested')
  const event = await testEvents.payCharge()
  await deliver(context, event, 'an event')
  const restarted = await ws.send({ url: options.restart, headers: { 'content-length': '0' }, body: '' })
  if (!['ok', 'http_error'].includes(restarted.outcome) || (restarted.status ?? 0) >= 300)
    return inconclusive(`the receiver could not be restarted: ${restarted.status ?? restarted.outcome}`)
  if (!(await waitUntilBack(context)))
    return fail(`after the restart no event was accepted for ${inSeconds(restartWaitMs)}`)
  const survived = await findWrongState(context, [
    { event, credited: 'once', what: 'accepted right before the restart' },
  ])
  if (survived !== undefined) return survived
  await sender.send(event)
  const twice = await findWrongState(context, [{ event, credited: 'once', what: 'sent again after the restart' }])
  return twice ?? pass('credited once, before and after')
}

async function waitUntilBack({ sender, testEvents, pause }: CheckContext): Promise<boolean> {
  const event = await testEvents.payCharge()
  for (let triesLeft = restartWaitMs / retryPauseMs; triesLeft > 0; triesLeft--) {
    if (isOk(await sender.send(event))) return true
    await pause(retryPauseMs)
  }
  return false
}
