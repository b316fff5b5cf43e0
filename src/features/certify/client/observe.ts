/** Judges the calls of a running client: nothing is injected for the judgment, but faults of chaos count. */

import type { ChaosFault } from '../../../inside/control.js'
import { secondMs } from '../../../inside/values.js'
import type { Report } from '../report/rules.js'
import { type ClientCall, isPayment } from './calls.js'
import { judge } from './certify-client.js'
import type { InjectedFault } from './fault-injection.js'
import { isRenamed, isRetry } from './identity.js'
import type { ClientRule, Fault } from './rules.js'

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

/** Returns the faults that chaos injected into payments of the request log, unless the client has given up or may still repeat the call. */
export function faultsOfChaos(calls: readonly ClientCall[], nowMs: number): InjectedFault[] {
  return calls.filter(isPayment).flatMap((call, at, payments): InjectedFault[] => {
    const fault = faultOf(call)
    if (fault === null) return []
    const isRepeated = payments.slice(at + 1).some((later) => isRetry(later, call) || isRenamed(later, call))
    const mayRepeat = nowMs - call.answeredMs < longestPauseMs
    const hasGivenUp = payments.slice(0, at + 1).filter((one) => isRetry(one, call)).length >= fewestAttempts
    return isRepeated || !(mayRepeat || hasGivenUp) ? [{ fault, call, round: 0 }] : []
  })
}

function faultOf({ entry: { chaos = [] }, status }: ClientCall): Fault | null {
  const has = (fault: ChaosFault) => chaos.some((one) => one === fault)
  if (has('dropped_response')) return 'lost_answer'
  if (has('reset')) return 'dropped'
  if (!has('error')) return null
  return status === 502 ? 'provider_error' : 'unavailable'
}
