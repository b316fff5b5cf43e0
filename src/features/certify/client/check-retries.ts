/** Checks what a client does after a fault: whether it repeats the same call, with pauses, and gives up at some point. */
import { repeatKey } from '../../../inside/platform.js'
import { minuteMs, secondMs } from '../../../inside/values.js'
import type { Workspace } from '../../../inside/workspace.js'
import { medianOf } from '../receiver/state-reader.js'
import { type Finding, fail, inconclusive, pass } from '../report/rules.js'
import { areParallel, attemptsOf, type ClientCall, isPayment, isRenamed, isRetry, isSameCall } from './calls.js'
import { type ClientLog, describeCall } from './check-calls.js'
import type { InjectedFault } from './fault-injection.js'
import { type Fault, outageLimits } from './rules.js'

const transientFaults: readonly Fault[] = [
  'dropped_response',
  'dropped_withdrawal',
  'reset',
  'unavailable',
  'provider_error',
]
const faultTexts: Record<Fault, string> = {
  dropped_response: 'its response was dropped',
  dropped_withdrawal: 'its response was dropped',
  reset: 'its connection was dropped',
  unavailable: 'it got a 503 response',
  provider_error: 'it got a 502 response',
  rate_limited: 'it got a 429 response',
  rejected: 'it was rejected with an error that is not retryable',
  expired: 'its token had expired',
  locked_out: 'it was locked out',
  outage: 'it got a 503 response several times',
}

const faultsOf = ({ injected }: ClientLog, faults: readonly Fault[]) =>
  injected.filter(({ fault }) => faults.includes(fault))
const after = ({ calls }: ClientLog, { call }: InjectedFault) => calls.slice(calls.indexOf(call) + 1)

/** Says after which fault a program ended with an error, and what it did after the fault; null if it ended without one. */
export function describeEnd(log: ClientLog): string | null {
  if (!log.failed) return null
  const last = log.injected.at(-1)
  const later = last === undefined ? log.calls : after(log, last)
  const expiredMs = log.expiredMs.at(-1)
  // The program notices that its tokens have expired only when it calls again. They can expire within the millisecond of
  // the fault before.
  const fromMs = expiredMs === undefined || expiredMs < (last?.call.arrivedMs ?? 0) ? Infinity : expiredMs
  const withExpired = later.filter(({ arrivedMs }) => arrivedMs >= fromMs)
  const hasExpired = withExpired.length > 0
  if (last === undefined && !hasExpired) return 'the program ended with an error before a fault was injected'
  const where =
    last === undefined || hasExpired ? 'its token expired' : `${describeCall(last.call)}: ${faultTexts[last.fault]}`
  const calls = hasExpired ? withExpired.length : later.length
  const next = calls === 0 ? 'made no call after it' : `made ${calls} more ${calls === 1 ? 'call' : 'calls'}`
  return `the program ended with an error; the last injected fault: ${where}, and the program ${next}. Catch this error and continue, so that the other requirements are reached`
}

/**
 * Builds a check of what the client did after each transient fault; `wrongIn` says what was wrong. Faults after which
 * nothing is decided are left out.
 */
const afterTransient =
  (
    wrongIn: (injected: InjectedFault, later: readonly ClientCall[]) => string | undefined,
    isDecided: (injected: InjectedFault, later: readonly ClientCall[], log: ClientLog) => boolean = () => true,
  ) =>
  (log: ClientLog): Finding => {
    const injected = faultsOf(log, transientFaults).filter((one) => isDecided(one, after(log, one), log))
    if (injected.length === 0) return inconclusive('no such call was made')
    const [wrong, ...more] = injected.flatMap((one) => wrongIn(one, after(log, one)) ?? [])
    if (wrong === undefined) return pass(`${injected.length} times`)
    return fail(more.length === 0 ? wrong : `${wrong}; and ${more.length} more`)
  }

export const done = afterTransient(({ call, fault }, later) => {
  const isRepeated = later.some((one) => isRetry(one, call) || isRenamed(one, call))
  // A withdrawal whose answer was lost may also be looked up instead of repeated.
  const isLookedUp = fault === 'dropped_withdrawal' && later.some(({ endpoint }) => endpoint === 'transactionList')
  return isRepeated || isLookedUp ? undefined : `${describeCall(call)} was not repeated after ${faultTexts[fault]}`
})

