/** The thread that redacts exchanges in their order, and what hands them to it: a body of a megabyte can take a second. */
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Ask, RunJob } from '../../../inside/handlers.js'
import { randomText, systemRandom } from '../../../inside/secrets.js'
import { rowAt } from '../../../inside/values.js'
import { type Exchange, entryOf, headerOf, longestBytes, type Message, type WrittenEntry } from '../file/entry.js'
import { Pseudonyms } from '../redact/pseudonyms.js'

/** The longest that responses wait for one exchange. */
const longestWaitMs = 20
/** Behind more exchanges than these, responses wait without a limit, so that memory stays bounded. */
const mostPending = 2000

/** Called with null if the exchange cannot be written. */
type OnEntry = (entry: WrittenEntry | null) => void

export class Redaction {
  /** Resolves when the thread works; rejects if it cannot start. */
  readonly ready: Promise<void>
  readonly #job: Promise<void>
  readonly #queue: { exchange: Exchange; onEntry: OnEntry }[] = []
  /** What follows the present exchange of the thread, and when the thread got it. */
  #onEntry: OnEntry | null = null
  #startedAtMs = 0
  #wake = () => {}
  #isEnding = false
  #pending = 0
  #newest: Promise<void> = Promise.resolve()

  constructor(runJob: RunJob, onFailed: () => void) {
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const job = runJob('redact', null, new Uint8Array(), async (entry) => {
      begin()
      // `redactJob` asks.
      return this.#nextAfter(entry as WrittenEntry | null)
    })
    this.ready = Promise.race([begun, job.then(() => undefined)])
    this.#job = job.then(
      () => undefined,
      () => {
        this.#isEnding = true
        onFailed()
        this.#finish(null)
        for (const { onEntry } of this.#queue.splice(0)) onEntry(null)
      },
    )
  }

  /** Resolves after `onEntry` was called. */
  add(exchange: Exchange, onEntry: OnEntry): Promise<void> {
    this.#pending++
    this.#newest = new Promise((resolve) => {
      const whenDone: OnEntry = (entry) => {
        this.#pending--
        onEntry(entry)
        resolve()
      }
      if (this.#isEnding) whenDone(null)
      else this.#queue.push({ exchange, onEntry: whenDone })
    })
    this.#wake()
    return this.#newest
  }

  /**
   * Calls back when all exchanges so far are written, so that a killed recorder loses no more than the last one. Nobody
   * waits for an exchange that takes long: then it calls back earlier.
   */
  whenWritten(then: () => void): void {
    const leftMs = this.#startedAtMs + longestWaitMs - performance.now()
    if (this.#pending > mostPending) void this.#newest.then(then)
    else if (this.#pending === 0 || leftMs <= 0) then()
    else void Promise.race([this.#newest, pause(leftMs)]).then(then)
  }

  /** Resolves when all exchanges are written. */
  async end(): Promise<void> {
    this.#isEnding = true
    this.#wake()
    // Node does not wait for a thread.
    const alive = setInterval(() => {}, 60_000)
    await this.#job
    clearInterval(alive)
  }

  #finish(entry: WrittenEntry | null): void {
    this.#onEntry?.(entry)
    this.#onEntry = null
  }

  /** Returns the next exchange; null at the end. */
  async #nextAfter(entry: WrittenEntry | null): Promise<Exchange | null> {
    this.#finish(entry)
    if (this.#queue.length === 0 && !this.#isEnding)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    const next = this.#queue.shift()
    if (next === undefined) return null
    this.#onEntry = next.onEntry
    this.#startedAtMs = performance.now()
    return next.exchange
  }
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
