/** Sends webhooks with the runtime's `fetch`: no redirects, no private addresses, and within the documented time limits. */
import { withinBytes } from '../../base/text.js'
import { messageOf } from '../../base/unknown.js'
import type { Outcome, Send, SendProgress, SendRequest, SendResult, SplitBody } from '../../core/unit/ports.js'
import { addressOf } from '../../http/messages.js'
import { isInboxPath } from '../../protocol/control/webhooks.js'
import { internalHeader } from '../../protocol/platform/headers.js'
import { webhookAnswer, webhookTimeouts } from '../../protocol/platform/limits.js'
import { isPrivateHost } from '../../protocol/platform/webhook-hosts.js'
import { type AddressGuard, createAddressGuard } from '../shared/address-guard.js'
import type { Bindings, Settings } from './bindings.js'
import { entryPointOf, targetOf } from './entry-point.js'
import { addressHeader } from './quota.js'
import type { Home } from './runtime.js'

interface SenderRules {
  /** Checks addresses. Of a name, the address is unknown: the runtime looks it up, and cannot reach private networks. */
  guard: AddressGuard
  httpsOnly: boolean
  /** Sends to an inbox of this deployment without the network; undefined for any other origin. */
  sendToInbox: (request: Request) => Promise<Response> | undefined
}

/** Calls `send` as soon as a connection to `origin` is available. */
type Connect = <T>(origin: string, send: () => Promise<T>) => Promise<T>

export function senderOf(
  bindings: Bindings,
  settings: Settings,
  home: () => Home,
  connect: Connect,
  wall: () => number,
): Send {
  const { isLocal, allowHosts, config } = settings
  return createSend(
    {
      guard: createAddressGuard({ guardPrivate: !isLocal, allowHosts }),
      httpsOnly: config.strictWebhooks,
      sendToInbox(request) {
        const { origin, host } = new URL(request.url)
        const sender = home()
        if (origin !== sender.origin) return undefined
        request.headers.set('Host', host)
        const { workspace } = addressOf(request, targetOf(request))
        if (workspace !== sender.workspace) {
          request.headers.set(addressHeader, `workspace ${sender.workspace}`)
          return entryPointOf(bindings)(request)
        }
        request.headers.set(internalHeader, 'webhook')
        return bindings.WORKSPACES.getByName(workspace).fetch(request)
      },
    },
    connect,
    wall,
  )
}

/** Creates a sender. All time limits of a webhook start when it has its connection. */
function createSend(rules: SenderRules, connect: Connect, wall: () => number): Send {
  return (request, progress) =>
    connect(URL.canParse(request.url) ? new URL(request.url).origin : '', () => sendNow(rules, wall, request, progress))
}

async function sendNow(
  rules: SenderRules,
  wall: () => number,
  request: SendRequest,
  progress: SendProgress | undefined,
): Promise<SendResult> {
  const startedMs = wall()
  const abort = new AbortController()
  const timers = [
    setTimeout(() => abort.abort(), webhookTimeouts.totalMs),
    ...(progress === undefined ? [] : [setTimeout(progress.slow, webhookAnswer.slowMs)]),
  ]
  try {
    const answer = await exchange(rules, request, abort, progress)
    return { ...answer, durationMs: wall() - startedMs }
  } catch (error) {
    return { ...failure(error, abort.signal.aborted), durationMs: wall() - startedMs }
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
}

type Result = Omit<SendResult, 'durationMs'>

async function exchange(
  { guard, httpsOnly, sendToInbox }: SenderRules,
  request: SendRequest,
  abort: AbortController,
  progress: SendProgress | undefined,
): Promise<Result> {
  const target = new URL(request.url)
  const outgoing = outgoingOf(request, abort.signal)
  const ownResponse = isInboxPath(target.pathname) ? sendToInbox(outgoing) : undefined
  const refusal = ownResponse === undefined ? refusalOf(target, httpsOnly, guard) : undefined
  if (refusal !== undefined) return { ...refusal, status: null, responseBody: null }
  const response = await (ownResponse ?? fetch(outgoing))
  progress?.sent()
  const { status } = response
  const { text, detail } = await bodyOf(response)
  return { outcome: status >= 200 && status < 300 ? 'ok' : 'http_error', status, responseBody: text, detail }
}

function refusalOf(target: URL, httpsOnly: boolean, guard: AddressGuard) {
  if (target.protocol !== 'https:' && (httpsOnly || target.protocol !== 'http:'))
    return { outcome: 'insecure_url', detail: 'http:// is not allowed here: use https://' } as const
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  if (isAddress) return guard(target.protocol, host, host)
  // The address of a name is unknown, so an example of its kind stands for it: private for names such as `localhost`.
  return guard(target.protocol, host, isPrivateHost(host) ? '127.0.0.1' : '1.1.1.1')
}

function outgoingOf({ url, headers, body, method = 'POST', splitBody }: SendRequest, signal: AbortSignal): Request {
  const sent =
    method === 'GET' ? null : splitBody === undefined ? body : inParts(new TextEncoder().encode(body), splitBody)
  // TypeScript's types for `fetch` lack `duplex`, which a body in parts requires.
  const init = { method, headers, body: sent, redirect: 'manual', signal, duplex: 'half' } as RequestInit
  return new Request(url, init)
}

function inParts(bytes: Uint8Array, { atByte, pauseMs, end }: SplitBody): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const write = async () => {
    await writer.write(bytes.subarray(0, atByte))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (end === 'break') return writer.abort(new Error('aborted on purpose'))
    await writer.write(bytes.subarray(atByte))
    await writer.close()
  }
  // If the receiver disconnects, the request itself fails and reports it.
  write().catch(() => undefined)
  return readable
}

