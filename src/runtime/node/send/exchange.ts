/** One webhook request and its response: the timeouts, the limit of the response body, and the outcome. */

import type { Dispatcher } from 'undici'
import { withinBytes } from '../../../base/text.js'
import type { SendProgress, SendResult } from '../../../core/unit/send-port.js'
import { webhookAnswer } from '../../../protocol/platform/limits.js'
import { describeFailure, SendFailure } from './failure.js'

interface ExchangeOptions {
  isHttps: boolean
  totalTimeoutMs: number
  progress: SendProgress | undefined
  settle: (result: SendResult) => void
}

/**
 * Handler of one undici dispatch; calls `settle` exactly once. The headers of the final response determine the outcome,
 * whatever happens to its body. Bodies are stored as received, without decompression.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #startedMs = performance.now()
  #controller: Dispatcher.DispatchController | undefined
  #status: number | null = null
  #chunks: Uint8Array[] = []
  #bytes = 0
  #settled = false
  #timer: NodeJS.Timeout
  readonly #slowTimer: NodeJS.Timeout | undefined

  constructor(options: ExchangeOptions) {
    this.#options = options
    const { progress, totalTimeoutMs } = options
    this.#timer = this.#after(totalTimeoutMs, () => this.#timeout())
    this.#slowTimer = progress && this.#after(webhookAnswer.slowMs, progress.slow)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The timeout came while the connection was being established: nothing has been written, and nothing must be
    // written now.
    if (this.#settled) controller.abort(new SendFailure('timeout', 'the timeout ended before the request was sent'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200 || this.#settled) return
    this.#status = status
    this.#options.progress?.sent()
    clearTimeout(this.#timer)
    const leftMs = this.#options.totalTimeoutMs - (performance.now() - this.#startedMs)
    const bodyMs = Math.max(1, Math.min(webhookAnswer.bodyMs, leftMs))
    this.#timer = this.#after(bodyMs, () =>
      this.#stopReading(`body not complete ${Math.round(bodyMs)} ms after the headers`),
    )
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#settled) return
    const room = webhookAnswer.bodyBytes - this.#bytes
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#bytes += chunk.length
    if (this.#bytes > webhookAnswer.bodyBytes) this.#stopReading(`body cut at ${webhookAnswer.bodyBytes} bytes`)
  }

  onResponseEnd(): void {
    this.#answer(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#settled) return
    const { outcome, detail } = describeFailure(error, this.#options.isHttps, this.#controller !== undefined)
    if (this.#status === null) this.#settle(outcome, null, detail)
    else this.#answer(`body incomplete: ${detail}`)
  }

  /** Waits one more turn of the event loop, so that a response that has arrived takes precedence over a late timer. */
  #after(delayMs: number, then: () => void): NodeJS.Timeout {
    const isCurrent = () => !this.#settled && (timer === this.#timer || timer === this.#slowTimer)
    const timer = setTimeout(() => setImmediate(() => isCurrent() && then()), delayMs)
    return timer
  }

  #timeout(): void {
    this.#settle('timeout', null, `no response within ${this.#options.totalTimeoutMs} ms`)
    this.#controller?.abort(new SendFailure('timeout', 'no response in time'))
  }

  #stopReading(detail: string): void {
    this.#answer(detail)
    this.#controller?.abort(new SendFailure('ok', detail))
  }

  #answer(detail: string | null): void {
    const isOk = this.#status !== null && this.#status < 300
    this.#settle(isOk ? 'ok' : 'http_error', textOf(this.#chunks), detail)
  }

  #settle(outcome: SendResult['outcome'], responseBody: string | null, detail: string | null): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    clearTimeout(this.#slowTimer)
    this.#chunks = []
    const durationMs = performance.now() - this.#startedMs
    this.#options.settle({ outcome, status: this.#status, responseBody, durationMs, detail })
  }
}

/** Decodes at most 64 KiB as UTF-8; an invalid byte becomes U+FFFD, which takes three bytes. */
function textOf(chunks: readonly Uint8Array[]): string {
  return chunks.length === 0 ? '' : withinBytes(Buffer.concat(chunks).toString('utf8'), webhookAnswer.bodyBytes)
}
