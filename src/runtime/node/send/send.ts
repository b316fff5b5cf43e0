/** The one module that sends webhooks out (§6.1, §6.3): no redirects, no proxies, no trust in what answers. */
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Parting, Send, SendRequest, SendResult } from '../../../core/unit/send-port.js'
import { webhookTimeouts } from '../../../protocol/platform/limits.js'
import { type AddressGuard, createAddressGuard, type Refusal } from '../../shared/address-guard.js'
import type { OwnInboxes } from '../own-inboxes.js'
import { createConnector, createResolver, type Resolve } from './connect.js'
import { Exchange } from './exchange.js'
import { createReceivers, isSenderLoaded, loadSender } from './receivers.js'

/** Those of §6.3 where absent. */
export interface SendTimeouts {
  /** Name lookup, TCP and TLS together. */
  connectMs?: number
  /** From the call to the headers of the answer. */
  totalMs?: number
}

export interface SenderOptions {
  /** Refuse every address that is not public, in any notation: for a sandbox that others can reach. */
  guardPrivate: boolean
  /** Names or addresses that `guardPrivate` leaves alone. */
  allowHosts: readonly string[]
  /** https only. */
  strict: boolean
  timeouts?: SendTimeouts | undefined
  /** Inboxes of ours, which none of these rules keeps webhooks from. */
  own?: OwnInboxes | undefined
  /** How names become addresses; the operating system's way by default. */
  resolve?: Resolve
}

export interface Sender {
  send: Send
  /** Ends every connection at once; what is under way settles as `reset`. Await your sends first if they shall finish. */
  close(): Promise<void>
}

/** @returns a sender whose receivers share nothing but this process: hanging ones cost their sockets and no more. */
export function createSender(options: SenderOptions): Sender {
  const { timeouts = {}, resolve = createResolver() } = options
  const { connectMs = webhookTimeouts.connectMs, totalMs = webhookTimeouts.totalMs } = timeouts
  const anywhere = createWay(createAddressGuard(options), options.strict, resolve, connectMs)
  const home = options.own && createWay(homeGuard(options.own, options), false, resolve, connectMs)
  let isClosed = false

  const send: Send = (request, progress) => {
    if (!isSenderLoaded()) return loadSender().then(() => send(request, progress))
    const target = parseTarget(request.url)
    if (isClosed || target === undefined) return Promise.resolve(unsent(isClosed ? closed : notHttp))
    const { receivers, refuse } = home !== undefined && options.own?.covers(target) ? home : anywhere
    const known = receivers.find(target.origin)
    // Asked once for each receiver here; names are asked about again at each connection.
    const refusal = known === undefined ? refuse(target) : undefined
    if (refusal !== undefined) return Promise.resolve(unsent(refusal))
    const receiver = known ?? receivers.add(target.origin)
    const isOnKeptConnection = receiver.inFlight < receiver.connected
    receivers.enter(receiver)
    return new Promise((done) => {
      const settle = (result: SendResult) => {
        receivers.leave(receiver)
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
    await Promise.all([anywhere.destroy(), home?.destroy()])
  }
  return { send, close }
}

function outgoing({ method = 'POST', headers, body, parting }: SendRequest) {
  if (method === 'GET') return { method, headers }
  if (parting === undefined) return { method, headers, body }
  const bytes = Buffer.from(body)
  return { method, headers: { ...headers, 'Content-Length': String(bytes.length) }, body: inParts(bytes, parting) }
}

function inParts(bytes: Buffer, { atByte, pauseMs, end }: Parting): Readable {
  return Readable.from(
    (async function* () {
      yield bytes.subarray(0, atByte)
      await pause(pauseMs, undefined, { ref: false })
      if (end === 'break') throw new Error('broken off on purpose')
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

/** One way out: its rules, and the connections that were made by them. */
function createWay(guard: AddressGuard, isStrict: boolean, resolve: Resolve, connectMs: number) {
  const connector = createConnector(guard, resolve, connectMs)
  const receivers = createReceivers(connector.connect)
  return {
    receivers,
    /** What is known before a name is looked up: scheme, and addresses given as such (sockets never look those up). */
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

/** To an inbox of ours always; what turns out to be elsewhere goes by the rules for elsewhere. */
function homeGuard(own: OwnInboxes, options: SenderOptions): AddressGuard {
  const elsewhere = options.strict ? () => notStrict : createAddressGuard(options)
  return (protocol, host, address) => (own.isHere(address) ? undefined : elsewhere(protocol, host, address))
}

function unsent({ outcome, detail }: Refusal): SendResult {
  return { outcome, status: null, responseBody: null, durationMs: 0, detail }
}
