/** Reads the bodies of requests to the small servers of commands and of the library. */
import type { IncomingMessage } from 'node:http'
import { bytesWithin } from '../../../base/bytes.js'

/** Webhooks are a few KB long. */
const maxBytes = 16 * 1024 * 1024

/** Null if the connection breaks, or the body is longer than any webhook: nobody waits for an answer, or should get one. */
export const readWhole = (request: IncomingMessage): Promise<Buffer | null> =>
  bytesWithin(request, maxBytes).then(
    ({ buffer }) => Buffer.from(buffer),
    () => null,
  )
