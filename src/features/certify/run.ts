/** Runs the certification of a receiver in a private workspace. */

import { type Host, type RouteSet, routeSet } from '../../inside/handlers.js'
import { ApiError } from '../../inside/platform.js'
import type { RunCertification } from './receiver/check-context.js'
import { certifyMark } from './receiver/timing.js'
import { certifyRoutes } from './routes.js'

/** Limit of simultaneous certifications, because each sends requests until it ends. */
const maxRunning = 64
/** Limit of simultaneous load tests, because each can send hundreds of requests a second. */
const maxLoads = 2

const tooMany = (max: number, what: string) =>
  new ApiError('CONFLICT', { max }, `${what} are already running. Try again when one of them has finished.`)

/** Number of certifications, and of load tests among them, that run in each sandbox. */
const runningIn = new WeakMap<Host, { runs: number; loads: number }>()

export const certifyInScratch: RunCertification = async (host, config, options, progress) => {
  const running = runningIn.get(host) ?? { runs: 0, loads: 0 }
  runningIn.set(host, running)
  const addedLoads = options.load === null ? 0 : 1
  if (running.loads + addedLoads > maxLoads) throw tooMany(maxLoads, `${running.loads} load tests`)
  if (running.runs >= maxRunning) throw tooMany(maxRunning, `${running.runs} certifications`)
  const ws = host.openScratch?.(config, { idMark: certifyMark })
  if (ws === undefined) throw new Error('this runtime has no scratch workspaces')
  running.runs++
  running.loads += addedLoads
  try {
    // Loaded with the first certification, because most sandboxes run none.
    const { certifyReceiver } = await import('./receiver/certify-receiver.js')
    return await certifyReceiver(ws, options, progress)
  } finally {
    running.runs--
    running.loads -= addedLoads
  }
}

/** The routes of certification; `run` depends on the runtime. */
export const certifyRouteSet = (run: RunCertification): RouteSet =>
  routeSet(certifyRoutes, async () => (await import('./handlers.js')).certifyHandlers(run))
