/** The HTTP server around `fetch(request, env)`: all bytes that arrive on a socket get a response in the documented format. */
import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { ErrorCode, ErrorDetails } from '../../../protocol/platform/errors.js'
import { bodyLimits, requestTimeouts } from '../../../protocol/platform/limits.js'
import { Connections, createHandler, type Handler, type HandlerOptions, type Render } from './connections.js'
import { connectRefused, expectationFailed, refusalOf, refuseAnnouncedBody } from './http-guard.js'

const backlog = 4096
/** Time after which idle connections are closed: longer than in common clients, so that the client closes them and not the server. */
const keepAliveMs = 65_000
const checkEveryMs = 1000

export interface ServeOptions extends HandlerOptions {
  host: string
  /** Port to listen on; 0 is any free port. */
  port: number
  /** Renders an error that never reaches the app (garbage on the socket, oversized headers) as the documented error body. */
  renderError: (
    status: number,
    code: ErrorCode,
    message: string,
    details: ErrorDetails,
  ) => { headers: Record<string, string>; body: string }
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

/** Replaces wildcard addresses, which clients cannot call, and puts IPv6 addresses into brackets. */
function callableHost(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
