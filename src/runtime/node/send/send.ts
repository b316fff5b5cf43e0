/** The only module that sends webhooks (interface.md §6.1, §6.3): no redirects, no proxies, and responses are not trusted. */

import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { buildConnector, Dispatcher } from 'undici'
import type Pool from 'undici/lib/dispatcher/pool.js'
import { callAtLimit } from '../../../base/clock.js'
import { orElse, withinBytes } from '../../../base/text.js'
import type { Send, SendProgress, SendRequest, SendResult, SplitBody } from '../../../core/unit/ports.js'
import { webhookAnswer, webhookTimeouts } from '../../../protocol/platform/limits.js'
import { type AddressGuard, createAddressGuard, type Refusal } from '../../shared/address-guard.js'
import { callAfter, type OwnInboxes } from '../workspaces.js'
import { createConnector, createResolver, describeFailure, type Resolve, SendFailure } from './connect.js'

/** One origin that receives webhooks. */
interface Receiver {
  readonly origin: string
  readonly pool: Pool
  inFlight: number
  peak: number
  /** Number of open connections. */
  connected: number
  /**
   * Number of sends without connection reuse that remain, because this receiver has closed an idle connection; 0:
   * connections are reused.
   */
  sendsWithoutReuse: number
}

interface Receivers {
  /** Returns undefined for an origin that is new, or has been dropped. */
  find(origin: string): Receiver | undefined
  add(origin: string): Receiver
  /** Must be called before each send, and `endSend` after it. */
  beginSend(receiver: Receiver): void
  endSend(receiver: Receiver): void
  destroy(): Promise<void>
}

let PoolClass: typeof Pool | undefined

const isSenderLoaded = (): boolean => PoolClass !== undefined

/** Loaded with the first webhook: without undici, starting takes about a tenth less CPU time. */
async function loadSender(): Promise<void> {
  PoolClass = (await import('undici/lib/dispatcher/pool.js')).default
}

/** Limit of receivers in memory; the least recently used one is dropped. */
const maxReceivers = 1000
/** A pool keeps a record for each connection that it has had, so a pool with more is closed when it becomes idle. */
const maxPoolSize = 256
const sendsWithoutReuse = 100

/**
 * If a reused connection closes without an answer, the request is never sent again: the receiver may have processed it.
 * So this must not happen. Connections are not reused after one second of idleness, well before usual servers close
 * theirs; undici checks for a close before it writes; and if a receiver does close idle connections sooner, each send
 * gets a new one for a while.
 */
const poolOptions = { keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000, headersTimeout: 0, bodyTimeout: 0 }
const closedByReceiver: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Connections are not limited, neither in total nor for one receiver: a hanging connection costs only its socket. */
function createReceivers(connect: buildConnector.connector): Receivers {
  const receivers = new Map<string, Receiver>()
  const closingPools = new Set<Pool>()

  function create(origin: string, withoutReuse: number): Receiver {
    if (PoolClass === undefined) throw new Error('the webhook sender is not loaded')
    const pool = new PoolClass(origin, { ...poolOptions, connect, pipelining: withoutReuse > 0 ? 0 : 1 })
    const receiver = { origin, pool, inFlight: 0, peak: 0, connected: 0, sendsWithoutReuse: withoutReuse }
    receivers.set(origin, receiver)
    pool.on('connect', () => {
      receiver.connected += 1
    })
    pool.on('disconnect', (_origin, _targets, error) => {
      receiver.connected -= 1
      if (withoutReuse > 0 || !closedByReceiver.has(error.code) || receivers.get(origin) !== receiver) return
      retire(receiver)
      create(origin, sendsWithoutReuse)
    })
    return receiver
  }

  /** Drops a receiver: requests in flight finish, idle connections are closed. */
  function retire(receiver: Receiver): void {
    if (receivers.get(receiver.origin) === receiver) receivers.delete(receiver.origin)
    if (closingPools.has(receiver.pool) || receiver.pool.closed) return
    closingPools.add(receiver.pool)
    receiver.pool.close(() => closingPools.delete(receiver.pool))
  }

  return {
    find(origin) {
      const receiver = receivers.get(origin)
      if (receiver === undefined) return undefined
      receivers.delete(origin)
      receivers.set(origin, receiver)
      return receiver
    },
    add(origin) {
      const receiver = create(origin, 0)
      if (receivers.size > maxReceivers)
        for (const oldest of [...receivers.values()].slice(0, -maxReceivers)) retire(oldest)
      return receiver
    },
    beginSend(receiver) {
      receiver.inFlight += 1
      receiver.peak = Math.max(receiver.peak, receiver.inFlight)
    },
    endSend(receiver) {
      receiver.inFlight -= 1
      const mayReuseAgain = receiver.sendsWithoutReuse > 0 && --receiver.sendsWithoutReuse === 0
      if (mayReuseAgain || (receiver.inFlight === 0 && receiver.peak > maxPoolSize)) retire(receiver)
    },
    async destroy() {
      const pools = [...[...receivers.values()].map(({ pool }) => pool), ...closingPools]
      receivers.clear()
      await Promise.all(pools.map((pool) => pool.destroy()))
    },
  }
}

