/** `startSandbox`: a sandbox in this process, ready to be called. */

import { openHandle } from './handle.js'
import type { StartOptions } from './options.js'
import type { Sandbox } from './sandbox.js'

/** What still runs at closing gets so long. */
const graceMs = 2_000

/** On a free port, in memory. The server is loaded here, so that verifying a webhook does not load it. */
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
  const { openServer } = await import('./server.js')
  const server = await openServer(options)
  const close = () => server.close(graceMs)
  try {
    return await openHandle({ root: server.url, adminToken: server.adminToken ?? undefined }, close)
  } catch (error) {
    await close()
    throw error
  }
}
