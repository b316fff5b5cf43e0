/** `startSandbox` starts a sandbox in this process; `connectSandbox` uses one that runs elsewhere. */

import { withoutTrailing } from '../base/text.js'
import { UsageError } from '../client/errors.js'
import { defaultUrl } from '../protocol/settings/process.js'
import { openHandle } from './handle.js'
import { requireKnown, type StartOptions } from './options.js'
import type { Sandbox } from './sandbox.js'

/** Time that requests in progress get at closing. */
const graceMs = 2_000

/** Listens on a free port, with the state in memory. The server is loaded here, so that verifying a webhook does not load it. */
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
  const { openServer } = await import('./server.js')
  const server = await openServer(options)
  const close = () => server.close(graceMs)
  try {
    return await openHandle({ root: server.url, adminToken: server.adminToken ?? undefined, send: server.send }, close)
  } catch (error) {
    await close()
    throw error
  }
}

export interface ConnectOptions {
  /** Required if the sandbox has an admin token. */
  adminToken?: string | undefined
  /** An existing workspace, instead of `default`. */
  workspace?: string | undefined
}

const names = ['adminToken', 'workspace'] as const satisfies readonly (keyof ConnectOptions)[]

/**
 * Throws `UsageError` if `url` is not a URL, `UnreachableError` if no sandbox answers there. Closing leaves the sandbox
 * running.
 */
export async function connectSandbox(url: string, options: ConnectOptions = {}): Promise<Sandbox> {
  requireKnown('connectSandbox', options, names)
  if (typeof url !== 'string' || !URL.canParse(url))
    throw new UsageError(`connectSandbox requires the URL of a sandbox, such as ${defaultUrl}`)
  return openHandle({ root: withoutTrailing(url, '/'), ...options }, null)
}
