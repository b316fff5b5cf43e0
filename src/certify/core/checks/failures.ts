/** What becomes of an event after an attempt that failed, after a long absence, and after a crash? */
import {
  type Check,
  type CheckContext,
  describeResponse,
  type ExpectedState,
  type Finding,
  fail,
  findWrongState,
  inconclusive,
  notAccepted,
  pass,
  withoutStateUrl,
} from '../check-context.js'
import { isOk } from '../event-sender.js'

export const late: Check = async (context) => {
  const { lone, confirmed, refunded } = context.missed
  for (const event of [lone, confirmed, refunded]) {
    const rejection = await notAccepted(context, event, `${event.event} of an hour ago`)
    if (rejection !== undefined) return rejection
  }
  if (context.stateReader === null) return withoutStateUrl('accepted')
  const wrong = await findWrongState(context, [
    { event: lone, credited: 'once', what: 'a charge paid an hour ago' },
    { event: confirmed, credited: 'nothing', what: 'a charge paid and refunded an hour ago' },
  ])
  return wrong ?? pass('accepted, with their effects')
}

/** Failures of the receiver itself come by chance: whatever it recovered from during the whole run is followed. */
export const afterFailure: Check = async (context) => {
  const { sender, testEvents, stateReader } = context
  const event = await testEvents.payCharge()
  const half = Math.floor(new TextEncoder().encode(event.body).length / 2)
  await sender.send(event, { parting: { atByte: half, pauseMs: 5, end: 'break' } })
  const rejection = await notAccepted(context, event, 'an event after the connection broke in its middle')
  if (rejection !== undefined) return rejection
  if (stateReader === null) return withoutStateUrl('accepted after a connection that broke')
  const own = sender.log.recovered.filter((attempt) => attempt.event.event === 'cashin.confirmed').slice(0, 20)
  const expectations: ExpectedState[] = own.map((attempt) => ({
    event: attempt.event,
    credited: 'once',
    what: `an event whose first attempt was ${describeResponse(attempt)}`,
  }))
  const wrong = await lost(context, [
    { event, credited: 'once', what: 'an event after the connection broke in its middle' },
    ...expectations,
  ])
  const observed = own.length === 0 ? '' : `, ${own.length} after failures of the receiver itself`
  return wrong ?? pass(`credited once${observed}`)
}

/** Elsewhere an event that failed at first explains a missing effect; here it is the very thing that is looked for. */
async function lost(context: CheckContext, expectations: readonly ExpectedState[]): Promise<Finding | undefined> {
  const wrong = await findWrongState(context, expectations)
  return wrong?.result === 'inconclusive' ? fail(wrong.observed) : wrong
}

export const restart: Check = async (context) => {
  const { sender, testEvents, stateReader, options, ws } = context
  if (options.restart === null) return inconclusive('needs a command or URL that restarts the receiver')
  if (stateReader === null) return withoutStateUrl('not tried')
  const event = await testEvents.payCharge()
  const rejection = await notAccepted(context, event, 'an event')
  if (rejection !== undefined) return rejection
  const restarted = await ws.send({ url: options.restart, headers: { 'content-length': '0' }, body: '' })
  if (!['ok', 'http_error'].includes(restarted.outcome) || (restarted.status ?? 0) >= 300)
    return inconclusive(`the receiver could not be restarted: ${restarted.status ?? restarted.outcome}`)
  if (!(await isBack(context))) return fail('after the restart no event was accepted for 10 seconds')
  const survived = await findWrongState(context, [
    { event, credited: 'once', what: 'accepted right before the restart' },
  ])
  if (survived !== undefined) return survived
  await sender.send(event)
  const twice = await findWrongState(context, [{ event, credited: 'once', what: 'sent again after the restart' }])
  return twice ?? pass('credited once, before and after')
}

async function isBack({ sender, testEvents, pause }: CheckContext): Promise<boolean> {
  const event = await testEvents.payCharge()
  for (let left = 50; left > 0; left--) {
    if (isOk(await sender.send(event))) return true
    await pause(200)
  }
  return false
}
