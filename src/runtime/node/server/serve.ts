/** The HTTP server around `fetch(request, env)`: all bytes that arrive on a socket get a response in the documented format. */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { joinChunks } from '../../../base/bytes.js'
import type { CallDirectly } from '../../../http/app.js'
import type { CallHeaders, HttpRequest, ResponseData } from '../../../http/bodies.js'
import type { Env } from '../../../http/host.js'
import { type ErrorCode, type ErrorDetails, errorCatalogue } from '../../../protocol/platform/errors.js'
import { bodyLimits, requestTimeouts } from '../../../protocol/platform/limits.js'
import { Connections, type Render } from './connections.js'
import {
  connectRefused,
  createGuard,
  expectationFailed,
  isClientGone,
  type Refusal,
  refusalOf,
  refuseAnnouncedBody,
} from './http-guard.js'

// Small calls of the platform API use Node's request, without `Request`, `Headers`, a router or `Response`. These took
// one sixth of the CPU time of creating a charge.

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
  readonly url: string
  readonly headers: CallHeaders
  readonly #incoming: IncomingMessage

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming
    this.method = incoming.method ?? 'GET'
    this.url = `http://localhost${incoming.url ?? '/'}`
    this.headers = new PlainHeaders(incoming.rawHeaders)
  }

  wholeBody(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      this.#incoming
        .on('data', (chunk: Uint8Array) => chunks.push(chunk))
        .on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : joinChunks(chunks)))
        .on('error', reject)
        // `close` also follows a complete body. The error is created only if needed, because its stack is expensive.
        .on('close', () => {
          if (!this.#incoming.complete) reject(new Error('the connection closed before the body was complete'))
        })
    })
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(await this.wholeBody()).buffer
  }
}

