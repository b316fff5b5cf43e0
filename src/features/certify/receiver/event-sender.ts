/** Sends correct, incorrect and repeated events to the receiver under test, and records the results. */

import { webhookAttempts } from '../../../inside/platform.js'
import { hmacHex } from '../../../inside/secrets.js'
import {
  DeliveryQueue,
  headersOf,
  type QueueWidths,
  type Send,
  type SendProgress,
  type SendRequest,
  type SendResult,
  type SplitBody,
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

export interface Delivery {
  accepted: boolean
  last: Attempt
}

export interface EventSender {
  readonly secret: string
  /** Real time in whole seconds, as in the timestamp header. */
  nowSeconds(): number
  /** Makes one attempt. While the receiver answers quickly, the attempt waits for earlier ones. */
  send(event: TestEvent, options?: AttemptOptions): Promise<Attempt>
  /** Makes one attempt immediately, in parallel with others. */
  sendNow(event: TestEvent, options?: AttemptOptions): Promise<Attempt>
  /** Delivers as the platform does: repeats failed attempts, but without the pauses between them. */
  deliver(event: TestEvent, options?: AttemptOptions): Promise<Delivery>
  readonly log: SenderLog
}

interface SenderLog {
  /** Accepted attempts, with their durations. */
  accepted: Attempt[]
  /** The failed first attempts of events that were accepted later, if the receiver itself had failed. */
  recovered: Attempt[]
}

interface SenderOptions {
  send: Send
  wallMs: () => number
  url: string
  secret: string
  /** Whether events carry the `X-Sandbox` header. */
  sandbox: boolean
}

/** Limits of attempts: a clear rejection needs no six attempts, and each timeout takes ten seconds. */
const maxAttemptsAfter = { rejection: 2, silence: 2 } as const

/** Limits of parallel calls: one while the receiver answers quickly, ten while it is slow. */
const oneAtATime: QueueWidths = { receiver: 10, silent: 10, quick: 1 }

export const isOk = ({ result }: Attempt): boolean => result.outcome === 'ok'
/** Whether the receiver itself failed: a 5xx, or no answer. */
export const isFailure = ({ result }: Attempt): boolean => result.status === null || result.status >= 500

export function createEventSender(options: SenderOptions): EventSender {
  const queue = new DeliveryQueue(oneAtATime)
  const log: SenderLog = { accepted: [], recovered: [] }
  const nowSeconds = () => Math.floor(options.wallMs() / 1000)

  const sendAttempt = async (event: TestEvent, changes: AttemptOptions, progress?: SendProgress): Promise<Attempt> => {
    const request = requestOf(options, event, changes, nowSeconds())
    return { event, request, result: await options.send(request, progress) }
  }
  const send = (event: TestEvent, changes: AttemptOptions = {}) =>
    new Promise<Attempt>((resolve) => {
      const run = async (progress: SendProgress) => {
        resolve(await sendAttempt(event, changes, progress))
        return 'answered' as const
      }
      queue.add({ receiver: options.url, object: null, run })
    })
  return {
    secret: options.secret,
    log,
    nowSeconds,
    send,
    sendNow: (event, changes = {}) => sendAttempt(event, changes),
    async deliver(event, changes = {}) {
      const failed: Attempt[] = []
      for (;;) {
        const last = await send(event, changes)
        if (isOk(last)) {
          log.accepted.push(last)
          const first = failed.find(isFailure)
          if (first !== undefined) log.recovered.push(first)
          return { accepted: true, last }
        }
        failed.push(last)
        if (failed.length >= maxAttempts(last)) return { accepted: false, last }
      }
    },
  }
}

/** Converts a hex digest to Base64. */
export const base64OfHex = (hex: string): string =>
  btoa(hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))

function maxAttempts(attempt: Attempt): number {
  if (/timeout/.test(attempt.result.outcome)) return maxAttemptsAfter.silence
  return isFailure(attempt) ? webhookAttempts : maxAttemptsAfter.rejection
}

function requestOf(
  { url, ...own }: SenderOptions,
  event: TestEvent,
  options: AttemptOptions,
  nowSeconds: number,
): SendRequest {
  const { body = event.body, parting, signature, timestamp } = options
  const headers = headersOf({
    event: options.eventName ?? event.event,
    id: event.id,
    signature: signature === undefined ? hmacHex(options.secret ?? own.secret, event.body) : signature,
    timestamp: timestamp === undefined ? String(nowSeconds - (options.ageSeconds ?? 0)) : timestamp,
    isSandbox: options.sandbox ?? own.sandbox,
  })
  return { url, headers, body, ...(parting === undefined ? {} : { splitBody: parting }) }
}
