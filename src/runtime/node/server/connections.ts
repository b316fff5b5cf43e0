/** The open sockets of one server: tracks their requests, rejects calls, and closes sockets without losing a response. */
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import type { Refusal } from './http-guard.js'

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
