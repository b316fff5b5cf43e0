/** Certification of a running client over HTTP: judges the calls in the request log, with the faults of chaos. */
import type { ControlCall } from '../../../inside/handlers.js'
import { ApiError, cliUserAgent } from '../../../inside/platform.js'
import type { RequestEntry } from '../../../inside/workspace.js'
import { loggedCalls } from './calls.js'
import { faultsOfChaos, judgeCalls } from './observe.js'
import type { clientRoutes } from './routes.js'

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
