/** What a client does after a hardship: does it make the call again, the same one, with pauses, and not for ever? */
import { secondMs } from '../../../base/duration.js'
import type { Hardship } from '../../../protocol/certify/client-rules.js'
import { broken, type Finding, holds, unseen } from '../bench.js'
import { type ClientCall, isMoving } from './calls.js'
import { longestOutage, type Struck } from './hardships.js'
import { isSameCall, shown } from './judge-calls.js'
import type { ClientLog } from './log.js'

const passing: readonly Hardship[] = ['lost_answer', 'dropped', 'unavailable', 'provider_error']
const inWords: Record<Hardship, string> = {
  lost_answer: 'its answer was lost',
  dropped: 'its connection was dropped',
  unavailable: 'it was answered 503',
  provider_error: 'it was answered 502',
  rate_limited: 'it was answered 429',
  refused: 'it was refused for good',
  expired: 'its token had expired',
  locked_out: 'it was locked out',
  outage: 'it was answered 503 again and again',
}

const struckBy = ({ struck }: ClientLog, wanted: readonly Hardship[]) =>
  struck.filter(({ hardship }) => wanted.includes(hardship))
const after = ({ calls }: ClientLog, { call }: Struck) => calls.slice(calls.indexOf(call) + 1)

/** The same payment, whatever else is said of it. */
const isAgain = (call: ClientCall, struck: ClientCall) =>
  call.endpoint === struck.endpoint &&
  (struck.externalId === null ? isSameCall(call, struck) : call.externalId === struck.externalId)

/** Everything alike but for its name: the same payment taken for another. */
const isRenamed = (call: ClientCall, struck: ClientCall) =>
  call.endpoint === struck.endpoint && call.externalId !== struck.externalId && unnamed(call) === unnamed(struck)
const unnamed = ({ fields: { external_id: _, ...rest } }: ClientCall) => JSON.stringify(rest)

export function done(log: ClientLog): Finding {
  const struck = struckBy(log, passing)
  if (struck.length === 0) return unseen('no such call came')
  const left = struck.find(
    (one) => !after(log, one).some((call) => isAgain(call, one.call) || isRenamed(call, one.call)),
  )
  return left === undefined
    ? holds(`${struck.length} times`)
    : broken(`${shown(left.call)} was not made again after ${inWords[left.hardship]}`)
}

export function same(log: ClientLog): Finding {
  const struck = struckBy(log, passing)
  if (struck.length === 0) return unseen('no such call came')
  for (const one of struck) {
    const again = after(log, one).filter((call) => isAgain(call, one.call))
    const other = again.find((call) => JSON.stringify(call.fields) !== JSON.stringify(one.call.fields))
    if (other !== undefined)
      return broken(`${shown(other)} has another body than the call before, after ${inWords[one.hardship]}`)
    const renamed = after(log, one).find((call) => isRenamed(call, one.call))
    if (again.length === 0 && renamed !== undefined)
      return broken(
        `after ${inWords[one.hardship]} it was made again as ${String(renamed.externalId)} instead of ${String(one.call.externalId)}: that pays twice`,
      )
  }
  return holds(`${struck.length} times`)
}

/** Chance may be in the pauses, and a busy machine too. */
const growth = 1.25

export function pauses(log: ClientLog): Finding {
  const calls = struckBy(log, ['outage']).map(({ call }) => call)
  const gaps = calls.slice(1).map((call, at) => call.arrivedMs - (calls[at]?.answeredMs ?? 0))
  const [first, last] = [gaps[0], gaps.at(-1)]
  if (gaps.length < 2 || first === undefined || last === undefined) return unseen('fewer than three attempts')
  const seen = `pauses of ${gaps.map((gap) => `${Math.max(0, Math.round(gap))} ms`).join(', ')}`
  const isLongest = gaps.every((gap) => gap <= last * 1.1)
  return isLongest && last >= first * growth ? holds(seen) : broken(seen)
}

export function ends(log: ClientLog): Finding {
  const { length } = struckBy(log, ['outage'])
  if (length === 0) return unseen('it did not come to that')
  return length >= longestOutage ? broken(`still there after ${length} attempts`) : holds(`given up after ${length}`)
}

/** Tokens and signatures have rules of their own. */
export function notRepeated({ calls }: ClientLog): Finding {
  const refused = calls.filter((call) => isMoving(call) && call.retryable === false && call.status !== 401)
  if (refused.length === 0) return unseen('nothing was refused for good')
  const repeated = refused.find((call) => calls.slice(calls.indexOf(call) + 1).some((later) => isSameCall(later, call)))
  return repeated === undefined ? holds(`${refused.length} refusals`) : broken(`${shown(repeated)} was made again`)
}

/** Clocks tick in milliseconds, timers a little early. */
const slackMs = 50

function waited(
  log: ClientLog,
  hardship: Hardship,
  isNext: (call: ClientCall, struck: ClientCall) => boolean,
): Finding {
  const [struck] = struckBy(log, [hardship])
  if (struck === undefined) return unseen('it did not come to that')
  const next = after(log, struck).find((call) => isNext(call, struck.call))
  if (next === undefined) return unseen('it was not made again')
  const pauseMs = next.arrivedMs - struck.call.answeredMs
  const seen = `made again after ${(pauseMs / 1000).toFixed(2)} s`
  return pauseMs >= secondMs - slackMs ? holds(seen) : broken(seen)
}

export const waitedForRate = (log: ClientLog): Finding => waited(log, 'rate_limited', isAgain)
export const waitedForLockout = (log: ClientLog): Finding =>
  waited(log, 'locked_out', ({ endpoint }) => endpoint === 'token')
