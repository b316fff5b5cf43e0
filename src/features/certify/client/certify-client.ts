/** Certifies a client: observes its calls, injects faults, and runs the checks at the end; over HTTP, judges the calls in the request log. */

import type { ControlCall } from '../../../inside/handlers.js'
import { ApiError, isDropped } from '../../../inside/platform.js'
import { secondMs } from '../../../inside/values.js'
import type { Workspace } from '../../../inside/workspace.js'
import { StateReader, stateErrorOf } from '../receiver/state-reader.js'
import type { RuleReport, WarnedCalls } from '../report/evidence.js'
import {
  type Finding,
  inconclusive,
  missingOptions,
  notTested,
  type Report,
  type RuleRow,
  reportOf,
  ruleReport,
  skipped,
} from '../report/rules.js'
import { type ClientCall, followCalls, isPayment, isRenamed, isRetry, loggedCalls } from './calls.js'
import type { ClientLog } from './check-calls.js'
import * as callChecks from './check-calls.js'
import * as retryChecks from './check-retries.js'
import { FaultInjection, type InjectedFault } from './fault-injection.js'
import { PayerSimulator } from './payer-simulator.js'
import type { clientRoutes } from './routes.js'
import { type ClientRule, clientRuleIds, clientRules, type Fault } from './rules.js'

type ClientCheck = (log: ClientLog) => Finding | Promise<Finding>

const checks: Record<ClientRule, ClientCheck> = {
  'token.reused': callChecks.reused,
  'token.renewed': callChecks.renewed,
  'sign.body': callChecks.signedBody,
  'sign.nonce': callChecks.freshNonce,
  'sign.time': callChecks.signedNow,
  'repeat.named': callChecks.named,
  'repeat.done': retryChecks.done,
  'repeat.same': retryChecks.same,
  'repeat.pauses': retryChecks.pauses,
  'repeat.ends': retryChecks.ends,
  'repeat.not': retryChecks.notRepeated,
  'wait.rate': retryChecks.waitedForRate,
  'wait.lockout': retryChecks.waitedForLockout,
  'amounts.decimal': callChecks.decimal,
  'answers.more-fields': callChecks.moreFields,
  'withdrawal.pending': callChecks.withdrawalPending,
  'withdrawal.failed': callChecks.withdrawalFailed,
  'withdrawal.refunded': callChecks.withdrawalRefunded,
  'missed.found': callChecks.missedFound,
  'dispute.answered': callChecks.disputeAnswered,
}

export interface WatchOptions {
  /** Injects no faults and simulates no payers. */
  observe: boolean
  /** Reports what the application did with a transaction. */
  stateUrl: string | null
  /** Runs at each call, with the number of calls so far. */
  onCall?: ((calls: number) => void) | undefined
}

/** `ws` must belong to a sandbox that only this client uses, and its withdrawals must not settle automatically. */
export async function watchClient(ws: Workspace, { observe, stateUrl, onCall }: WatchOptions) {
  const stateReader = stateUrl === null ? null : new StateReader(ws, stateUrl, 'status')
  const simulator = new PayerSimulator(ws, stateReader)
  const drift = new retryChecks.TimerDrift(ws)
  // The outage is repeated only if late timers made the measured pauses inconclusive. If the client made too few
  // attempts, another outage would not change the result.
  const isConclusive = (injected: ClientLog['injected']) =>
    drift.isOnTime || retryChecks.pauses({ injected, drift }).result !== 'inconclusive'
  const faultInjection = new FaultInjection(ws, isConclusive)
  const calls: ClientCall[] = []
  const stop = followCalls(ws, (call) => {
    calls.push(call)
    onCall?.(calls.length)
    if (!observe) {
      faultInjection.onCall(call)
      simulator.onCall(call)
    }
  })
  if (!observe) await faultInjection.start()
  return {
    /** The calls so far. */
    calls,
    /** Stops watching and runs the checks. */
    async report({ failed }: { failed: boolean }): Promise<Report<ClientRule>> {
      stop()
      drift.stop()
      await faultInjection.whenIdle()
      await simulator.whenIdle()
      const { injected, expiredMs } = faultInjection
      const log = { calls, injected, expiredMs, simulator, drift, failed, observe }
      const report = await judge({ ...log, hasStateUrl: stateReader !== null })
      return { ...report, ...stateErrorOf(stateReader) }
    },
  }
}

