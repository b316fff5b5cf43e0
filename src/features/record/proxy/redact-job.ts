/** The thread of a recorder: redacts one exchange after the other, with what the exchanges before taught. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Ask } from '../../../inside/handlers.js'
import { randomText, systemRandom } from '../../../inside/secrets.js'
import { rowAt } from '../../../inside/values.js'
import { entryOf, type WrittenEntry } from '../file/entry.js'
import { type Exchange, headerOf, type Message } from '../file/exchange.js'
import { Pseudonyms } from '../redact/pseudonyms.js'
import { longestBytes } from './body-copy.js'

const keyLength = 52

/** Asks with the entry of the exchange before; null if it cannot be written. Ends when it gets null. */
export async function redactJob(ask: Ask): Promise<void> {
  const pseudonyms = new Pseudonyms(randomText(systemRandom().stream('recording'), keyLength))
  let entry: WrittenEntry | null = null
  for (;;) {
    // `redaction.ts` answers.
    const exchange = (await ask(entry)) as Exchange | null
    if (exchange === null) return
    entry = written(exchange, pseudonyms)
  }
}

function written({ request, answer, ...exchange }: Exchange, pseudonyms: Pseudonyms): WrittenEntry | null {
  try {
    return entryOf({ ...exchange, request: decoded(request), answer: { ...answer, ...decoded(answer) } }, pseudonyms)
  } catch {
    return null
  }
}

const decoded = ({ headers, body, bodyBytes }: Message): Message => ({
  headers,
  body: body === null || body.length === 0 ? body : decompressed(body, headerOf(headers, 'content-encoding') ?? ''),
  bodyBytes,
})

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  '': (bytes) => bytes,
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: longestBytes }),
  'x-gzip': (bytes) => gunzipSync(bytes, { maxOutputLength: longestBytes }),
  deflate: (bytes) => inflateSync(bytes, { maxOutputLength: longestBytes }),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: longestBytes }),
}

/** null if it is too long or cannot be decompressed. */
function decompressed(bytes: Uint8Array, encoding: string): Uint8Array | null {
  try {
    return rowAt(decoders, encoding.trim().toLowerCase())?.(bytes) ?? null
  } catch {
    return null
  }
}