/** Of an app that is only observed, equal charges without a payer may be for two orders. */
const isSameDecided = ({ call }: InjectedFault, later: readonly ClientCall[], { observe }: ClientLog) =>
  !observe ||
  later.some((one) => isRetry(one, call)) ||
  !later.some((one) => isRenamed(one, call)) ||
  (call.endpoint !== null && repeatKey(call.endpoint, call.fields, call.text).certain)

export const same = afterTransient(({ call, fault }, later) => {
  const again = later.filter((one) => isRetry(one, call))
  const other = again.find(({ fields }) => JSON.stringify(fields) !== JSON.stringify(call.fields))
  if (other !== undefined)
    return `the repetition of ${describeCall(other)} after ${faultTexts[fault]} has a different body`
  const renamed = later.find((one) => isRenamed(one, call))
  if (again.length > 0 || renamed === undefined) return undefined
  const ids = `external_id ${renamed.externalId} instead of ${call.externalId}`
  return `after ${faultTexts[fault]} it was repeated with ${ids}, which creates a second transaction`
}, isSameDecided)

/** A client that calls again sooner than this makes no pause. */
const minPauseMs = 100

/** Returns the attempts of each outage, the newest outage first. Other payments that it hit are left out. */
function outagesOf(log: Pick<ClientLog, 'injected'>): ClientCall[][] {
  const injected = log.injected.filter(({ fault }) => fault === 'outage')
  const rounds = [...new Set(injected.map(({ round }) => round))].sort((a, b) => b - a)
  return rounds.map((one) => attemptsOf(injected.filter(({ round }) => round === one).map(({ call }) => call)))
}

/** Uses the newest outage with a conclusive result. */
export function pauses(log: Pick<ClientLog, 'injected' | 'drift'>): Finding {
  const found = outagesOf(log).map((calls) => pausesIn(calls, log.drift))
  return found.find(({ result }) => result !== 'inconclusive') ?? found[0] ?? inconclusive('this case did not occur')
}

/**
 * The interface does not say how long pauses are, nor that they grow. The later half counts, because the first pauses of a
 * client that doubles them may be short. Each pause lies between the measured time and that time minus the timer drift.
 */
function pausesIn(calls: readonly ClientCall[], drift: ClientLog['drift']): Finding {
  if (calls[0]?.externalId === null) return unknownPayment
  const gaps = calls.slice(1).map(({ arrivedMs }, at) => {
    const fromMs = calls[at]?.answeredMs ?? 0
    const most = Math.max(0, arrivedMs - fromMs)
    return { most, least: Math.max(0, most - drift.driftBetween(fromMs, arrivedMs)) }
  })
  if (gaps.length < 2) return inconclusive('fewer than three attempts')
  const observed = `pauses of ${gaps.map(({ most }) => `${Math.round(most)} ms`).join(', ')}`
  const later = gaps.slice(Math.floor(gaps.length / 2))
  if (medianOf(later.map(({ least }) => least)) >= minPauseMs) return pass(observed)
  return medianOf(later.map(({ most }) => most)) >= minPauseMs
    ? inconclusive(`the machine was too slow to judge ${observed}`)
    : fail(observed)
}

const unknownPayment = inconclusive(
  'the call has no external_id, so other payments cannot be distinguished from its repetitions',
)

export function ends(log: ClientLog): Finding {
  const [longest = []] = outagesOf(log).toSorted((one, other) => other.length - one.length)
  const [first, last] = [longest[0], longest.at(-1)]
  if (first === undefined || last === undefined) return inconclusive('this case did not occur')
  if (first.externalId === null) return unknownPayment
  const { length } = longest
  if (length >= outageLimits.calls) return fail(`the client still repeated the call after ${length} attempts`)
  const isRepeated = log.calls.slice(log.calls.indexOf(last) + 1).some((call) => isRetry(call, last))
  return length >= outageLimits.fewestCalls && isRepeated
    ? inconclusive(
        `still repeated after ${length} attempts in ${Math.round((last.arrivedMs - first.arrivedMs) / minuteMs)} minutes; longer was not tested`,
      )
    : pass(length === 1 ? 'stopped after one attempt' : `stopped after ${length} attempts`)
}

