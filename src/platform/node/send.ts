/** The one module that sends webhooks out (§6.1, §6.3): no redirects, no proxies, no trust in what answers. */
import { isIP } from 'node:net'
import { Pool } from 'undici'
import type { Send, SendResult } from '../../core/send-port.js'
import { type AddressGuard, createAddressGuard, type Refusal } from './address-guard.js'
import { createConnector, createResolver, type Resolve } from './send-connect.js'
import { Exchange } from './send-exchange.js'

export interface SenderOptions {
  /** Refuse every address that is not public, in any notation: for a sandbox that others can reach. */
  guardPrivate: boolean
  /** Names or addresses that `guardPrivate` leaves alone. */
  allowHosts: readonly string[]
  /** https only. */
  strict: boolean
  /** Name lookup, TCP and TLS together; 5 s as documented. */
  connectTimeoutMs?: number
  /** From the call to the headers of the answer; 10 s as documented. */
  totalTimeoutMs?: number
  /** How names become addresses; the operating system's way by default. */
  resolve?: Resolve
}

export interface Sender {
  send: Send
  /** Ends every connection at once; what is under way settles as `reset`. Await your sends first if they shall finish. */
  close(): Promise<void>
}

/** Receivers whose connections are kept; the one least recently used goes first. */
const maxOrigins = 1000
/** A pool remembers every connection it ever had at one time, so a crowded one is let go when it falls idle. */
const maxPoolSize = 256

/**
 * No retry here, not even on a reused connection that closes without a byte: the receiver may have acted on what it read.
 * Instead none is reused that was idle for over a second, well before usual servers close theirs,
 * and undici looks for a close that has arrived before it writes.
 */
const idleOptions = { keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000, headersTimeout: 0, bodyTimeout: 0 }

interface Receiver {
  pool: Pool
  inFlight: number
  peak: number
}

/** @returns a sender whose receivers share nothing but this process: hanging ones cost their sockets and no more. */
export function createSender(options: SenderOptions): Sender {
  const { connectTimeoutMs = 5000, totalTimeoutMs = 10_000, resolve = createResolver() } = options
  const guard = createAddressGuard(options)
  const connector = createConnector(guard, resolve, connectTimeoutMs)
  const poolOptions = { ...idleOptions, connect: connector.connect }
  const receivers = new Map<string, Receiver>()
  const leaving = new Set<Pool>()
  let isClosed = false

  function retire(origin: string, { pool }: Receiver): void {
    receivers.delete(origin)
    leaving.add(pool)
    pool.close(() => leaving.delete(pool))
  }

  /** The guard is asked once for each receiver here, and for names again at each connection. */
  function receiverAt(target: URL): Receiver | Refusal {
    const { origin } = target
    const known = receivers.get(origin)
    const refusal = known === undefined ? refuse(target, options.strict, guard) : undefined
    if (refusal !== undefined) return refusal
    receivers.delete(origin)
    const receiver = known ?? { pool: new Pool(origin, poolOptions), inFlight: 0, peak: 0 }
    receivers.set(origin, receiver)
    if (receivers.size > maxOrigins) for (const oldest of [...receivers].slice(0, -maxOrigins)) retire(...oldest)
    return receiver
  }

  function leave(origin: string, receiver: Receiver): void {
    receiver.inFlight -= 1
    const isCrowded = receiver.inFlight === 0 && receiver.peak > maxPoolSize
    if (isCrowded && receivers.get(origin) === receiver) retire(origin, receiver)
  }

  const send: Send = (request, onSlow) => {
    const target = parseTarget(request.url)
    if (isClosed || target === undefined) return Promise.resolve(unsent(isClosed ? closed : notHttp))
    const receiver = receiverAt(target)
    if ('detail' in receiver) return Promise.resolve(unsent(receiver))
    const { origin } = target
    receiver.inFlight += 1
    receiver.peak = Math.max(receiver.peak, receiver.inFlight)
    return new Promise((done) => {
      const settle = (result: SendResult) => {
        leave(origin, receiver)
        done(result)
      }
      const exchange = new Exchange({ isHttps: target.protocol === 'https:', totalTimeoutMs, onSlow, settle })
      const { headers, body } = request
      receiver.pool.dispatch({ path: target.pathname + target.search, method: 'POST', headers, body }, exchange)
    })
  }

  async function close(): Promise<void> {
    isClosed = true
    connector.destroy()
    const pools = [...[...receivers.values()].map(({ pool }) => pool), ...leaving]
    receivers.clear()
    await Promise.all(pools.map((pool) => pool.destroy()))
  }
  return { send, close }
}

const notHttp: Refusal = { outcome: 'insecure_url', detail: 'not an http:// or https:// URL' }
const closed: Refusal = { outcome: 'refused', detail: 'the sender is closed' }

function parseTarget(url: string): URL | undefined {
  const target = URL.canParse(url) ? new URL(url) : undefined
  return target?.protocol === 'https:' || target?.protocol === 'http:' ? target : undefined
}

/** What is known before a name is looked up: scheme, and addresses given as such (sockets never look those up). */
function refuse(target: URL, isStrict: boolean, guard: AddressGuard): Refusal | undefined {
  if (isStrict && target.protocol !== 'https:') {
    return { outcome: 'insecure_url', detail: 'http:// is not allowed with strict webhooks: use https://' }
  }
  const host = target.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : guard(target.protocol, host, host)
}

function unsent({ outcome, detail }: Refusal): SendResult {
  return { outcome, status: null, responseBody: null, durationMs: 0, detail }
}
