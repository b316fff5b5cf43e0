/** Bytes in any runtime: streams read within a limit, and Base64. */

type Source = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null | undefined

/** Yields the chunks as they arrive; throws `tooLarge()` at the first one beyond the limit. Who stops reading cancels the stream. */
export async function* chunksWithin(
  source: Source,
  maxBytes = Number.POSITIVE_INFINITY,
  tooLarge = () => new Error(`there are more than ${maxBytes} bytes`),
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of source instanceof ReadableStream ? chunksOf(source) : (source ?? [])) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    yield chunk
  }
}

/** Not every browser can iterate over a stream. Does not wait for the sender to notice a cancellation. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

/** Reads all of a stream, as `chunksWithin`. */
export async function bytesWithin(...stream: Parameters<typeof chunksWithin>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksWithin(...stream)) chunks.push(chunk)
  return joinChunks(chunks)
}

export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const chunk = 8192

export function base64Of(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk))
  return btoa(binary)
}

/** Throws if the text is not Base64. */
export const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
