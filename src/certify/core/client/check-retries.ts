/** What a client does after a fault: does it make the call again, the same one, with pauses, and not for ever? */
import { secondMs } from '../../../base/duration.js'
import type { Fault } from '../../protocol/client-rules.js'
import { type Finding, fail, inconclusive, pass } from '../check-context.js'
import { type ClientCall, isMoving } from './calls.js'
import { describeCall, isSameCall } from './check-calls.js'
import { type InjectedFault, maxOutageCalls } from './fault-injection.js'
import type { ClientLog } from './log.js'

const passing: readonly Fault[] = ['lost_answer', 'dropped', 'unavailable', 'provider_error']
const inWords: Record<Fault, string> = {
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

const faultsOf = ({ injected }: ClientLog, wanted: readonly Fault[]) =>
  injected.filter(({ fault }) => wanted.includes(fault))
const after = ({ calls }: ClientLog, { call }: InjectedFault) => calls.slice(calls.indexOf(call) + 1)

/** The same payment, whatever else is said of it. */
const isAgain = (call: ClientCall, injected: ClientCall) =>
  call.endpoint === injected.endpoint &&
  (injected.externalId === null ? isSameCall(call, injected) : call.externalId === injected.externalId)

/** Everything alike but for its name: the same payment taken for another. */
const isRenamed = (call: ClientCall, injected: ClientCall) =>
  call.endpoint === injected.endpoint && call.externalId !== injected.externalId && unnamed(call) === unnamed(injected)
const unnamed = ({ fields: { external_id: _, ...rest } }: ClientCall) => JSON.stringify(rest)

export function done(log: ClientLog): Finding {
  const injected = faultsOf(log, passing)
  if (injected.length === 0) return inconclusive('no such call came')
  const left = injected.find(
    (one) => !after(log, one).some((call) => isAgain(call, one.call) || isRenamed(call, one.call)),
  )
  return left === undefined
    ? pass(`${injected.length} times`)
    : fail(`${describeCall(left.call)} was not made again after ${inWords[left.fault]}`)
}

export function same(log: ClientLog): Finding {
  const injected = faultsOf(log, passing)
  if (injected.length === 0) return inconclusive('no such call came')
  for (const one of injected) {
    const again = after(log, one).filter((call) => isAgain(call, one.call))
    const other = again.find((call) => JSON.stringify(call.fields) !== JSON.stringify(one.call.fields))
    if (other !== undefined)
      return fail(`${describeCall(other)} has another body than the call before, after ${inWords[one.fault]}`)
    const renamed = after(log, one).find((call) => isRenamed(call, one.call))
    if (again.length === 0 && renamed !== undefined)
      return fail(
        `after ${inWords[one.fault]} it was made again as ${String(renamed.externalId)} instead of ${String(one.call.externalId)}: that pays twice`,
      )
  }
  return pass(`${injected.length} times`)
}

/** Chance may be in the pauses. */
const growth = 1.25
const roughly = 1.1

/** The attempts of each outage, the newest outage first. */
function outagesOf(log: Pick<ClientLog, 'injected'>): ClientCall[][] {
  const injected = log.injected.filter(({ fault }) => fault === 'outage')
  const rounds = [...new Set(injected.map(({ round }) => round))].sort((a, b) => b - a)
  return rounds.map((wanted) => injected.filter(({ round }) => round === wanted).map(({ call }) => call))
}

/** Of the newest outage that tells anything. */
export function pauses(log: Pick<ClientLog, 'injected' | 'drift'>): Finding {
  const found = outagesOf(log).map((calls) => pausesIn(calls, log.drift))
  return found.find(({ result }) => result !== 'inconclusive') ?? found[0] ?? inconclusive('it did not come to that')
}

/** Each pause is known to lie between two lengths: as it was measured, and without what the machine may have added. */
function pausesIn(calls: readonly ClientCall[], drift: ClientLog['drift']): Finding {
  const gaps = calls.slice(1).map(({ arrivedMs }, at) => {
    const fromMs = calls[at]?.answeredMs ?? 0
    const most = Math.max(0, arrivedMs - fromMs)
    return { most, least: Math.max(0, most - drift.between(fromMs, arrivedMs)) }
  })
  const [first, last] = [gaps[0], gaps.at(-1)]
  if (gaps.length < 2 || first === undefined || last === undefined) return inconclusive('fewer than three attempts')
  const observed = `pauses of ${gaps.map(({ most }) => `${Math.round(most)} ms`).join(', ')}`
  const grow = (each: number[], end: number) =>
    each.every((gap) => gap <= end * roughly) && end >= (each[0] ?? 0) * growth
  const others = gaps.slice(0, -1)
  if (
    grow(
      others.map(({ most }) => most),
      last.least,
    )
  )
    return pass(observed)
  const mayGrow = grow(
    others.map(({ least }) => least),
    last.most,
  )
  return mayGrow ? inconclusive(`the machine was too busy to tell ${observed} from others`) : fail(observed)
}

export function ends(log: ClientLog): Finding {
  const length = Math.max(0, ...outagesOf(log).map((calls) => calls.length))
  if (length === 0) return inconclusive('it did not come to that')
  return length >= maxOutageCalls ? fail(`still there after ${length} attempts`) : pass(`given up after ${length}`)
}

/** Tokens and signatures have rules of their own. */
export function notRepeated({ calls }: ClientLog): Finding {
  const refused = calls.filter((call) => isMoving(call) && call.retryable === false && call.status !== 401)
  if (refused.length === 0) return inconclusive('nothing was refused for good')
  const repeated = refused.find((call) => calls.slice(calls.indexOf(call) + 1).some((later) => isSameCall(later, call)))
  return repeated === undefined
    ? pass(`${refused.length} rejections`)
    : fail(`${describeCall(repeated)} was made again`)
}

/** Clocks tick in milliseconds, timers a little early. */
const slackMs = 50

function waited(log: ClientLog, fault: Fault, isNext: (call: ClientCall, injected: ClientCall) => boolean): Finding {
  const [injected] = faultsOf(log, [fault])
  if (injected === undefined) return inconclusive('it did not come to that')
  const next = after(log, injected).find((call) => isNext(call, injected.call))
  if (next === undefined) return inconclusive('it was not made again')
  const pauseMs = next.arrivedMs - injected.call.answeredMs
  const observed = `made again after ${(pauseMs / 1000).toFixed(2)} s`
  return pauseMs >= secondMs - slackMs ? pass(observed) : fail(observed)
}

export const waitedForRate = (log: ClientLog): Finding => waited(log, 'rate_limited', isAgain)
export const waitedForLockout = (log: ClientLog): Finding =>
  waited(log, 'locked_out', ({ endpoint }) => endpoint === 'token')