export async function judge(log: ClientLog): Promise<Report<ClientRule>> {
  const found = new Map<ClientRule, RuleReport<ClientRule>>()
  const endText = retryChecks.describeEnd(log)
  for (const id of clientRuleIds) {
    const { after = [], passesAfter = [] }: RuleRow = clientRules[id]
    const by = blockingOf(after, found)
    const own = by === undefined ? await findingOf(id, log, endText) : notTested(by, `${by} failed`)
    const needed = own.result === 'passed' ? blockingOf(passesAfter, found) : undefined
    const finding = needed === undefined ? own : notTested(needed, `${needed} failed`)
    found.set(id, ruleReport<ClientRule>(clientRules, id, finding))
  }
  return { ...reportOf([...found.values()]), calls: log.calls.length, warnings: warnedCalls(log.calls) }
}

/** A program that ended early, as `endText` says, never reached what could not be decided. */
async function findingOf(id: ClientRule, log: ClientLog, endText: string | null): Promise<Finding> {
  const { needs }: RuleRow = clientRules[id]
  const finding = await checks[id](log)
  if (finding.result !== 'inconclusive') return finding
  const hasOption = needs === 'stateUrl' ? log.hasStateUrl : !log.observe
  if (needs !== undefined && !hasOption) return skipped(missingOptions[needs])
  return endText === null ? finding : inconclusive(`${finding.observed}; ${endText}`)
}

/** Returns the failed one of the rules that prevents a rule after them. If that rule was itself prevented, returns its cause. */
function blockingOf(
  after: readonly string[],
  found: ReadonlyMap<ClientRule, RuleReport<ClientRule>>,
): ClientRule | undefined {
  for (const [id, { result, blocked_by: cause }] of found) {
    if (!after.includes(id)) continue
    if (result === 'failed') return id
    if (cause !== undefined) return cause
  }
  return undefined
}

/**
 * Largest number of warnings in a report. Warnings contain paths and field names that the client chooses, so their
 * number has no other bound.
 */
const maxWarnings = 20

function warnedCalls(calls: readonly ClientCall[]): WarnedCalls[] {
  const found = new Map<string, WarnedCalls>()
  for (const { entry } of calls) {
    const path = entry.path.split('?')[0] ?? ''
    for (const warning of entry.warnings) {
      const key = JSON.stringify([warning.code, warning.field, entry.method, path])
      const known = found.get(key)
      if (known !== undefined) known.calls++
      else if (found.size < maxWarnings)
        found.set(key, { ...warning, method: entry.method, path, calls: 1, request_id: entry.request_id })
    }
  }
  return [...found.values()]
}

export const judgeCalls = (
  calls: readonly ClientCall[],
  injected: readonly InjectedFault[] = [],
): Promise<Report<ClientRule>> =>
  judge({
    calls,
    injected,
    expiredMs: [],
    simulator: { withdrawals: [], paidMs: [], dispute: null, stateError: null, statusOf: async () => null },
    drift: { driftBetween: () => 0 },
    hasStateUrl: false,
    observe: true,
    failed: false,
  })

/** A client may pause this long before it repeats a call. */
const longestPauseMs = 5 * secondMs
/** After so many attempts, a client may give up. */
const fewestAttempts = 3

/** Returns the faults that chaos or a scenario injected into payments of the request log, unless the client has given up or may still repeat the call. */
function injectedFaults(calls: readonly ClientCall[], nowMs: number): InjectedFault[] {
  return calls.filter(isPayment).flatMap((call, at, payments): InjectedFault[] => {
    const fault = faultOf(call)
    if (fault === null) return []
    const isRepeated = payments.slice(at + 1).some((later) => isRetry(later, call) || isRenamed(later, call))
    const mayRepeat = nowMs - call.answeredMs < longestPauseMs
    const hasGivenUp = payments.slice(0, at + 1).filter((one) => isRetry(one, call)).length >= fewestAttempts
    return isRepeated || !(mayRepeat || hasGivenUp) ? [{ fault, call, round: 0 }] : []
  })
}

function faultOf({ entry, status }: ClientCall): Fault | null {
  if (isDropped(entry)) return status === 0 ? 'reset' : 'dropped_response'
  // Chaos makes only errors that can be repeated, a scenario makes others too.
  const isOfScenario = entry.faults?.some((one) => one.startsWith('respond:')) && (status === 502 || status === 503)
  if (!isOfScenario && !entry.chaos?.includes('error')) return null
  return status === 502 ? 'provider_error' : 'unavailable'
}

export async function certifyClient({ ws, body }: ControlCall<typeof clientRoutes.certifyClient>) {
  const { account, after } = body
  const calls = loggedCalls(ws, after, account)
  // On a manual clock, the age of a call is not known.
  const nowMs = ws.clock.state().mode === 'manual' ? Number.POSITIVE_INFINITY : ws.clock.now()
  if (calls.length > 0) return judgeCalls(calls, injectedFaults(calls, nowMs))
  const message =
    'The request log has no such calls of your app; those of the dashboard and the command line do not count. Let your app call the platform API, then try again.'
  throw new ApiError('CONFLICT', { calls: 0 }, message)
}
