/** One exchange in transit: copies of both bodies, and its end. */
import type { IncomingMessage } from 'node:http'
import type { Exchange, Message } from '../file/exchange.js'
import { type BodyBudget, BodyCopy } from './body-copy.js'
import { type Pairs, pairsOf, withHost } from './raw-headers.js'

export interface ExchangeOptions {
  /** The target: an API whose paths are appended, or the exact address of a receiver. */
  target: URL
  isWebhook: boolean
  budget: BodyBudget
  now: () => number
  /** Resolves when the exchange is written or left out. */
  onExchange(exchange: Exchange): Promise<void>
  /** Called before any part of a response leaves, which then waits for `leave`. */
  beforeAnswer(leave: () => void): void
  onFault(message: string): void
  /** Called if an exchange breaks off or gets no answer. */
  onLost(): void
}

interface AnswerHead {
  statusCode?: number | undefined
  statusMessage?: string | undefined
  rawHeaders: readonly string[]
}

export const basePathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '')

export class RunningExchange {
  readonly request: BodyCopy
  readonly answer: BodyCopy
  readonly #startedAtMs: number
  #beganAtMs = 0
  #isOver = false

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly options: ExchangeOptions,
  ) {
    this.request = new BodyCopy(options.budget)
    this.answer = new BodyCopy(options.budget)
    this.#startedAtMs = options.now()
  }

  answerBegins(): void {
    this.#beganAtMs = this.options.now()
  }

  /** Only the first call counts. */
  recorded(answer: AnswerHead): void {
    this.#end(() => this.options.onExchange(this.#exchange(answer)))
  }

  lost(): void {
    this.#end(async () => this.options.onLost())
  }

  /** The copies count in the budget until they are no longer needed. */
  #end(work: () => Promise<void>): void {
    if (this.#isOver) return
    this.#isOver = true
    void work().finally(() => {
      this.request.release()
      this.answer.release()
    })
  }

  #exchange({ statusCode = 0, statusMessage = '', rawHeaders }: AnswerHead): Exchange {
    const { target, isWebhook, now } = this.options
    const { rawHeaders: rawRequestHeaders, url = '', method = '', httpVersion } = this.incoming
    return {
      isWebhook,
      base: target.origin + (isWebhook ? '' : basePathOf(target)),
      target: isWebhook ? target.pathname + target.search : url,
      method,
      httpVersion,
      request: messageOf(withHost(pairsOf(rawRequestHeaders), target), this.request),
      answer: { ...messageOf(pairsOf(rawHeaders), this.answer), status: statusCode, statusText: statusMessage },
      startedAtMs: this.#startedAtMs,
      waitMs: this.#beganAtMs - this.#startedAtMs,
      receiveMs: now() - this.#beganAtMs,
    }
  }
}

function messageOf(headers: Pairs, copy: BodyCopy): Message {
  return { headers, body: copy.whole(), bodyBytes: copy.bytes }
}
