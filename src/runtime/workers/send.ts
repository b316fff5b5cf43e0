/** Sends webhooks by the runtime's `fetch`: no redirects, not to addresses that are not public, and never longer than documented. */
import { withinBytes } from '../../base/text.js'
import type { Outcome, Parting, Send, SendProgress, SendRequest, SendResult } from '../../core/unit/send-port.js'
import { addressOf } from '../../http/guard.js'
import { isInboxPath } from '../../protocol/control/inbox.js'
import { webhookAnswer, webhookTimeouts } from '../../protocol/platform/limits.js'
import { isPrivateHost } from '../../protocol/platform/webhook-hosts.js'
import { type AddressGuard, createAddressGuard } from '../shared/address-guard.js'
import type { Bindings, Home } from './bindings.js'
import { doorOf, insideHeader, targetOf } from './door.js'
import type { Settings } from './settings.js'
import { addressHeader } from './strangers.js'

interface SenderRules {
  /** Asked about addresses that stand in a URL as such; names are looked up by the runtime, which leads to no private network. */
  guard: AddressGuard
  /** https only. */
  strict: boolean
  /** The sandbox's own inboxes are reached without leaving it; undefined for a URL that is not ours. */
  own: (request: Request) => Promise<Response> | undefined
}

/** `connect` calls what it is given once there is a connection to that origin. */
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
      own(request) {
        const { origin, host } = new URL(request.url)
        const own = home()
        if (origin !== own.origin) return undefined
        request.headers.set('Host', host)
        const { workspace } = addressOf(request, targetOf(request))
        if (workspace !== own.workspace) {
          request.headers.set(addressHeader, `workspace ${own.workspace}`)
          return doorOf(bindings)(request)
        }
        request.headers.set(insideHeader, 'webhook')
        return bindings.WORKSPACES.getByName(workspace).fetch(request)
      },
    },
    connect,
    wall,
  )
}

/** Every clock that runs on a webhook starts when it has its connection. */
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
  { guard, strict, own }: SenderRules,
  request: SendRequest,
  abort: AbortController,
  progress: SendProgress | undefined,
): Promise<Result> {
  const target = new URL(request.url)
  const outgoing = outgoingOf(request, abort.signal)
  const inside = isInboxPath(target.pathname) ? own(outgoing) : undefined
  const refusal = inside === undefined ? refusalOf(target, strict, guard) : undefined
  if (refusal !== undefined) return { ...refusal, status: null, responseBody: null }
  const response = await (inside ?? fetch(outgoing))
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
  // Where a name leads to is not told: one that is private by its form counts as such.
  return guard(target.protocol, host, isPrivateHost(host) ? '127.0.0.1' : '1.1.1.1')
}

function outgoingOf({ url, headers, body, method = 'POST', parting }: SendRequest, signal: AbortSignal): Request {
  const sent = method === 'GET' ? null : parting === undefined ? body : inParts(new TextEncoder().encode(body), parting)
  // The types of the browser know no half-open requests.
  const init = { method, headers, body: sent, redirect: 'manual', signal, duplex: 'half' } as RequestInit
  return new Request(url, init)
}

function inParts(bytes: Uint8Array, { atByte, pauseMs, end }: Parting): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const write = async () => {
    await writer.write(bytes.subarray(0, atByte))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (end === 'break') return writer.abort(new Error('broken off on purpose'))
    await writer.write(bytes.subarray(atByte))
    await writer.close()
  }
  // Where the receiver has gone, the request itself fails and says so.
  write().catch(() => undefined)
  return readable
}

/** At most so many bytes, as they came and as UTF-8, and so long; the headers alone decide what became of the delivery. */
async function bodyOf({ body }: Response): Promise<{ text: string; detail: string | null }> {
  const reader = body?.getReader()
  // As on one machine: a mark of byte order is part of the text.
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
    detail = `body broke off: ${messageOf(error)}`
  } finally {
    clearTimeout(late)
    if (detail !== null) reader?.cancel().catch(() => undefined)
  }
  return { text: withinBytes(text + decoder.decode(), webhookAnswer.bodyBytes), detail }
}

/** The runtime tells its failures in words; what it does not say is `reset`. */
const reasons: readonly (readonly [RegExp, Outcome])[] = [
  [/dns|lookup failed|no such host|name or service not known/i, 'dns'],
  [/tls|certificate|ssl/i, 'tls'],
  [/refused|unreachable|not permitted/i, 'refused'],
  [/connect(ion)? timed? ?out/i, 'connect_timeout'],
]

function failure(error: unknown, wasAborted: boolean): Result {
  const none = { status: null, responseBody: null }
  if (wasAborted) return { ...none, outcome: 'timeout', detail: `no answer in ${webhookTimeouts.totalMs} ms` }
  const detail = messageOf(error).slice(0, 300)
  const found = reasons.find(([pattern]) => pattern.test(detail))
  return { ...none, outcome: found?.[1] ?? 'reset', detail }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