/** Skips 401: tokens and signatures have their own rules. */
export function notRepeated({ calls }: ClientLog): Finding {
  const refused = calls.filter((call) => isPayment(call) && call.retryable === false && call.status !== 401)
  if (refused.length === 0) return inconclusive('no call got an error that is not retryable')
  const repeated = refused.find((call) => calls.slice(calls.indexOf(call) + 1).some((later) => isSameCall(later, call)))
  return repeated === undefined ? pass(`${refused.length} rejections`) : fail(`${describeCall(repeated)} was repeated`)
}

/** Tolerance of a pause, because clocks count milliseconds and timers fire slightly early. */
const slackMs = 50

function checkPause(
  log: ClientLog,
  injected: InjectedFault,
  isNext: (call: ClientCall, injected: ClientCall) => boolean,
): Finding | undefined {
  const { answeredMs } = injected.call
  const next = after(log, injected).find((call) => isNext(call, injected.call) && call.arrivedMs >= answeredMs)
  if (next === undefined) return undefined
  const pauseMs = next.arrivedMs - answeredMs
  const observed = `repeated after ${(pauseMs / 1000).toFixed(2)} s`
  return pauseMs >= secondMs - slackMs ? pass(observed) : fail(observed)
}

const notRepeatedYet = inconclusive('the call was not repeated')

export function waitedForRate(log: ClientLog): Finding {
  const [injected] = faultsOf(log, ['rate_limited'])
  if (injected === undefined) return inconclusive('this case did not occur')
  const found = checkPause(log, injected, (call, one) => isRetry(call, one) || isRenamed(call, one))
  // A client that goes on to other payments has given this one up; one that ended may have stored it for later.
  const hasGoneOn = !log.failed && after(log, injected).some((call) => isPayment(call))
  if (found === undefined)
    return hasGoneOn
      ? fail(`${describeCall(injected.call)} was not repeated after ${faultTexts.rate_limited}`)
      : notRepeatedYet
  const isUnclear = injected.call.externalId === null && areParallel(log)
  return found.result === 'failed' && isUnclear ? unknownPayment : found
}

export function waitedForLockout(log: ClientLog): Finding {
  const [injected] = faultsOf(log, ['locked_out'])
  if (injected === undefined) return inconclusive('this case did not occur')
  const found = checkPause(log, injected, ({ endpoint }) => endpoint === 'token') ?? notRepeatedYet
  return found.result === 'failed' && areParallel(log)
    ? inconclusive('the client makes several calls at a time; another one may have requested the next token')
    : found
}

const everyMs = 25
/** Drift that is ignored, because timers are never exactly on time. */
const toleranceMs = 5
/** Largest number of late periods; the oldest are dropped. A client that is watched for hours is judged by its latest calls. */
const maxPeriods = 10_000

/** Measures how late timers fire on this machine: when timers are late, a client's pauses look longer than the client intended. */
export class TimerDrift {
  readonly #latePeriods: { fromMs: number; toMs: number }[] = []
  /** Ends the measurement. */
  stop: () => void

  constructor(readonly ws: Pick<Workspace, 'callAfter' | 'closed'> & { clock: Pick<Workspace['clock'], 'wall'> }) {
    this.stop = this.#schedule()
  }

  /** Whether no timer was late. */
  get isOnTime(): boolean {
    return this.#latePeriods.length === 0
  }

  /** Returns how much of the time from `fromMs` to `toMs` late timers can explain; a period that overlaps counts in full. */
  driftBetween(fromMs: number, toMs: number): number {
    return this.#latePeriods.reduce(
      (sum, late) => (late.fromMs < toMs && late.toMs > fromMs ? sum + late.toMs - late.fromMs : sum),
      0,
    )
  }

  #schedule(): () => void {
    const { callAfter, clock } = this.ws
    const dueMs = clock.wall() + everyMs
    return callAfter(everyMs, () => {
      if (this.ws.closed) return
      const nowMs = clock.wall()
      if (nowMs - dueMs > toleranceMs) this.#latePeriods.push({ fromMs: dueMs, toMs: nowMs })
      if (this.#latePeriods.length > maxPeriods) this.#latePeriods.shift()
      this.stop = this.#schedule()
    })
  }
}
