/** The reverse proxy: passes requests and answers unchanged, as they arrive. */
import {
  type ClientRequest,
  createServer,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { Transform } from 'node:stream'
import { codeOf } from '../../../inside/values.js'
import { forwarded, pairsOf, withHost } from './raw-headers.js'
import { connectRefusal, refusalOf, unanswered, writeRefusal } from './refusals.js'
import { basePathOf, type ExchangeOptions, RunningExchange } from './running-exchange.js'

const maxHeaderBytes = 64 * 1024

export function createRelay(options: ExchangeOptions): Server {
  // The two sides decide how long anything may take.
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0,
    requestTimeout: 0,
    keepAliveTimeout: 0,
    requireHostHeader: false,
  })
  const lines = new WeakMap<Socket, Line>()
  server.on('connection', (socket) => lines.set(socket, lineFor(socket, options.target)))
  server.on('request', (incoming, outgoing) => {
    const refusal = refusalOf(incoming, options)
    const line = lines.get(incoming.socket)
    if (refusal !== null || line === undefined) writeRefusal(outgoing, refusal ?? unanswered(options, 'no connection'))
    else relay(incoming, outgoing, line, options)
  })
  server.on('connect', (_incoming, socket) => socket.on('error', () => socket.destroy()).end(connectRefusal))
  return server
}

/** A connection of a client with its connection to the target: each side sees the other one close, as without a proxy. */
interface Line {
  agent: HttpAgent
  /** Closes the client's connection. */
  end: () => void
}

function lineFor(socket: Socket, { protocol }: URL): Line {
  const settings = { keepAlive: true, maxSockets: 1 }
  const agent = protocol === 'https:' ? new HttpsAgent(settings) : new HttpAgent(settings)
  const end = () => void socket.end()
  agent.on('free', (idle: Socket) => idle.once('close', end))
  socket.once('close', () => agent.destroy())
  return { agent, end }
}

function relay(incoming: IncomingMessage, outgoing: ServerResponse, line: Line, options: ExchangeOptions): void {
  const running = new RunningExchange(incoming, options)
  let upstream: ClientRequest
  try {
    upstream = send(incoming, line, options)
  } catch (error) {
    refuse(outgoing, running, reasonOfInvalid(error, options), options)
    return
  }
  // Sends the headers before a slow body.
  setImmediate(() => {
    if (running.request.bytes === 0 && !upstream.destroyed && !upstream.writableEnded) upstream.flushHeaders()
  })
  incoming.on('data', (chunk: Buffer) => running.request.add(chunk))
  outgoing.once('close', () => {
    // The client has left, and the target must see that too.
    if (!outgoing.writableFinished) upstream.destroy()
    running.lost()
  })
  let isAnswered = false
  upstream.once('response', (answer) => {
    isAnswered = true
    try {
      respond(answer, outgoing, running, options)
    } catch (error) {
      // Node reads status lines that it does not write, such as status 099.
      upstream.destroy()
      refuse(outgoing, running, reasonOfInvalid(error, options), options)
    }
  })
  upstream.once('error', (error) => {
    if (isAnswered) return
    const wasIdle = upstream.reusedSocket && codeOf(error) === 'ECONNRESET'
    // The target closed its idle connection, so the client's is closed too, as without a proxy.
    if (wasIdle || outgoing.destroyed) outgoing.destroy()
    else refuse(outgoing, running, error, options)
  })
  upstream.once('close', () => {
    incoming.unpipe(upstream)
    incoming.resume()
  })
}

/** Throws if the status line or a header cannot be forwarded. */
function respond(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  running: RunningExchange,
  options: ExchangeOptions,
): void {
  running.answerBegins()
  writeHead(answer, outgoing)
  // Before a chunk leaves: a killed recorder must not lose the exchange before this one too.
  const gate = new Transform({
    transform(chunk: Buffer, _encoding, leave) {
      running.answer.add(chunk)
      options.beforeAnswer(() => leave(null, chunk))
    },
    flush: (leave) => options.beforeAnswer(() => leave()),
  })
  answer.pipe(gate).pipe(outgoing, { end: false })
  setImmediate(() => {
    if (running.answer.bytes === 0 && !outgoing.destroyed && !outgoing.writableEnded) outgoing.flushHeaders()
  })
  gate.once('end', () => {
    if (!answer.complete) return
    try {
      outgoing.addTrailers(pairsOf(answer.rawTrailers))
    } catch (error) {
      reasonOfInvalid(error, options)
    }
    outgoing.end()
    running.recorded(answer)
  })
  answer.once('error', () => outgoing.destroy())
}

function reasonOfInvalid(error: unknown, { target, onFault }: ExchangeOptions): Error {
  const why = `invalid status line or header, ${codeOf(error) ?? 'unknown error'}`
  onFault(`${target.origin} sent a response that cannot be forwarded (${why})`)
  return new Error(why)
}

/** For a webhook, the platform sees this as the receiver's answer; for a call, it is not the platform's answer. */
function refuse(outgoing: ServerResponse, running: RunningExchange, error: Error, options: ExchangeOptions): void {
  const refusal = unanswered(options, codeOf(error) ?? error.message)
  const { status, reason, body } = refusal
  writeRefusal(outgoing, refusal)
  if (options.isWebhook) {
    running.answerBegins()
    running.answer.add(Buffer.from(body))
    running.recorded({ statusCode: status, statusMessage: reason, rawHeaders: ['Content-Type', 'application/json'] })
  } else running.lost()
}

function send(incoming: IncomingMessage, { agent, end }: Line, { target, isWebhook }: ExchangeOptions): ClientRequest {
  const call = target.protocol === 'https:' ? httpsRequest : httpRequest
  const upstream = call({
    agent,
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method: incoming.method ?? 'GET',
    path: isWebhook ? target.pathname + target.search : basePathOf(target) + (incoming.url ?? ''),
    headers: withHost(forwarded(pairsOf(incoming.rawHeaders)), target).flat(),
    maxHeaderSize: maxHeaderBytes,
    setHost: false,
  })
  upstream.once('socket', (socket) => socket.off('close', end))
  incoming.pipe(upstream)
  return upstream
}

function writeHead(answer: IncomingMessage, outgoing: ServerResponse): void {
  const { statusCode = 502, statusMessage = '', rawHeaders } = answer
  outgoing.sendDate = false
  outgoing.writeHead(statusCode, statusMessage, forwarded(pairsOf(rawHeaders)).flat())
}
