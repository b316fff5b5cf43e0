/** The handler of `POST /_sandbox/compare`. */

import { bodyText, joinChunks, readChunks } from '../../http/bodies.js'
import type { Handlers } from '../../http/control/routes.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { maxHarBytes, NotHar } from '../protocol/har.js'
import type { compareRoutes } from '../protocol/routes.js'

export const compareHandlers: Handlers<typeof compareRoutes> = {
  async compare({ host, ws, request, env }) {
    const hurry = env.allowMoreTime?.()
    const pieces: Uint8Array[] = []
    try {
      for await (const piece of readChunks(request, maxHarBytes)) pieces.push(piece)
    } finally {
      hurry?.()
    }
    try {
      return await host.compare(bodyText(joinChunks(pieces)), ws.config)
    } catch (error) {
      if (!(error instanceof NotHar)) throw error
      throw new ApiError(
        'INVALID_VALUE',
        { rule: error.message },
        { message: `The recording cannot be read: ${error.message}.` },
      )
    }
  },
}
