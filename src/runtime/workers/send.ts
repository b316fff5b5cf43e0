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
  /** Checks literal addresses only. The runtime resolves names, and cannot reach private networks. */
  guard: AddressGuard
  /** Allows https only. */
  strict: boolean
  /** Reaches the sandbox's own inboxes from inside; undefined for any other URL. */
  sendToOwn: (request: Request) => Promise<Response> | undefined
}

/** Calls `send` as soon as a connection to that origin is available. */
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
      strict: config.strictWebhooks,
      sendToOwn(request) {
        const { origin, host } = new URL(request.url)
        const homeHost = home()
        if (origin !== homeHost.origin) return undefined
        request.headers.set('Host', host)
        const { workspace } = addressOf(request, targetOf(request))
        if (workspace !== homeHost.workspace) {
          request.headers.set(addressHeader, `workspace ${homeHost.workspace}`)
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
  { guard, strict, sendToOwn: homeHost }: SenderRules,
  request: SendRequest,
  abort: AbortController,
  progress: SendProgress | undefined,
): Promise<Result> {
  const target = new URL(request.url)
  const outgoing = outgoingOf(request, abort.signal)
  const ownResponse = isInboxPath(target.pathname) ? homeHost(outgoing) : undefined
  const refusal = ownResponse === undefined ? refusalOf(target, strict, guard) : undefined
  if (refusal !== undefined) return { ...refusal, status: null, responseBody: null }
  const response = await (ownResponse ?? fetch(outgoing))
  progress?.sent()
  const { status } = response
  const { text, detail } = await bodyOf(response)
  return { outcome: status >= 200 && status < 300 ? 'ok' : 'http_error', status, responseBody: text, detail }
}

function refusalOf(target: URL, strict: boolean, guard: AddressGuard) {
  if (target.protocol !== 'https:' && (strict || target.protocol !== 'http:'))
    return { outcome: 'insecure_url', detail: 'http:// is not allowed here: use https://' } as const
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  if (isAddress) return guard(target.protocol, host, host)
  // The address of a name is unknown; a name in a private form counts as private.
  return guard(target.protocol, host, isPrivateHost(host) ? '127.0.0.1' : '1.1.1.1')
}

function outgoingOf(
  { url, headers, body, method = 'POST', splitBody: parting }: SendRequest,
  signal: AbortSignal,
): Request {
  const sent = method === 'GET' ? null : parting === undefined ? body : inParts(new TextEncoder().encode(body), parting)
  // The browser's types lack `duplex`.
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

/** Reads the body within the limits of bytes and time, as UTF-8. The headers alone determine the outcome of the delivery. */
async function bodyOf({ body }: Response): Promise<{ text: string; detail: string | null }> {
  const reader = body?.getReader()
  // A byte order mark is part of the text, as in Node.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let [text, bytes, detail] = ['', 0, null as string | null]
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    reader?.cancel().catch(() => undefined)
  }, webhookAnswer.bodyMs)
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      text += decoder.decode(next.value.subarray(0, webhookAnswer.bodyBytes - bytes), { stream: true })
      bytes += next.value.length
      if (bytes <= webhookAnswer.bodyBytes) continue
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

/** The runtime reports failures only as text; an unknown one counts as `reset`. */
const reasons: readonly (readonly [RegExp, Outcome])[] = [
  [/dns|lookup failed|no such host|name or service not known/i, 'dns'],
  [/tls|certificate|ssl/i, 'tls'],
  [/refused|unreachable|not permitted/i, 'refused'],
  [/connect(ion)? timed? ?out/i, 'connect_timeout'],
]

function failure(error: unknown, wasAborted: boolean): Result {
  const none = { status: null, responseBody: null }
  if (wasAborted) return { ...none, outcome: 'timeout', detail: `no response within ${webhookTimeouts.totalMs} ms` }
  const detail = messageOf(error).slice(0, 300)
  const found = reasons.find(([pattern]) => pattern.test(detail))
  return { ...none, outcome: found?.[1] ?? 'reset', detail }
}

// The connections for webhooks: at most as many as the runtime opens for one object, shared fairly among receivers.

/** Number of connections that the runtime opens for one object; it silently delays any further one. */
const maxConnections = 6
/** Returns whether a receiver with `own` connections gets another one while `free` are unused. */
type MayOpen = (openCount: number, free: number) => boolean

/** Gives one receiver at most three and leaves as many free, so it takes several hanging receivers to delay a healthy one. */
export const fairShare: MayOpen = (openCount, free) => openCount < free
/** Sets no limit, for a single receiver. */
export const wholeShare: MayOpen = () => true

interface Waiting {
  receiver: string
  start: () => void
}

export class Connections {
  readonly #open = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #openTogether = 0

  constructor(readonly share: MayOpen) {}

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
    if (this.#openTogether >= maxConnections) return
    const next = this.#leastServed()
    if (next === undefined) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#count(next.receiver, 1)
    next.start()
  }

  /**
   * Among the sends whose receiver may open another connection, returns one of the receiver with the fewest, and of
   * these the oldest.
   */
  #leastServed(): Waiting | undefined {
    const openTo = ({ receiver }: Waiting) => this.#open.get(receiver) ?? 0
    const free = maxConnections - this.#openTogether
    const withRoom = this.#waiting.filter((waiting) => this.share(openTo(waiting), free))
    const fewest = Math.min(...withRoom.map(openTo))
    return withRoom.find((waiting) => openTo(waiting) === fewest)
  }

  #count(receiver: string, change: 1 | -1): void {
    const open = (this.#open.get(receiver) ?? 0) + change
    if (open === 0) this.#open.delete(receiver)
    else this.#open.set(receiver, open)
    this.#openTogether += change
  }
}
