/** The only module that sends webhooks (§6.1, §6.3): no redirects, no proxies, and responses are not trusted. */
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Send, SendRequest, SendResult, SplitBody } from '../../../core/unit/send-port.js'
import { webhookTimeouts } from '../../../protocol/platform/limits.js'
import { type AddressGuard, createAddressGuard, type Refusal } from '../../shared/address-guard.js'
import type { OwnInboxes } from '../own-inboxes.js'
import { createConnector, createResolver, type Resolve } from './connect.js'
import { Exchange } from './exchange.js'
import { createReceivers, isSenderLoaded, loadSender } from './receivers.js'

/** Time limits (default: the limits of §6.3). */
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
  strict: boolean
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
  const publicRoute = createRoute(createAddressGuard(options), options.strict, resolve, connectMs, authority)
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
  try {
    const target = new URL(url)
    return target.protocol === 'https:' || target.protocol === 'http:' ? target : undefined
  } catch {
    return undefined
  }
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
  const elsewhere = options.strict ? () => notStrict : createAddressGuard(options)
  return (protocol, host, address) => (inboxes.isHere(address) ? undefined : elsewhere(protocol, host, address))
}

function unsentResult({ outcome, detail }: Refusal): SendResult {
  return { outcome, status: null, responseBody: null, durationMs: 0, detail }
}
