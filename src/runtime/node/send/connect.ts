/** Opens the sockets for webhooks, only to addresses that the guard has allowed, and maps network errors to outcomes. */
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from 'node:net'
import { createSecureContext, type SecureContext, connect as tlsConnect } from 'node:tls'
import type { buildConnector } from 'undici'
import { callAtLimit } from '../../../base/clock.js'
import type { Outcome } from '../../../core/unit/ports.js'
import type { AddressGuard } from '../../shared/address-guard.js'
import { callAfter } from '../workspaces.js'

interface ResolvedAddress {
  address: string
  family: number
}
/** Resolves to all addresses of a name; rejects with the resolver's error. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>

interface Connector {
  connect: buildConnector.connector
  /** Aborts all connections that are still being established. */
  destroy(): void
}

/** Node's least time for a connection to one of several addresses. */
const minAttemptMs = 10

const loopback: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Asks the operating system, with one lookup per name at a time: its resolver has few threads, and many sends to one
 * dead name must not block others. `localhost` needs no lookup.
 */
export function createResolver(): Resolve {
  const running = new Map<string, Promise<readonly ResolvedAddress[]>>()
  return (name) => {
    if (name === 'localhost') return Promise.resolve(loopback)
    const known = running.get(name)
    if (known !== undefined) return known
    const pending = systemLookup(name, { all: true }).finally(() => running.delete(name))
    running.set(name, pending)
    return pending
  }
}

/**
 * A connector for undici. `timeoutMs` covers name lookup, TCP and TLS (interface.md §6.3, connect). Sockets do not look
 * up literal addresses, so the caller must check those with the guard. `authority` is trusted too.
 */
export function createConnector(
  guard: AddressGuard,
  resolve: Resolve,
  timeoutMs: number,
  authority: string | null = null,
): Connector {
  // The context is built once: parsing all public authorities takes milliseconds.
  const trust = authority === null ? {} : { secureContext: contextTrusting(authority) }
  const connecting = new Set<Socket>()
  const lookups = {
    'http:': createGuardedLookup('http:', guard, resolve),
    'https:': createGuardedLookup('https:', guard, resolve),
  }
  const connect: buildConnector.connector = ({ protocol, hostname, port }, callback) => {
    const isHttps = protocol === 'https:'
    const lookup = isHttps ? lookups['https:'] : lookups['http:']
    const target = {
      ...{ host: hostname, port: port === '' ? (isHttps ? 443 : 80) : Number(port), lookup, noDelay: true },
      // Node's default, 250 ms for each address of a name, gives up on a busy receiver.
      autoSelectFamilyAttemptTimeout: Math.max(minAttemptMs, timeoutMs / 2),
    }
    const socket = isHttps ? tlsConnect({ ...target, ...tlsOptions(hostname), ...trust }) : tcpConnect(target)
    connecting.add(socket)
    const cancel = callAtLimit(callAfter, timeoutMs, () => {
      // Waits one more turn, so that an established connection wins over a late timer.
      setImmediate(() => {
        if (connecting.has(socket))
          socket.destroy(new SendFailure('connect_timeout', `no connection within ${timeoutMs} ms`))
      })
    })
    const settle = (error: Error | null) => {
      if (!connecting.delete(socket)) return
      cancel()
      if (error === null) callback(null, socket)
      else callback(error, null)
    }
    socket.once(isHttps ? 'secureConnect' : 'connect', () => settle(null))
    socket.on('error', settle)
    socket.once('close', () => {
      if (connecting.has(socket)) settle(new SendFailure('reset', 'closed while connecting'))
    })
  }
  const destroy = () => {
    for (const socket of connecting) socket.destroy(new SendFailure('reset', 'the sender was closed'))
  }
  return { connect, destroy }
}

/**
 * Verifies certificates regardless of environment variables, and again on each connection: a resumed session shows no
 * certificate.
 */
function tlsOptions(hostname: string) {
  const servername = isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, '') } : {}
  return { ...servername, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }
}

/** Passes only allowed addresses to the socket, so that the checked address is the one that is used. */
function createGuardedLookup(protocol: string, guard: AddressGuard, resolve: Resolve): LookupFunction {
  return (name, options, callback) => {
    const passAllowed = (addresses: readonly ResolvedAddress[]) => {
      const refusals = addresses.map(({ address }) => guard(protocol, name, address))
      const passed = addresses.filter((_, index) => refusals[index] === undefined)
      const [first] = passed
      if (first === undefined) {
        const refusal = refusals[0] ?? { outcome: 'dns', detail: `${name} has no address` }
        callback(new SendFailure(refusal.outcome, refusal.detail), '', 0)
      } else if (options.all) callback(null, [...passed])
      else callback(null, first.address, first.family)
    }
    // This runs outside the promise, so that an error thrown by a listener is not treated as a lookup error.
    resolve(name).then(
      (addresses) => setImmediate(passAllowed, addresses),
      (error) => setImmediate(callback, error, '', 0),
    )
  }
}

/** `authority` is a certificate in PEM. Option `ca` would replace the default ones, those of NODE_EXTRA_CA_CERTS included. */
export function contextTrusting(authority: string): SecureContext {
  const context = createSecureContext()
  context.context.addCACert(authority)
  return context
}

/** An error with a known outcome: rejected by the guard, or our own timeout. */
export class SendFailure extends Error {
  constructor(
    readonly outcome: Outcome,
    message: string,
  ) {
    super(message)
  }
}

/** Errors while connecting. Others count as `tls` on https and `refused` on http, since nothing was sent. */
const connectOutcomes: Readonly<Record<string, Outcome>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'connect_timeout',
  EHOSTUNREACH: 'refused',
  EHOSTDOWN: 'refused',
  ENETUNREACH: 'refused',
  ENETDOWN: 'refused',
  EADDRNOTAVAIL: 'refused',
  EACCES: 'refused',
  EPERM: 'refused',
  EINVAL: 'refused',
  EMFILE: 'refused',
  ENFILE: 'refused',
  ENOBUFS: 'refused',
  ENOTFOUND: 'dns',
  ENODATA: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
}

const maxDetailLength = 300

/** Returns the outcome and one line of explanation; `sent` is true if a connected socket had received the request. */
export function describeFailure(error: Error, isHttps: boolean, sent: boolean): { outcome: Outcome; detail: string } {
  return { outcome: outcomeOf(error, isHttps, sent), detail: detailOf(error) }
}

function outcomeOf(error: Error, isHttps: boolean, sent: boolean): Outcome {
  if (error instanceof SendFailure) return error.outcome
  const code = codeOf(error)
  // With TLS 1.3 the receiver's alert may arrive after our handshake has finished.
  if (sent) return code === 'ETIMEDOUT' ? 'timeout' : code.startsWith('ERR_SSL') ? 'tls' : 'reset'
  if (code.startsWith('UND_ERR')) return code === 'UND_ERR_SOCKET' ? 'reset' : 'refused'
  return connectOutcomes[code] ?? (isHttps ? 'tls' : 'refused')
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** The error of a name with several addresses has no message of its own, only one for each attempt. */
function detailOf(error: Error): string {
  const parts = error instanceof AggregateError ? error.errors.map(String) : [error.message]
  return parts.join('; ').slice(0, maxDetailLength) || codeOf(error) || 'unknown error'
}
