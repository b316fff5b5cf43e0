/** The thread that redacts exchanges in their order, and what hands them to it: a body of a megabyte can take a second. */
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Ask, RunJob } from '../../../inside/handlers.js'
import { JobPipe } from '../../../inside/node.js'
import { randomText, systemRandom } from '../../../inside/secrets.js'
import { rowAt } from '../../../inside/values.js'
import { type Exchange, entryOf, headerOf, longestBytes, type Message, type WrittenEntry } from '../file/entry.js'
import { Pseudonyms } from '../redact/pseudonyms.js'

/** The longest that responses wait for one exchange. */
const longestWaitMs = 20
/** Behind more exchanges than these, responses wait without a limit, so that memory stays bounded. */
const mostPending = 2000

export class Redaction {
  readonly #pipe: JobPipe<Exchange, WrittenEntry>
  #pending = 0
  #newest: Promise<void> = Promise.resolve()

  constructor(runJob: RunJob, onFailed: () => void) {
    this.#pipe = new JobPipe(runJob, 'redact', onFailed)
  }

  /** Resolves when the thread works; rejects if it cannot start. */
  get ready(): Promise<void> {
    return this.#pipe.ready
  }

  /** Resolves after `onEntry` was called, with null if the exchange cannot be written. */
  add(exchange: Exchange, onEntry: (entry: WrittenEntry | null) => void): Promise<void> {
    this.#pending++
    this.#newest = this.#pipe.send(exchange).then((entry) => {
      this.#pending--
      onEntry(entry)
    })
    return this.#newest
  }

  /**
   * Calls back when all exchanges so far are written, so that a killed recorder loses no more than the last one. Nobody
   * waits for an exchange that takes long: then it calls back earlier.
   */
  whenWritten(then: () => void): void {
    const leftMs = this.#pipe.startedAtMs + longestWaitMs - performance.now()
    if (this.#pending > mostPending) void this.#newest.then(then)
    else if (this.#pending === 0 || leftMs <= 0) then()
    else void Promise.race([this.#newest, pause(leftMs)]).then(then)
  }

  /** Resolves when all exchanges are written. */
  end = (): Promise<void> => this.#pipe.end()
}

const keyLength = 52

/** The thread: redacts one exchange after the other, with what the exchanges before taught it. Asks with the entry of the exchange before; null if it cannot be written. Ends when it gets null. */
export async function redactJob(ask: Ask): Promise<void> {
  const pseudonyms = new Pseudonyms(randomText(systemRandom().stream('recording'), keyLength))
  let entry: WrittenEntry | null = null
  for (;;) {
    // `Redaction` answers.
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
  body: body === null || body.length === 0 ? body : decompressed(body, headerOf(headers, 'content-encoding')),
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
