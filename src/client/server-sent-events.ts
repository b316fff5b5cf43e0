/** Reads a stream of server-sent events. */
import { createParser } from 'eventsource-parser'

/**
 * Passes on the data and id of each event, and calls back for every piece that arrives. Resolves when the stream ends,
 * for any reason.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onData: (data: string, id: string | undefined) => void,
  onPiece: () => void = () => {},
): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: ({ data, id }) => onData(data, id) })
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true as const, value: undefined }))
      if (done) return
      onPiece()
      parser.feed(decoder.decode(value, { stream: true }))
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
