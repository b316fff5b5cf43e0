/** Hands exchanges to the thread that redacts them, in their order: a body of a megabyte can take it a second. */
import { setTimeout as pause } from 'node:timers/promises'
import type { RunJob } from '../../../inside/handlers.js'
import type { WrittenEntry } from '../file/entry.js'
import type { Exchange } from '../file/exchange.js'

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
      // `redact-job.ts` asks.
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
