/** What chaos does to a call. */

import { sha256Hex } from '../../base/crypto.js'
import { errorsOf } from '../../protocol/platform/endpoints.js'
import { type CallFault, callFaults } from '../../protocol/settings/chaos.js'
import type { Call } from '../scenarios/arms.js'
import type { Unit } from '../unit/unit.js'
import {
  type ActiveChaos,
  affects,
  type CallFaults,
  chaosState,
  type InjectedResponse,
  publishFaults,
  respondOf,
  seededShare,
} from '../webhooks/faults.js'

/** The faults that happen to a call, by name and as they are carried out. */
interface ChaosOfCall {
  injected: CallFault[]
  faults: CallFaults
}

/** Returns the faults that chaos injects into this call; null if there are none. */
export function chaosOfCall(unit: Unit, active: ActiveChaos, call: Call): ChaosOfCall | null {
  const { identity, count } = identityOf(unit, call)
  const [first, ...more] = callFaults.filter((fault) => affects(active, fault, identity))
  if (first === undefined) return null
  // A call without a response cannot be slow.
  const isSlow = first !== 'reset' && (first === 'slow' || more.includes('slow'))
  const injected: CallFault[] = first !== 'slow' && isSlow ? [first, 'slow'] : [first]
  const { external_id: externalId } = call.fields
  publishFaults(unit, injected, identity, {
    target: `${call.endpoint.method} ${call.endpoint.path}`,
    external_id: typeof externalId === 'string' ? externalId : null,
    count,
  })
  return {
    injected,
    faults: {
      respond: first === 'error' ? errorFor(active, call, identity) : null,
      latencyMs: isSlow ? active.durationsMs.slow : 0,
      disconnect: first === 'reset' ? 'before' : first === 'dropped_response' ? 'after' : null,
      deliveryFaults: null,
    },
  }
}

const retryAfterSeconds = 1

/** One of the retryable errors that the endpoint has. */
function errorFor(active: ActiveChaos, { endpoint }: Call, identity: string): InjectedResponse {
  const mayBeProvider = errorsOf(endpoint).includes('PROVIDER_ERROR')
  if (mayBeProvider && seededShare(active, 'code', identity) < 1 / 2)
    return respondOf({ code: 'PROVIDER_ERROR' }, 'chaos')
  const message = 'The service is unavailable for a moment. Try again.'
  return respondOf({ code: 'SERVICE_UNAVAILABLE', message, details: { retry_after: retryAfterSeconds } }, 'chaos')
}

/** Beyond it the oldest calls count as new. */
const mostCounted = 50_000

/** Which call it is, and which among equal ones: a retry meets other faults than the first attempt. */
function identityOf(unit: Unit, { endpoint, accountSeq, fields }: Call): { identity: string; count: number } {
  const { external_id: externalId } = fields
  const content = typeof externalId === 'string' ? externalId : fields
  const call = sha256Hex(JSON.stringify([accountSeq, endpoint.method, endpoint.path, content]))
  const { calls } = unit.memory.of(chaosState)
  const before = calls.get(call) ?? 0
  unit.undo(() => (before === 0 ? calls.delete(call) : calls.set(call, before)))
  calls.set(call, before + 1)
  if (calls.size > mostCounted) forgetOldest(calls)
  return { identity: `${call} ${before + 1}`, count: before + 1 }
}

function forgetOldest(calls: Map<string, number>): void {
  const oldest = calls.keys().next().value
  if (oldest !== undefined) calls.delete(oldest)
}
