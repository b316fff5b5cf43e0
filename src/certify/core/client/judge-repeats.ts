/** What a client does after a hardship: does it make the call again, the same one, with pauses, and not for ever? */
import { secondMs } from '../../../base/duration.js'
import type { Hardship } from '../../protocol/client-rules.js'
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

/** Chance may be in the pauses. */
const growth = 1.25
const roughly = 1.1

/** The attempts of each outage, the newest outage first. */
function outagesOf(log: Pick<ClientLog, 'struck'>): ClientCall[][] {
  const struck = log.struck.filter(({ hardship }) => hardship === 'outage')
  const rounds = [...new Set(struck.map(({ round }) => round))].sort((a, b) => b - a)
  return rounds.map((wanted) => struck.filter(({ round }) => round === wanted).map(({ call }) => call))
}

/** Of the newest outage that tells anything. */
export function pauses(log: Pick<ClientLog, 'struck' | 'lag'>): Finding {
  const found = outagesOf(log).map((calls) => pausesIn(calls, log.lag))
  return found.find(({ result }) => result !== 'unseen') ?? found[0] ?? unseen('it did not come to that')
}

/** Each pause is known to lie between two lengths: as it was measured, and without what the machine may have added. */
function pausesIn(calls: readonly ClientCall[], lag: ClientLog['lag']): Finding {
  const gaps = calls.slice(1).map(({ arrivedMs }, at) => {
    const fromMs = calls[at]?.answeredMs ?? 0
    const most = Math.max(0, arrivedMs - fromMs)
    return { most, least: Math.max(0, most - lag.between(fromMs, arrivedMs)) }
  })
  const [first, last] = [gaps[0], gaps.at(-1)]
  if (gaps.length < 2 || first === undefined || last === undefined) return unseen('fewer than three attempts')
  const seen = `pauses of ${gaps.map(({ most }) => `${Math.round(most)} ms`).join(', ')}`
  const grow = (each: number[], end: number) =>
    each.every((gap) => gap <= end * roughly) && end >= (each[0] ?? 0) * growth
  const others = gaps.slice(0, -1)
  if (
    grow(
      others.map(({ most }) => most),
      last.least,
    )
  )
    return holds(seen)
  const mayGrow = grow(
    others.map(({ least }) => least),
    last.most,
  )
  return mayGrow ? unseen(`the machine was too busy to tell ${seen} from others`) : broken(seen)
}

export function ends(log: ClientLog): Finding {
  const length = Math.max(0, ...outagesOf(log).map((calls) => calls.length))
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
