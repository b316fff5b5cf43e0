/** Opens the sockets that webhooks go out on, to none but addresses that the guard has seen. */
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AddressGuard } from '../../shared/address-guard.js'
import { SendFailure } from './failure.js'

export interface ResolvedAddress {
  address: string
  family: number
}
/** Every address of a name; rejects with the resolver's error. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>

export interface Connector {
  connect: buildConnector.connector
  /** Gives up every connection that is still being made. */
  destroy(): void
}

const loopback: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Asks the operating system, once at a time for each name: its resolver has few threads,
 * so many sends to one dead name must not keep others waiting. `localhost` needs none.
 */
export function createResolver(): Resolve {
  const running = new Map<string, Promise<readonly ResolvedAddress[]>>()
  return (name) => {
    if (name === 'localhost') return Promise.resolve(loopback)
    const known = running.get(name)
    if (known !== undefined) return known
    const asked = systemLookup(name, { all: true }).finally(() => running.delete(name))
    running.set(name, asked)
    return asked
  }
}

/**
 * A connector for undici. `timeoutMs` spans name lookup, TCP and TLS (§6.3, connect).
 * Literal addresses never reach a socket's `lookup`, so the caller must have asked the guard about those.
 */
export function createConnector(guard: AddressGuard, resolve: Resolve, timeoutMs: number): Connector {
  const connecting = new Set<Socket>()
  const lookups = { 'http:': guardedLookup('http:', guard, resolve), 'https:': guardedLookup('https:', guard, resolve) }
  const connect: buildConnector.connector = ({ protocol, hostname, port }, callback) => {
    const isHttps = protocol === 'https:'
    const lookup = isHttps ? lookups['https:'] : lookups['http:']
    const target = { host: hostname, port: port === '' ? (isHttps ? 443 : 80) : Number(port), lookup, noDelay: true }
    const socket = isHttps ? tlsConnect({ ...target, ...tlsOptions(hostname) }) : tcpConnect(target)
    connecting.add(socket)
    const timer = setTimeout(() => {
      // One more turn, so that a connection that is there already wins over a late timer.
      setImmediate(() => {
        if (connecting.has(socket))
          socket.destroy(new SendFailure('connect_timeout', `no connection in ${timeoutMs} ms`))
      })
    }, timeoutMs)
    const settle = (error: Error | null) => {
      if (!connecting.delete(socket)) return
      clearTimeout(timer)
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

/** Certificates are verified whatever the environment says, and anew on each connection: a resumed session shows none. */
function tlsOptions(hostname: string) {
  const servername = isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, '') } : {}
  return { ...servername, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }
}

/** Hands the socket those addresses that passed, so what was checked is what is connected to. */
function guardedLookup(protocol: string, guard: AddressGuard, resolve: Resolve): LookupFunction {
  return (name, options, callback) => {
    const answer = (addresses: readonly ResolvedAddress[]) => {
      const refusals = addresses.map(({ address }) => guard(protocol, name, address))
      const passed = addresses.filter((_, index) => refusals[index] === undefined)
      const [first] = passed
      if (first === undefined) {
        const refusal = refusals[0] ?? { outcome: 'dns', detail: `${name} has no address` }
        callback(new SendFailure(refusal.outcome, refusal.detail), '', 0)
      } else if (options.all) callback(null, [...passed])
      else callback(null, first.address, first.family)
    }
    // Outside the promise, so that an error thrown by a listener is not taken for one of the lookup.
    resolve(name).then(
      (addresses) => setImmediate(answer, addresses),
      (error) => setImmediate(callback, error, '', 0),
    )
  }
}
