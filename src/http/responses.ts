/** Responses: as `Response`, with their text for callers in the same process, or written while they are read. */
import type { ResponseData } from './messages.js'

const texts = new WeakMap<Response, string>()

export function toResponse({ status, headers, body }: ResponseData): Response {
  const response = new Response(body, { status, headers })
  texts.set(response, body)
  return response
}

/** The body of a response, for callers in this process: reading it as a stream is expensive. */
export const responseText = (response: Response): string | Promise<string> => texts.get(response) ?? response.text()

/** A body that is produced while it is read; a reader that leaves ends the work. */
export function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
