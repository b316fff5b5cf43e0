/** Sends events to the receiver that is tried: rightly, wrongly, again and again, and remembers what came of it. */

import { hmacHex } from '../../base/crypto.js'
import type { Parting, Send, SendRequest, SendResult } from '../../core/unit/send-port.js'
import { webhookAgent, webhookHeaders } from '../../protocol/platform/headers.js'
import { webhookAttempts } from '../../protocol/platform/limits.js'
import type { MadeEvent } from './cast.js'
import { Queue } from './queue.js'

/** How a call differs from the one that the platform would make. */
export interface Shot {
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
export interface Hit {
  event: MadeEvent
  request: SendRequest
  result: SendResult
}

export interface Delivery {
  accepted: boolean
  last: Hit
}

export interface Wire {
  readonly secret: string
  /** Seconds of real time, as they stand in a header. */
  nowSeconds(): number
  /** One attempt; those before it go first while the receiver answers quickly. */
  fire(event: MadeEvent, shot?: Shot): Promise<Hit>
  /** One attempt, whatever else is under way. */
  fireNow(event: MadeEvent, shot?: Shot): Promise<Hit>
  /** As the platform does it: attempt after attempt up its ladder, without the pauses between them. */
  deliver(event: MadeEvent, shot?: Shot): Promise<Delivery>
  readonly log: WireLog
}

export interface WireLog {
  /** Accepted ones, with how long each took. */
  accepted: Hit[]
  /** Those that were accepted only after the receiver itself had failed, with its first failure. */
  recovered: Hit[]
}

interface WireOptions {
  send: Send
  wallMs: () => number
  url: string
  secret: string
  /** Whether events say that they come from a sandbox. */
  sandbox: boolean
}

/** What is refused for good is not asked six times, and silence takes ten seconds each time. */
const attemptsAfter = { refusal: 2, silence: 2 } as const

export const isOk = ({ result }: Hit): boolean => result.outcome === 'ok'
/** Its own fault: an error of the server, or no answer at all. */
export const isFailure = ({ result }: Hit): boolean => result.status === null || result.status >= 500

export function createWire(options: WireOptions): Wire {
  const queue = new Queue()
  const log: WireLog = { accepted: [], recovered: [] }
  const nowSeconds = () => Math.floor(options.wallMs() / 1000)

  const attempt = async (event: MadeEvent, shot: Shot, onSlow?: () => void): Promise<Hit> => {
    const request = requestOf(options, event, shot, nowSeconds())
    return { event, request, result: await options.send(request, { sent() {}, slow: onSlow ?? (() => {}) }) }
  }
  const fire = (event: MadeEvent, shot: Shot = {}) =>
    new Promise<Hit>((resolve) => {
      queue.add(async (slow) => resolve(await attempt(event, shot, slow)))
    })
  return {
    secret: options.secret,
    log,
    nowSeconds,
    fire,
    fireNow: (event, shot = {}) => attempt(event, shot),
    async deliver(event, shot = {}) {
      const failed: Hit[] = []
      for (;;) {
        const last = await fire(event, shot)
        if (isOk(last)) {
          log.accepted.push(last)
          const first = failed.find(isFailure)
          if (first !== undefined) log.recovered.push(first)
          return { accepted: true, last }
        }
        failed.push(last)
        if (failed.length >= mostAttempts(last)) return { accepted: false, last }
      }
    },
  }
}

/** The bytes of a digest in base64. */
export const base64OfHex = (hex: string): string =>
  btoa(hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))

function mostAttempts(hit: Hit): number {
  if (/timeout/.test(hit.result.outcome)) return attemptsAfter.silence
  return isFailure(hit) ? webhookAttempts : attemptsAfter.refusal
}

function requestOf({ url, ...own }: WireOptions, event: MadeEvent, shot: Shot, nowSeconds: number): SendRequest {
  const { body = event.body, parting } = shot
  const signature = shot.signature === undefined ? hmacHex(shot.secret ?? own.secret, event.body) : shot.signature
  const timestamp = shot.timestamp === undefined ? String(nowSeconds - (shot.ageSeconds ?? 0)) : shot.timestamp
  const headers = {
    [webhookHeaders.type]: 'application/json',
    [webhookHeaders.event]: event.event,
    ...(signature === null ? {} : { [webhookHeaders.signature]: signature }),
    [webhookHeaders.id]: event.id,
    ...(timestamp === null ? {} : { [webhookHeaders.timestamp]: timestamp }),
    [webhookHeaders.agent]: webhookAgent,
    ...((shot.sandbox ?? own.sandbox) ? { [webhookHeaders.sandbox]: '1' } : {}),
  }
  return { url, headers, body, ...(parting === undefined ? {} : { parting }) }
}