// One webhook request and its response: the timeouts, the limit of the response body, and the outcome.

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
class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedMs = performance.now()
  #controller: Dispatcher.DispatchController | undefined
  #status: number | null = null
  #chunks: Uint8Array[] = []
  #bytes = 0
  #settled = false
  #cancelLimit: () => void
  readonly #cancelSlow: (() => void) | undefined

  constructor(private readonly options: ExchangeOptions) {
    const { progress, totalTimeoutMs } = options
    this.#cancelLimit = this.#after(totalTimeoutMs, () => this.#timeout())
    this.#cancelSlow = progress && this.#after(webhookAnswer.slowMs, progress.slow)
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
    this.options.progress?.sent()
    this.#cancelLimit()
    const leftMs = this.options.totalTimeoutMs - (performance.now() - this.#startedMs)
    const bodyMs = Math.max(1, Math.min(webhookAnswer.bodyMs, leftMs))
    this.#cancelLimit = this.#after(bodyMs, () =>
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
    const { outcome, detail } = describeFailure(error, this.options.isHttps, this.#controller !== undefined)
    if (this.#status === null) this.#settle(outcome, null, detail)
    else this.#answer(`body incomplete: ${detail}`)
  }

  /** Waits one more turn of the event loop, so that a response that has arrived takes precedence over a late timer. */
  #after(limitMs: number, then: () => void): () => void {
    const isCurrent = () => !this.#settled && (cancel === this.#cancelLimit || cancel === this.#cancelSlow)
    const cancel = callAtLimit(callAfter, limitMs, () => void setImmediate(() => isCurrent() && then()))
    return cancel
  }

  #timeout(): void {
    this.#settle('timeout', null, `no response within ${this.options.totalTimeoutMs} ms`)
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
    this.#cancelLimit()
    this.#cancelSlow?.()
    this.#chunks = []
    const durationMs = performance.now() - this.#startedMs
    this.options.settle({ outcome, status: this.#status, responseBody, durationMs, detail })
  }
}

/** Decodes at most 64 KiB as UTF-8; an invalid byte becomes U+FFFD, which takes three bytes. */
function textOf(chunks: readonly Uint8Array[]): string {
  return chunks.length === 0 ? '' : withinBytes(Buffer.concat(chunks).toString('utf8'), webhookAnswer.bodyBytes)
}

/** Time limits (default: the limits of interface.md §6.3). */
export interface SendTimeouts {
  /** Time limit for name lookup, TCP and TLS together. */
  connectMs?: number
  /** Time limit from the start of the call to the headers of the response. */
  totalMs?: number
}

export interface SenderOptions {
  /** Blocks addresses that are not public, in any notation. Used when the sandbox is shared. */
  guardPrivate: boolean
  /** Names or addresses that `guardPrivate` does not block. */
  allowHosts: readonly string[]
  /** Allows https only. */
  httpsOnly: boolean
  timeouts?: SendTimeouts | undefined
  /** Certificate of an authority that is trusted too, as PEM. */
  authority?: string | null
  /** The sandbox's own inboxes, which are exempt from these rules. */
  inboxes?: OwnInboxes | undefined
  /** Resolves names to addresses (default: the operating system's resolver). */
  resolve?: Resolve
}

export interface Sender {
  send: Send
  /** Closes all connections at once; sends in flight settle as `reset`. To let them finish, await them first. */
  close(): Promise<void>
}

/** Creates a sender in which receivers do not affect each other: a hanging receiver costs only its own sockets. */
export function createSender(options: SenderOptions): Sender {
  const { timeouts = {}, resolve = createResolver(), authority = null } = options
  const { connectMs = webhookTimeouts.connectMs, totalMs = webhookTimeouts.totalMs } = timeouts
  const publicRoute = createRoute(createAddressGuard(options), options.httpsOnly, resolve, connectMs, authority)
  const ownRoute =
    options.inboxes && createRoute(ownInboxGuard(options.inboxes, options), false, resolve, connectMs, authority)
  let isClosed = false

  const send: Send = (request, progress) => {
    if (!isSenderLoaded()) return loadSender().then(() => send(request, progress))
    const target = parseTarget(request.url)
    if (isClosed || target === undefined) return Promise.resolve(unsentResult(isClosed ? closed : notHttp))
    const { receivers, refuse } = ownRoute !== undefined && options.inboxes?.covers(target) ? ownRoute : publicRoute
    const known = receivers.find(target.origin)
    // The rules are checked once for each receiver; names are checked again at each connection.
    const refusal = known === undefined ? refuse(target) : undefined
    if (refusal !== undefined) return Promise.resolve(unsentResult(refusal))
    const receiver = known ?? receivers.add(target.origin)
    const isOnKeptConnection = receiver.inFlight < receiver.connected
    receivers.beginSend(receiver)
    return new Promise((done) => {
      const settle = (result: SendResult) => {
        receivers.endSend(receiver)
        done(result)
      }
      const isHttps = target.protocol === 'https:'
      const exchange = new Exchange({ isHttps, totalTimeoutMs: totalMs, progress, settle })
      receiver.pool.dispatch({ path: target.pathname + target.search, ...outgoing(request) }, exchange)
      if (isOnKeptConnection) progress?.sent()
    })
  }

  async function close(): Promise<void> {
    isClosed = true
    await Promise.all([publicRoute.destroy(), ownRoute?.destroy()])
  }
  return { send, close }
}

function outgoing({ method = 'POST', headers, body, splitBody: parting }: SendRequest) {
  if (method === 'GET') return { method, headers }
  if (parting === undefined) return { method, headers, body }
  const bytes = Buffer.from(body)
  return { method, headers: { ...headers, 'Content-Length': String(bytes.length) }, body: inParts(bytes, parting) }
}

function inParts(bytes: Buffer, { atByte, pauseMs, end }: SplitBody): Readable {
  return Readable.from(
    (async function* () {
      yield bytes.subarray(0, atByte)
      await pause(pauseMs, undefined, { ref: false })
      if (end === 'break') throw new Error('aborted on purpose')
      yield bytes.subarray(atByte)
    })(),
  )
}

const notHttp: Refusal = { outcome: 'insecure_url', detail: 'not an http:// or https:// URL' }
const notStrict: Refusal = {
  outcome: 'insecure_url',
  detail: 'http:// is not allowed with strict webhooks: use https://',
}
const closed: Refusal = { outcome: 'refused', detail: 'the sender is closed' }

function parseTarget(url: string): URL | undefined {
  const target = orElse(undefined, () => new URL(url))
  return target?.protocol === 'https:' || target?.protocol === 'http:' ? target : undefined
}

/** A set of rules, and the connections made under them. */
function createRoute(
  guard: AddressGuard,
  isStrict: boolean,
  resolve: Resolve,
  connectMs: number,
  authority: string | null,
) {
  const connector = createConnector(guard, resolve, connectMs, authority)
  const receivers = createReceivers(connector.connect)
  return {
    receivers,
    /** Checks what is known without a lookup: the scheme, and literal addresses, which sockets never look up. */
    refuse(target: URL): Refusal | undefined {
      if (isStrict && target.protocol !== 'https:') return notStrict
      const host = target.hostname.replace(/^\[|\]$/g, '')
      return isIP(host) === 0 ? undefined : guard(target.protocol, host, host)
    },
    destroy() {
      connector.destroy()
      return receivers.destroy()
    },
  }
}

/** Always allows the sandbox's own inboxes; if the address turns out to be elsewhere, the usual rules apply. */
function ownInboxGuard(inboxes: OwnInboxes, options: SenderOptions): AddressGuard {
  const elsewhere = options.httpsOnly ? () => notStrict : createAddressGuard(options)
  return (protocol, host, address) => (inboxes.isHere(address) ? undefined : elsewhere(protocol, host, address))
}

function unsentResult({ outcome, detail }: Refusal): SendResult {
  return { outcome, status: null, responseBody: null, durationMs: 0, detail }
}
