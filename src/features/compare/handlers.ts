/** The handler of `POST /_sandbox/compare`. */

import type { Config } from '../../inside/control.js'
import { type Handlers, type Host, isLargeBody, readChunks } from '../../inside/handlers.js'
import { ApiError } from '../../inside/platform.js'
import { bytesWithin } from '../../inside/values.js'
import { maxHarBytes } from './har/format.js'
import type { Comparison } from './judge/verdicts.js'
import type { compareRoutes } from './routes.js'

/** Each comparison needs memory for a recording and a database. */
const mostAtOnce = 2
const running = new WeakMap<Host, number>()

/** Throws 409 CONFLICT if too many comparisons are running. */
async function compareIn(host: Host, bytes: Uint8Array, config: Config): Promise<Comparison> {
  if (host.openScratch === undefined) throw new ApiError('NOT_FOUND', {}, { message: onlyLocal })
  const underWay = running.get(host) ?? 0
  if (underWay >= mostAtOnce)
    throw new ApiError(
      'CONFLICT',
      { max: mostAtOnce },
      { message: `${underWay} comparisons are running. Try again when one of them has finished.` },
    )
  running.set(host, underWay + 1)
  try {
    if (host.runJob !== undefined && isLargeBody(bytes))
      // The same function in another thread.
      return (await host.runJob('compare', { bytes, config }, bytes)) as Comparison
    // Loaded with the first comparison: most sandboxes never compare.
    const { compareReceived } = await import('./compare.js')
    return await compareReceived({ bytes, config }, host.openScratch)
  } finally {
    running.set(host, (running.get(host) ?? 1) - 1)
  }
}

const onlyLocal = 'Comparisons are disabled in a hosted sandbox; run `payments-sandbox compare` on your machine.'

export const compareHandlers: Handlers<typeof compareRoutes> = {
  async compare({ host, ws, request, env }) {
    const restoreTimeLimit = env.extendTimeLimit?.()
    const bytes = await bytesWithin(readChunks(request, maxHarBytes)).finally(restoreTimeLimit)
    return compareIn(host, bytes, ws.config)
  },
}
