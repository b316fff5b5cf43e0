/** The open sockets of one server and their requests: passes each to the app or rejects it, and closes sockets without losing a response. */
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket, Server as TlsServer } from 'node:tls'
import { joinChunks } from '../../../base/bytes.js'
import type { CallDirectly } from '../../../http/app.js'
import type { Env } from '../../../http/host.js'
import type { CallHeaders, HttpRequest, ResponseData } from '../../../http/messages.js'
import { errorCatalogue } from '../../../protocol/platform/errors.js'
import { bodyLimits } from '../../../protocol/platform/limits.js'
import { createGuard, isClientGone, type Refusal } from './http-guard.js'

/** Time for which a client may continue to send a body that is no longer read. */
const lingerMs = 2000

interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

export type Render = (refusal: Refusal) => { headers: Record<string, string>; body: string }

export class Connections {
  /** The newest request of each socket. With pipelining, its response is sent last. */
  readonly #newest = new Map<Socket, Exchange | undefined>()
  readonly #ending = new WeakSet<Socket>()
  #isClosing = false

  constructor(
    server: Server,
    private readonly render: Render,
  ) {
    // A client that closes its side after the request (`nc -N`) still expects the response. Node supports the property, but
    // its types lack it.
    Object.assign(server, { httpAllowHalfOpen: true })
    // With TLS, requests come from the encrypted socket, not from the socket below it.
    const event = server instanceof TlsServer ? 'secureConnection' : 'connection'
    server.on(event, (socket: Socket) => this.#add(socket))
  }

  #add(socket: Socket): void {
    this.#newest.set(socket, undefined)
    socket.once('close', () => this.#newest.delete(socket))
    socket.once('end', () => endStream(this.#newest.get(socket)?.outgoing))
    // Node calls this after the last response of a connection. Closing while the client still sends would reset the
    // connection, and the response would be lost.
    socket.destroySoon = () => this.#closeGently(socket)
  }

  /** Registers a request. Must be called for every request before its response. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#newest.set(incoming.socket, { incoming, outgoing })
    if (this.#isClosing) outgoing.shouldKeepAlive = false
    if (mayBeAnsweredEarly(incoming.headers)) outgoing.once('finish', () => discardRest(incoming))
  }

  /** Responds to a request that does not reach the app, and closes the connection. */
  refuse(outgoing: ServerResponse, refusal: Refusal): void {
    const { headers, body } = this.render(refusal)
    outgoing.writeHead(refusal.status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
    outgoing.end(body)
  }

  /** Rejects bytes that are not a request, after all pending responses of the socket; once per socket. */
  refuseRaw(socket: Duplex, refusal: Refusal): void {
    if (!(socket instanceof Socket) || this.#ending.has(socket)) return
    this.#ending.add(socket)
    socket.on('error', () => socket.destroy())
    const write = () => this.#writeLast(socket, refusal)
    const newest = this.#newest.get(socket)
    if (newest === undefined || (newest.incoming.complete && isDone(newest.outgoing))) write()
    else if (newest.incoming.complete) newest.outgoing.once('close', write)
    // The newest request itself is incomplete. If it is answered already, or older answers are pending, another answer
    // would be attributed to the wrong request.
    else if (newest.outgoing.headersSent || newest.outgoing.socket === null) socket.destroy()
    else write()
  }

  #writeLast(socket: Socket, refusal: Refusal): void {
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const { headers, body } = this.render(refusal)
    const all = {
      ...headers,
      Date: new Date().toUTCString(),
      Connection: 'close',
      'Content-Length': Buffer.byteLength(body),
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
    socket.resume()
    destroyLater(socket)
  }

  #closeGently(socket: Socket): void {
    const incoming = this.#newest.get(socket)?.incoming
    if (incoming === undefined || incoming.complete) {
      Socket.prototype.destroySoon.call(socket)
      return
    }
    if (this.#ending.has(socket)) return
    this.#ending.add(socket)
    socket.end()
    incoming.once('end', () => Socket.prototype.destroySoon.call(socket))
    discardRest(incoming)
    destroyLater(socket)
  }

  /**
   * Closes unused sockets and open streams at once, and others after their response. `server.close()` closes the idle
   * keep-alive connections.
   */
  startClosing(): void {
    this.#isClosing = true
    for (const [socket, exchange] of this.#newest) {
      if (exchange === undefined) {
        if (socket.bytesRead === 0) socket.destroy()
        continue
      }
      const { outgoing } = exchange
      if (outgoing.writableFinished) continue
      outgoing.once('close', () => socket.destroySoon())
      outgoing.shouldKeepAlive = false
      endStream(outgoing)
    }
  }

  destroyAll(): void {
    for (const socket of this.#newest.keys()) socket.destroy()
  }
}

/**
 * Whether the body can be so large (100,000 bytes or more, or chunked) that the response is sent before the body was
 * read. For smaller bodies the listener costs more than it saves.
 */
function mayBeAnsweredEarly(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : length.length > 5
}

/** Reads the rest of the request, so that the socket becomes free, or the client receives the response. */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete) return
  // Without this, the reader of a half-read body pauses the body again at each chunk.
  incoming.removeAllListeners('data')
  incoming.resume()
}

function isDone(outgoing: ServerResponse): boolean {
  return outgoing.closed || outgoing.writableFinished
}

/** Ends a stream cleanly, which also cancels its source. Does nothing if the response has not started. */
function endStream(outgoing: ServerResponse | undefined): void {
  if (!outgoing?.headersSent || outgoing.writableEnded) return
  // The Hono adapter may still write a chunk that it has already read. From Node 24 on, nothing else handles the
  // resulting write-after-end error.
  outgoing.on('error', () => {})
  outgoing.end()
}

function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}

// What a request becomes: a call of the app, or a refusal.

export interface HandlerOptions {
  fetch: (request: Request, env: Env) => Response | Promise<Response>
  /** Handles a call that needs no `Request` object; returns null if `fetch` must handle it. */
  callDirectly?: CallDirectly
  /** Receives what `fetch` throws; the client gets 500 INTERNAL_ERROR. */
  onFault?: (error: unknown) => void
  /**
   * Permanently replaces the global `Request` and `Response` by the adapter's faster ones (default: true). Set false if
   * other code shares the process.
   */
  overrideGlobals?: boolean
}

/** The host of a request without `Host`, as HTTP/1.0 allows. */
const defaultHostname = 'localhost'

export type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void

export function createHandler(
  options: HandlerOptions,
  connections: Connections,
  render: Render,
  extendTimeLimit: () => () => void,
): Handler {
  const guard = createGuard()
  const envOf = ({ socket, url = '' }: Pick<IncomingMessage, 'socket'> & { url?: string | undefined }): Env => ({
    ip: plainIp(socket.remoteAddress),
    rawTarget: url,
    disconnect: () => {
      socket.destroy()
    },
    onDisconnect: (listener) => onceGone(socket, listener),
    extendTimeLimit,
  })
  const listener = generalListener(options, render, envOf)
  return (incoming, outgoing) => {
    connections.begin(incoming, outgoing)
    const refusal = guard(incoming)
    if (refusal !== undefined) return connections.refuse(outgoing, refusal)
    const request = plainRequest(incoming)
    const called = request === null ? null : (options.callDirectly?.(request, envOf(incoming)) ?? null)
    const response =
      called === null ? listener(incoming, outgoing) : called.then((answer) => writeAnswer(outgoing, answer))
    response.catch((error: unknown) => {
      options.onFault?.(error)
      if (outgoing.headersSent) outgoing.destroy()
      else connections.refuse(outgoing, fault)
    })
  }
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Handles a request through `Request` and `Response`. The adapter is loaded with the first one, because it loads Node's `fetch`. */
function generalListener(
  options: HandlerOptions,
  render: Render,
  envOf: (incoming: Pick<IncomingMessage, 'socket'> & { url?: string | undefined }) => Env,
): Listener {
  let loaded: Listener | undefined
  const load = async (): Promise<Listener> => {
    const { getRequestListener, RequestError } = await import('@hono/node-server')
    const respond = (refusal: Refusal) => {
      const { headers, body } = render(refusal)
      return new Response(body, { status: refusal.status, headers })
    }
    return getRequestListener((request, { incoming }) => options.fetch(request, envOf(incoming)), {
      hostname: defaultHostname,
      overrideGlobalObjects: options.overrideGlobals ?? true,
      errorHandler(error) {
        if (error instanceof RequestError) return respond(badAddress(error))
        if (!isClientGone(error)) options.onFault?.(error)
        return respond(fault)
      },
    })
  }
  return async (incoming, outgoing) => {
    loaded ??= await load()
    await loaded(incoming, outgoing)
  }
}

const fault: Refusal = {
  status: 500,
  code: 'INTERNAL_ERROR',
  message: errorCatalogue.INTERNAL_ERROR.message,
  details: {},
}

function badAddress(error: Error): Refusal {
  const details = { field: 'request', rule: error.message }
  return { status: 400, code: 'INVALID_VALUE', message: 'Host and request target do not form a valid URL.', details }
}

/** Calls back when the client closes its side. A client that had closed it before still expects the response. */
function onceGone(socket: Socket, listener: () => void): () => void {
  socket.once('end', listener).once('close', listener)
  return () => {
    socket.off('end', listener).off('close', listener)
  }
}

function plainIp(address: string | undefined): string {
  if (address === undefined) return ''
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

// Small calls use Node's request, without `Request`, `Headers`, a router or `Response`. These took one sixth of the CPU
// time of creating a charge.

/** Targets that URL parsing would not change. Requests with a query take the general path, through `Request`. */
const plainTarget = /^\/[\w/-]*$/

/** Returns null for a request that needs the general path: an unusual target, or a body of unknown or large size. */
function plainRequest(incoming: IncomingMessage): HttpRequest | null {
  const { method, headers, url = '' } = incoming
  if (!plainTarget.test(url) || headers['transfer-encoding'] !== undefined) return null
  const length = headers['content-length']
  const isPlain =
    method === 'GET' ? length === undefined : method === 'POST' && Number(length) <= bodyLimits.beforeAuthBytes
  return isPlain ? new PlainRequest(incoming) : null
}

function writeAnswer(outgoing: ServerResponse, { status, headers, body }: ResponseData): void {
  // A scenario may have dropped the connection. The response to a pipelined request has no socket of its own yet.
  if (outgoing.destroyed || outgoing.req.socket.destroyed) return
  const bytes = Buffer.byteLength(body)
  outgoing.writeHead(status, { ...headers, 'Content-Length': bytes })
  // For ASCII text latin1 gives the same bytes; for utf8 Node allocates three times the length and converts.
  outgoing.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

class PlainRequest implements HttpRequest {
  readonly body = null
  readonly method: string
  readonly headers: CallHeaders

  constructor(private readonly incoming: IncomingMessage) {
    this.method = incoming.method ?? 'GET'
    this.headers = new PlainHeaders(incoming.rawHeaders)
  }

  /** The guard has checked `Host`. Few calls need the address. */
  get url(): string {
    const { headers, socket, url = '/' } = this.incoming
    return `${socket instanceof TLSSocket ? 'https' : 'http'}://${headers.host || defaultHostname}${url}`
  }

  wholeBody(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      this.incoming
        .on('data', (chunk: Uint8Array) => chunks.push(chunk))
        .on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : joinChunks(chunks)))
        .on('error', reject)
        // `close` also follows a complete body. The error is created only if needed, because its stack is expensive.
        .on('close', () => {
          if (!this.incoming.complete) reject(new Error('the connection closed before the body was complete'))
        })
    })
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(await this.wholeBody()).buffer
  }
}

class PlainHeaders implements CallHeaders {
  /** `raw` are names and values in alternation. */
  constructor(private readonly raw: readonly string[]) {}

  /** Returns a header. The values of a repeated header are joined, as `Headers` does. */
  get(name: string): string | null {
    const lowerCaseName = name.toLowerCase()
    let found: string | null = null
    for (let at = 0; at < this.raw.length; at += 2) {
      const one = this.raw[at] ?? ''
      if (one.length !== lowerCaseName.length || one.toLowerCase() !== lowerCaseName) continue
      const value = this.raw[at + 1] ?? ''
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }

  /** Returns all headers. Only the request log needs them, when an entry is read. */
  [Symbol.iterator](): Iterator<[string, string]> {
    const headers = new Headers()
    for (let at = 0; at < this.raw.length; at += 2) headers.append(this.raw[at] ?? '', this.raw[at + 1] ?? '')
    return headers.entries()
  }
}