/** Reads the start of the response body, as UTF-8. `detail` says why it is not complete; the delivery counts all the same. */
async function bodyOf({ body }: Response): Promise<{ text: string; detail: string | null }> {
  const reader = body?.getReader()
  // A byte order mark is part of the text, as in Node.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let [text, readBytes, detail] = ['', 0, null as string | null]
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    reader?.cancel().catch(() => undefined)
  }, webhookAnswer.bodyMs)
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      text += decoder.decode(next.value.subarray(0, webhookAnswer.bodyBytes - readBytes), { stream: true })
      readBytes += next.value.length
      if (readBytes <= webhookAnswer.bodyBytes) continue
      detail = `body cut at ${webhookAnswer.bodyBytes} bytes`
      break
    }
    if (isLate) detail = `body not complete ${webhookAnswer.bodyMs} ms after the headers`
  } catch (error) {
    detail = `body incomplete: ${messageOf(error)}`
  } finally {
    clearTimeout(late)
    if (detail !== null) reader?.cancel().catch(() => undefined)
  }
  return { text: withinBytes(text + decoder.decode(), webhookAnswer.bodyBytes), detail }
}

/** The outcome by the text of an error, because the runtime reports no code. An unknown text counts as `reset`. */
const outcomesByText: readonly (readonly [RegExp, Outcome])[] = [
  [/dns|lookup failed|no such host|name or service not known/i, 'dns'],
  [/tls|certificate|ssl/i, 'tls'],
  [/refused|unreachable|not permitted/i, 'refused'],
  [/connect(ion)? timed? ?out/i, 'connect_timeout'],
]

function failure(error: unknown, wasAborted: boolean): Result {
  const none = { status: null, responseBody: null }
  if (wasAborted) return { ...none, outcome: 'timeout', detail: `no response within ${webhookTimeouts.totalMs} ms` }
  const detail = messageOf(error).slice(0, 300)
  const found = outcomesByText.find(([pattern]) => pattern.test(detail))
  return { ...none, outcome: found?.[1] ?? 'reset', detail }
}

// Connections: webhooks to all receivers share the few that the runtime opens for one object.

/** Number of connections that the runtime opens for one object; it silently delays any further one. */
const maxConnections = 6
/** Returns whether a receiver gets another connection, by the number that are open to it and the number that are unused. */
type MayOpen = (openToReceiver: number, unused: number) => boolean

/** One receiver gets at most half of the connections, so that one that hangs does not delay the others. */
export const fairShare: MayOpen = (openToReceiver, unused) => openToReceiver < unused
/** For a single receiver, which gets all connections. */
export const allToOneReceiver: MayOpen = () => true

interface Waiting {
  receiver: string
  start: () => void
}

export class Connections {
  readonly #openByReceiver = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #openCount = 0

  constructor(readonly mayOpen: MayOpen) {}

  /** Calls `send` as soon as a connection is available. */
  async withConnection<T>(receiver: string, send: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ receiver, start })
      this.#startNext()
    })
    try {
      return await send()
    } finally {
      this.#count(receiver, -1)
      this.#startNext()
    }
  }

  #startNext(): void {
    if (this.#openCount >= maxConnections) return
    const next = this.#leastServed()
    if (next === undefined) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#count(next.receiver, 1)
    next.start()
  }

  /** Returns the oldest send to the receiver with the fewest connections, of those that may open another one. */
  #leastServed(): Waiting | undefined {
    const openTo = ({ receiver }: Waiting) => this.#openByReceiver.get(receiver) ?? 0
    const unused = maxConnections - this.#openCount
    const allowed = this.#waiting.filter((waiting) => this.mayOpen(openTo(waiting), unused))
    const fewest = Math.min(...allowed.map(openTo))
    return allowed.find((waiting) => openTo(waiting) === fewest)
  }

  #count(receiver: string, change: 1 | -1): void {
    const open = (this.#openByReceiver.get(receiver) ?? 0) + change
    if (open === 0) this.#openByReceiver.delete(receiver)
    else this.#openByReceiver.set(receiver, open)
    this.#openCount += change
  }
}
