/**
 * Certification over HTTP, in a separate workspace: results go to the stream as soon as they are known, and the answer
 * is the report.
 */

import { type Config, defaultConfig } from '../../inside/control.js'
import { type ControlCall, type Handlers, invalid } from '../../inside/handlers.js'
import { credentialForEvents, findAccount, parsePostbackUrl, type Workspace } from '../../inside/workspace.js'
import type { booksRoutes } from './books/routes.js'
import type { clientRoutes } from './client/routes.js'
import { loadOptionsOf } from './load/report.js'
import type { CertifyOptions, RunCertification } from './receiver/check-context.js'
import { merchant } from './receiver/test-events.js'
import type { certifyRoutes } from './routes.js'

type Rows = typeof certifyRoutes

const certifyReceiverWith =
  (run: RunCertification) =>
  async ({ host, ws, env, body }: ControlCall<Rows['certifyReceiver']>) => {
    const options = optionsOf(ws, body)
    const config = configOf(body.webhook_secret ?? secretOf(ws))
    const id = body.run ?? ws.memory.ids.next('runs').id
    let isGone = false
    const stopWatching = env.onDisconnect?.(() => {
      isGone = true
    })
    try {
      return await run(host, config, options, {
        onRule: ({ id: rule, result, observed, blocked_by }, left_ms) =>
          ws.bus.publish({
            ...{ type: 'certify', id, status: result, rule, observed },
            ...(blocked_by === undefined ? {} : { blocked_by }),
            ...(left_ms === undefined ? {} : { left_ms }),
          }),
        onLoad: (load) => ws.bus.publish({ type: 'certify', id, status: 'running', load }),
        isCanceled: () => isGone || ws.closed,
      })
    } finally {
      stopWatching?.()
    }
  }

/** Parses the options. Addresses must meet the conditions of webhook addresses; otherwise throws 422 INVALID_POSTBACK_URL. */
function optionsOf(ws: Workspace, body: ControlCall<Rows['certifyReceiver']>['body']): CertifyOptions {
  const address = (field: 'url' | 'state_url' | 'restart') =>
    parsePostbackUrl(body[field], ws.config.strictWebhooks, field)
  const url = address('url')
  if (url === null) throw invalid('url', 'is required')
  return {
    url,
    stateUrl: address('state_url'),
    restart: address('restart'),
    mode: body.mode ?? 'sandbox',
    productionUrl: body.production_url ?? null,
    timeLimitMs: body.time_limit ?? null,
    load: body.load === undefined ? null : loadOptionsOf(body.load),
  }
}

/** Returns the secret that signs this workspace's webhooks; undefined if the account no longer exists. */
function secretOf(ws: Workspace): string | undefined {
  const account = findAccount(ws.db, merchant)
  return account === undefined ? undefined : credentialForEvents(ws.db, account.seq, null)?.webhookSecret
}

/** Returns a configuration in which only the checks send and change anything. One account has enough money for all of them. */
const configOf = (webhookSecret: string | undefined): Config => ({
  ...defaultConfig,
  clock: 'manual',
  rateLimits: false,
  cashoutSettle: 'manual',
  disputeDeadline: 'manual',
  accounts: [{ username: merchant, credential: { webhookSecret } }],
})

/** The implementation is loaded with the first ledger. */
const certifyBooks = async (call: ControlCall<typeof booksRoutes.certifyBooks>) =>
  (await import('./books/job.js')).certifyBooks(call)

/** The implementation is loaded with the first client. */
const certifyClient = async (call: ControlCall<typeof clientRoutes.certifyClient>) =>
  (await import('./client/certify-client.js')).certifyClient(call)

/** `run` depends on the runtime. */
export const certifyHandlers = (run: RunCertification): Handlers<Rows> => ({
  certifyReceiver: certifyReceiverWith(run),
  certifyBooks,
  certifyClient,
})
