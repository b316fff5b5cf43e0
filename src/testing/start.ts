/** `startSandbox`: starts a sandbox in this process. */

import { openHandle } from './handle.js'
import type { StartOptions } from './options.js'
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
