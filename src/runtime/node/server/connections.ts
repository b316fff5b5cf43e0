/** The open sockets of one server: what each is busy with, how to refuse on it, and how to end it without losing an answer. */
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Refusal } from './protocol-errors.js'

/** How long a client may go on sending a body that nobody reads any more. */
const lingerMs = 2000

interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

export type Render = (refusal: Refusal) => { headers: Record<string, string>; body: string }

export class Connections {
  /** The newest request of each socket: with pipelining it is the last to be answered. */
  readonly #newest = new Map<Socket, Exchange | undefined>()
  readonly #ending = new WeakSet<Socket>()
  #isClosing = false

  constructor(
    server: Server,
    private readonly render: Render,
  ) {
    // A client that ends its side with the request (`nc -N`) still wants the answer. Node knows the property, its types do not.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.on('connection', (socket) => this.#add(socket))
  }

  #add(socket: Socket): void {
    this.#newest.set(socket, undefined)
    socket.once('close', () => this.#newest.delete(socket))
    socket.once('end', () => endStream(this.#newest.get(socket)?.outgoing))
    // Node ends a connection with this after its last answer. Closing while the client still sends
    // would reset the connection, and the answer would be lost with it.
    socket.destroySoon = () => this.#closeGently(socket)
  }

  /** To be called with every request before it is answered. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#newest.set(incoming.socket, { incoming, outgoing })
    if (this.#isClosing) outgoing.shouldKeepAlive = false
    if (mayBeAnsweredEarly(incoming.headers)) outgoing.once('finish', () => discardRest(incoming))
  }

  /** Answers a request that the app does not get to see, and ends the connection. */
  refuse(outgoing: ServerResponse, refusal: Refusal): void {
    const { headers, body } = this.render(refusal)
    outgoing.writeHead(refusal.status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
    outgoing.end(body)
  }

  /** Answers bytes that made no request, after the answers that are still due on this socket; once per socket. */
  refuseRaw(socket: Duplex, refusal: Refusal): void {
    if (!(socket instanceof Socket) || this.#ending.has(socket)) return
    this.#ending.add(socket)
    socket.on('error', () => socket.destroy())
    const write = () => this.#writeLast(socket, refusal)
    const newest = this.#newest.get(socket)
    if (newest === undefined || (newest.incoming.complete && isDone(newest.outgoing))) write()
    else if (newest.incoming.complete) newest.outgoing.once('close', write)
    // The newest request itself broke off. Once it has its answer, or while older ones wait for theirs, another would be misread.
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

  /** Ends what is idle and what streams; the rest ends with its answer. */
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

/** Bodies that take more than one read of the socket; for the small ones a listener is not worth its price. */
function mayBeAnsweredEarly(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : length.length > 5
}

/** Reads on so that the socket gets free, or the client gets to see its answer. */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete) return
  // The reader of a half-read body would pause it again with every chunk.
  incoming.removeAllListeners('data')
  incoming.resume()
}

function isDone(outgoing: ServerResponse): boolean {
  return outgoing.closed || outgoing.writableFinished
}

/** Ends a stream cleanly, which also cancels its source; leaves alone what is not answered yet. */
function endStream(outgoing: ServerResponse | undefined): void {
  if (outgoing?.headersSent && !outgoing.writableEnded) outgoing.end()
}

function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}