class PlainHeaders implements CallHeaders {
  /** Names and values in alternation. */
  readonly #raw: readonly string[]

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  /** Returns a header. The values of a repeated header are joined, as `Headers` does. */
  get(name: string): string | null {
    const lowerCaseName = name.toLowerCase()
    let found: string | null = null
    for (let at = 0; at < this.#raw.length; at += 2) {
      const one = this.#raw[at] ?? ''
      if (one.length !== lowerCaseName.length || one.toLowerCase() !== lowerCaseName) continue
      const value = this.#raw[at + 1] ?? ''
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }

  /** Returns all headers. Only the request log needs them, when an entry is read. */
  [Symbol.iterator](): Iterator<[string, string]> {
    const headers = new Headers()
    for (let at = 0; at < this.#raw.length; at += 2) headers.append(this.#raw[at] ?? '', this.#raw[at + 1] ?? '')
    return headers.entries()
  }
}

const backlog = 4096
/** Time after which idle connections are closed: longer than in common clients, so that the client closes them and not the server. */
const keepAliveMs = 65_000
const checkEveryMs = 1000

export interface ServeOptions {
  host: string
  /** Port to listen on; 0 is any free port. */
  port: number
  fetch: (request: Request, env: Env) => Response | Promise<Response>
  /** Handles a call that needs no `Request` object; returns null if `fetch` must handle it. */
  callDirectly?: CallDirectly
  /** Renders an error that never reaches the app (garbage on the socket, oversized headers) as the documented error body. */
  renderError: (
    status: number,
    code: ErrorCode,
    message: string,
    details: ErrorDetails,
  ) => { headers: Record<string, string>; body: string }
  /** Receives what `fetch` throws; the client gets 500 INTERNAL_ERROR. */
  onFault?: (error: unknown) => void
  /**
   * Permanently replaces the global `Request` and `Response` by the adapter's faster ones (default: true). Set false if
   * other code shares the process.
   */
  overrideGlobals?: boolean
  /** Certificate for https; null: plain HTTP. */
  tls?: ServerTls | null
  /** Time limits for the headers and for the whole request, and how often they are checked. */
  timeouts?: { headersMs: number; requestMs: number; checkEveryMs: number }
}

/** A certificate with its chain and its key, as PEM. */
export interface ServerTls {
  certificate: string
  key: string
  /** Certificate of the authority that issued the certificate, if the authority is the sandbox's own. */
  authority: string | null
}

export interface RunningServer {
  port: number
  /** Base URL that this machine can call, without a trailing slash. */
  url: string
  /** Stops listening, closes idle connections and streams at once, and after `graceMs` all others. */
  close(graceMs: number): Promise<void>
}

/** Starts to listen; rejects with the listen error (EADDRINUSE, EACCES, ENOTFOUND, …). */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const timeouts = options.timeouts ?? { ...requestTimeouts, checkEveryMs }
  const { tls = null } = options
  const server = openServer(tls, {
    maxHeaderSize: bodyLimits.headerBytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkEveryMs,
    keepAliveTimeout: keepAliveMs,
    requireHostHeader: false,
  })
  const render: Render = ({ status, code, message, details, headers }) => {
    const rendered = options.renderError(status, code, message, details)
    return headers === undefined ? rendered : { ...rendered, headers: { ...rendered.headers, ...headers } }
  }
  const connections = new Connections(server, render)
  addListeners(
    server,
    connections,
    createHandler(options, connections, render, extensionOf(server, timeouts.requestMs)),
  )
  await listen(server, options.host, options.port)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  let closed: Promise<void> | undefined
  return {
    port,
    url: `${tls === null ? 'http' : 'https'}://${callableHost(options.host)}:${port}`,
    close(graceMs) {
      closed ??= close(server, connections, graceMs)
      return closed
    },
  }
}

const openServer = (tls: ServerTls | null, options: ServerOptions): Server =>
  tls === null ? createServer(options) : createTlsServer({ ...options, cert: tls.certificate, key: tls.key })

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void

function createHandler(
  options: ServeOptions,
  connections: Connections,
  render: Render,
  extendTimeLimit: () => () => void,
): Handler {
  const guard = createGuard()
  const respond = (refusal: Refusal) => {
    const { headers, body } = render(refusal)
    return new Response(body, { status: refusal.status, headers })
  }
  const listener = getRequestListener(
    (request, { incoming }) =>
      options.fetch(request, {
        ...envOf(incoming),
        onDisconnect: (listener) => onceGone(incoming.socket, listener),
        extendTimeLimit,
      }),
    {
      hostname: 'localhost',
      overrideGlobalObjects: options.overrideGlobals ?? true,
      errorHandler(error) {
        if (error instanceof RequestError) return respond(badAddress(error))
        if (!isClientGone(error)) options.onFault?.(error)
        return respond(fault)
      },
    },
  )
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

const envOf = ({ socket, url = '' }: { socket: Socket; url?: string | undefined }): Env => ({
  ip: plainIp(socket.remoteAddress),
  rawTarget: url,
  disconnect: () => {
    socket.destroy()
  },
})

const fault: Refusal = {
  status: 500,
  code: 'INTERNAL_ERROR',
  message: errorCatalogue.INTERNAL_ERROR.message,
  details: {},
}

function badAddress(error: RequestError): Refusal {
  const details = { field: 'request', rule: error.message }
  return { status: 400, code: 'INVALID_VALUE', message: 'Host and request target do not form a valid URL.', details }
}

function addListeners(server: Server, connections: Connections, handle: Handler): void {
  server.on('request', handle)
  server.on('checkContinue', (incoming, outgoing) => {
    const refusal = refuseAnnouncedBody(incoming)
    if (refusal === undefined) {
      outgoing.writeContinue()
      handle(incoming, outgoing)
      return
    }
    connections.begin(incoming, outgoing)
    connections.refuse(outgoing, refusal)
  })
  server.on('checkExpectation', (incoming, outgoing) => {
    connections.begin(incoming, outgoing)
    connections.refuse(outgoing, expectationFailed(incoming.headers.expect))
  })
  server.on('connect', (_incoming, socket) => connections.refuseRaw(socket, connectRefused))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE') socket.destroy()
    else connections.refuseRaw(socket, refusalOf(error))
  })
}

/** Raises the time limit while a large file arrives. Node has one limit for all requests, so the limit for files then applies to all. */
function extensionOf(server: Server, requestMs: number): () => () => void {
  let extensions = 0
  return () => {
    extensions++
    server.requestTimeout = Math.max(requestMs, requestTimeouts.importMs)
    return () => {
      extensions--
      if (extensions === 0) server.requestTimeout = requestMs
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog }, () => {
      server.off('error', reject)
      // A connection that cannot be accepted (no file descriptors left) must not end the process.
      server.on('error', () => {})
      resolve()
    })
  })
}

function close(server: Server, connections: Connections, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => connections.destroyAll(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    // Closes in the next turn of the event loop, so that data just written to a stream is still sent.
    setImmediate(() => connections.startClosing())
  })
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

/** Replaces wildcard addresses, which clients cannot call, and puts IPv6 addresses into brackets. */
function callableHost(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
