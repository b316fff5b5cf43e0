/** Reads the bodies of requests to the small servers of commands and of the library. */
import type { IncomingMessage } from 'node:http'

/** Webhooks are a few KB long. */
const maxBytes = 16 * 1024 * 1024

/** Null if the connection breaks, or the body is longer than any webhook: nobody waits for an answer, or should get one. */
export async function readWhole(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes > maxBytes) return null
      chunks.push(chunk)
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}
