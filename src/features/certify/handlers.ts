/**
 * Certification over HTTP, in a separate workspace: results go to the stream as soon as they are known, and the answer
 * is the report.
 */

import { type Config, defaultConfig } from '../../inside/control.js'
import type { ControlCall, Handlers, Host } from '../../inside/handlers.js'
import { ApiError } from '../../inside/platform.js'
import { findAccount, parsePostbackUrl, type Workspace } from '../../inside/workspace.js'
import type { RunCertification } from './receiver/check-context.js'
import { merchant, merchantCredential } from './receiver/test-events.js'
import { certifyMark } from './receiver/timing.js'
import type { certifyRoutes } from './routes.js'

type Rows = typeof certifyRoutes

const certifyReceiverWith =
  (run: RunCertification) =>
  async ({ host, ws, env, body }: ControlCall<Rows['certifyReceiver']>) => {
    // Throws 422 INVALID_POSTBACK_URL for an address that webhooks may not go to either.
    for (const field of ['url', 'state_url', 'restart'] as const)
      parsePostbackUrl(body[field], ws.config.strictWebhooks, field)
    const config = configOf(body.webhook_secret ?? secretOf(ws))
    const id = body.run ?? ws.memory.ids.next('runs').id
    let isGone = false
    const stopWatching = env.onDisconnect?.(() => {
      isGone = true
    })
    try {
      return await run(host, config, body, {
        onRule: ({ id: rule, result: status, evidence: _, ...found }, remaining) =>
          ws.bus.publish({ type: 'certify', id, status, rule, ...found, ...remaining }),
        onLoad: (load) => ws.bus.publish({ type: 'certify', id, status: 'running', load }),
        isCanceled: () => isGone || ws.closed,
      })
    } finally {
      stopWatching?.()
    }
  }

/** Returns the secret that signs this workspace's webhooks; undefined if the account no longer exists. */
const secretOf = (ws: Workspace): string | undefined =>
  findAccount(ws.db, merchant) && merchantCredential(ws)?.webhookSecret

/** Returns a configuration in which only the checks send and change anything. One account has enough money for all of them. */
const configOf = (webhookSecret: string | undefined): Config => ({
  ...defaultConfig,
  clock: 'manual',
  rateLimits: false,
  cashoutSettle: 'manual',
  disputeDeadline: 'manual',
  accounts: [{ username: merchant, credential: { webhookSecret } }],
})

/** Limit of simultaneous certifications, because each sends requests until it ends. */
const maxRunning = 64
/** Limit of simultaneous load tests, because each can send hundreds of requests a second. */
const maxLoads = 2

const tooMany = (max: number, what: string) =>
  new ApiError('CONFLICT', { max }, `${what} are already running. Try again when one of them has finished.`)

/** Number of certifications, and of load tests among them, that run in each sandbox. */
const runningIn = new WeakMap<Host, { runs: number; loads: number }>()

const certifyInScratch: RunCertification = async (host, config, options, progress) => {
  const running = runningIn.get(host) ?? { runs: 0, loads: 0 }
  runningIn.set(host, running)
  const addedLoads = options.load === undefined ? 0 : 1
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

/** Each implementation is loaded with the first call. */
export const certifyHandlers = (run: RunCertification = certifyInScratch): Handlers<Rows> => ({
  certifyReceiver: certifyReceiverWith(run),
  certifyBooks: async (call) => (await import('./books/job.js')).certifyBooks(call),
  certifyClient: async (call) => (await import('./client/certify-client.js')).certifyClient(call),
})
