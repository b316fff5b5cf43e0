/** Judges the calls of a running client, over HTTP those in the request log: nothing is injected for the judgment, but faults of chaos count. */
import type { ChaosFault } from '../../../inside/control.js'
import type { ControlCall } from '../../../inside/handlers.js'
import { ApiError, cliUserAgent } from '../../../inside/platform.js'
import { secondMs } from '../../../inside/values.js'
import type { RequestEntry } from '../../../inside/workspace.js'
import type { Report } from '../report/rules.js'
import { type ClientCall, isPayment, isRenamed, isRetry, loggedCalls } from './calls.js'
import { judge } from './certify-client.js'
import type { InjectedFault } from './fault-injection.js'
import type { clientRoutes } from './routes.js'
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
function faultsOfChaos(calls: readonly ClientCall[], nowMs: number): InjectedFault[] {
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
  if (has('dropped_response')) return 'dropped_response'
  if (has('reset')) return 'reset'
  if (!has('error')) return null
  return status === 502 ? 'provider_error' : 'unavailable'
}

export async function certifyClient({ ws, body }: ControlCall<typeof clientRoutes.certifyClient>) {
  const { account, after } = body
  const calls = loggedCalls(
    ws,
    after,
    (entry) => (account === undefined || entry.account === account) && !isOfCommandLine(entry),
  )
  // On a manual clock, the age of a call is not known.
  const nowMs = ws.clock.state().mode === 'manual' ? Number.POSITIVE_INFINITY : ws.clock.now()
  if (calls.length > 0) return judgeCalls(calls, faultsOfChaos(calls, nowMs))
  const message = 'The request log has no such calls. Let your client call the platform API, then try again.'
  throw new ApiError('CONFLICT', { calls: 0 }, message)
}

const isOfCommandLine = ({ request_headers: headers }: RequestEntry): boolean =>
  Object.entries(headers ?? {}).some(
    ([name, value]) => name.toLowerCase() === 'user-agent' && value === cliUserAgent['User-Agent'],
  )
