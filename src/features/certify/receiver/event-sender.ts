/** Sends correct, incorrect and repeated events to the receiver under test, and records the results. */

import { webhookAttempts } from '../../../inside/platform.js'
import { hmacHex } from '../../../inside/secrets.js'
import {
  DeliveryQueue,
  headersOf,
  type QueueWidths,
  type SendProgress,
  type SendRequest,
  type SendResult,
  type SplitBody,
  type Workspace,
} from '../../../inside/workspace.js'
import type { TestEvent } from './test-events.js'

/** How an attempt differs from the one that the platform would make. */
export interface AttemptOptions {
  /** Body that is sent instead of the signed body. */
  body?: string
  /** Signature header; null: the header is omitted. */
  signature?: string | null
  secret?: string
  /** Header with the name of the event, which is not signed. */
  eventName?: string
  /** Timestamp header; null: the header is omitted. */
  timestamp?: string | null
  /** Age of the timestamp when it is sent. */
  ageSeconds?: number
  sandbox?: boolean
  parting?: SplitBody
}

/** One attempt and its result. */
export interface Attempt {
  event: TestEvent
  request: SendRequest
  result: SendResult
}

/** A clear rejection needs no six attempts, and each timeout takes ten seconds. */
const fewAttempts = 2

/** Limits of parallel calls: one while the receiver answers quickly, ten while it is slow. */
const oneAtATime: QueueWidths = { receiver: 10, silent: 10, quick: 1 }

export const isOk = ({ result }: Attempt): boolean => result.outcome === 'ok'
/** Whether the receiver itself failed: a 5xx, or no answer. */
export const isFailure = ({ result }: Attempt): boolean => result.status === null || result.status >= 500

export class EventSender {
  /** The accepted attempts, and the failed first ones of events that were accepted later, if the receiver itself had failed. */
  readonly log: Record<'accepted' | 'recovered', Attempt[]> = { accepted: [], recovered: [] }
  readonly #queue = new DeliveryQueue(oneAtATime)

  constructor(
    readonly ws: Workspace,
    readonly url: string,
    readonly secret: string,
    /** Whether events carry the `X-Sandbox` header. */
    readonly isSandbox: boolean,
  ) {}

  /** Real time in whole seconds, as in the timestamp header. */
  nowSeconds = (): number => Math.floor(this.ws.clock.wall() / 1000)

  /** Makes one attempt. While the receiver answers quickly, the attempt waits for earlier ones. */
  send(event: TestEvent, options: AttemptOptions = {}): Promise<Attempt> {
    return new Promise((resolve) => {
      const run = async (progress: SendProgress) => {
        resolve(await this.sendNow(event, options, progress))
        return 'answered' as const
      }
      this.#queue.add({ receiver: this.url, object: null, run })
    })
  }

  /** Makes one attempt immediately, in parallel with others. */
  async sendNow(event: TestEvent, options: AttemptOptions = {}, progress?: SendProgress): Promise<Attempt> {
    const { body = event.body, parting, signature, timestamp, secret = this.secret, ageSeconds = 0 } = options
    const headers = headersOf({
      event: options.eventName ?? event.event,
      id: event.id,
      signature: signature === undefined ? hmacHex(secret, event.body) : signature,
      timestamp: timestamp === undefined ? String(this.nowSeconds() - ageSeconds) : timestamp,
      isSandbox: options.sandbox ?? this.isSandbox,
    })
    const request = { url: this.url, headers, body, ...(parting === undefined ? {} : { splitBody: parting }) }
    return { event, request, result: await this.ws.send(request, progress) }
  }

  /** Delivers as the platform does: repeats failed attempts, but without the pauses between them. */
  async deliver(event: TestEvent, options: AttemptOptions = {}): Promise<{ accepted: boolean; last: Attempt }> {
    let failure: Attempt | undefined
    for (let attempts = 1; ; attempts++) {
      const last = await this.send(event, options)
      if (isOk(last)) {
        this.log.accepted.push(last)
        if (failure !== undefined) this.log.recovered.push(failure)
        return { accepted: true, last }
      }
      if (isFailure(last)) failure ??= last
      if (attempts >= maxAttempts(last)) return { accepted: false, last }
    }
  }

  /** Whether the first attempt of one of the events failed, and a later one was accepted. */
  hasRecovered = (events: readonly TestEvent[]): boolean =>
    this.log.recovered.some((attempt) => events.some(({ id }) => id === attempt.event.id))
}

/** Converts a hex digest to Base64. */
export const base64OfHex = (hex: string): string =>
  btoa(hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))

const maxAttempts = (attempt: Attempt): number =>
  isFailure(attempt) && !/timeout/.test(attempt.result.outcome) ? webhookAttempts : fewAttempts
