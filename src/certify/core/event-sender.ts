/** Sends events to the receiver that is tried: rightly, wrongly, again and again, and remembers what came of it. */

import { hmacHex } from '../../base/crypto.js'
import type { Parting, Send, SendRequest, SendResult } from '../../core/unit/send-port.js'
import { webhookAgent, webhookHeaders } from '../../protocol/platform/headers.js'
import { webhookAttempts } from '../../protocol/platform/limits.js'
import { Queue } from './queue.js'
import type { TestEvent } from './test-events.js'

/** How a call differs from the one that the platform would make. */
export interface AttemptOptions {
  /** Goes out instead of the body that is signed. */
  body?: string
  /** null: the header is left out. */
  signature?: string | null
  secret?: string
  /** null: the header is left out. */
  timestamp?: string | null
  /** How old the timestamp is when it goes out. */
  ageSeconds?: number
  sandbox?: boolean
  parting?: Parting
}

/** One attempt and what became of it. */
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
  /** Seconds of real time, as they stand in a header. */
  nowSeconds(): number
  /** One attempt; those before it go first while the receiver answers quickly. */
  send(event: TestEvent, options?: AttemptOptions): Promise<Attempt>
  /** One attempt, whatever else is under way. */
  sendNow(event: TestEvent, options?: AttemptOptions): Promise<Attempt>
  /** As the platform does it: attempt after attempt up its ladder, without the pauses between them. */
  deliver(event: TestEvent, options?: AttemptOptions): Promise<Delivery>
  readonly log: SenderLog
}

export interface SenderLog {
  /** Accepted ones, with how long each took. */
  accepted: Attempt[]
  /** Those that were accepted only after the receiver itself had failed, with its first failure. */
  recovered: Attempt[]
}

interface SenderOptions {
  send: Send
  wallMs: () => number
  url: string
  secret: string
  /** Whether events say that they come from a sandbox. */
  sandbox: boolean
}

/** What is refused for good is not asked six times, and silence takes ten seconds each time. */
const maxAttemptsAfter = { rejection: 2, silence: 2 } as const

export const isOk = ({ result }: Attempt): boolean => result.outcome === 'ok'
/** Its own fault: an error of the server, or no answer at all. */
export const isFailure = ({ result }: Attempt): boolean => result.status === null || result.status >= 500

export function createEventSender(options: SenderOptions): EventSender {
  const queue = new Queue()
  const log: SenderLog = { accepted: [], recovered: [] }
  const nowSeconds = () => Math.floor(options.wallMs() / 1000)

  const sendAttempt = async (event: TestEvent, changes: AttemptOptions, onSlow?: () => void): Promise<Attempt> => {
    const request = requestOf(options, event, changes, nowSeconds())
    return { event, request, result: await options.send(request, { sent() {}, slow: onSlow ?? (() => {}) }) }
  }
  const send = (event: TestEvent, changes: AttemptOptions = {}) =>
    new Promise<Attempt>((resolve) => {
      queue.add(async (slow) => resolve(await sendAttempt(event, changes, slow)))
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

/** The bytes of a digest in base64. */
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
  const { body = event.body, parting } = options
  const signature =
    options.signature === undefined ? hmacHex(options.secret ?? own.secret, event.body) : options.signature
  const timestamp = options.timestamp === undefined ? String(nowSeconds - (options.ageSeconds ?? 0)) : options.timestamp
  const headers = {
    [webhookHeaders.type]: 'application/json',
    [webhookHeaders.event]: event.event,
    ...(signature === null ? {} : { [webhookHeaders.signature]: signature }),
    [webhookHeaders.id]: event.id,
    ...(timestamp === null ? {} : { [webhookHeaders.timestamp]: timestamp }),
    [webhookHeaders.agent]: webhookAgent,
    ...((options.sandbox ?? own.sandbox) ? { [webhookHeaders.sandbox]: '1' } : {}),
  }
  return { url, headers, body, ...(parting === undefined ? {} : { parting }) }
}
