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
import { codeOf } from '../../base/unknown.js'
import { Passage, type PassageOptions, prefixOf } from './passage.js'
import { forwarded, pairsOf, withHost } from './raw-headers.js'
import { connectRefusal, refusalOf, unanswered, writeRefusal } from './refusals.js'

const maxHeaderBytes = 64 * 1024

export function createRelay(options: PassageOptions): Server {
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
    const refusal = refusalOf(incoming)
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

function relay(incoming: IncomingMessage, outgoing: ServerResponse, line: Line, options: PassageOptions): void {
  const passage = new Passage(incoming, options)
  const upstream = send(incoming, line, options)
  // Sends the headers before a slow body.
  setImmediate(() => {
    if (passage.request.bytes === 0 && !upstream.destroyed && !upstream.writableEnded) upstream.flushHeaders()
  })
  incoming.on('data', (chunk: Buffer) => passage.request.add(chunk))
  outgoing.once('close', () => {
    // The client has left, and the target must see that too.
    if (!outgoing.writableFinished) upstream.destroy()
    passage.lost()
  })
  let isAnswered = false
  upstream.once('response', (answer) => {
    isAnswered = true
    passage.answerBegins()
    pass(answer, outgoing)
    answer.on('data', (chunk: Buffer) => passage.answer.add(chunk))
    setImmediate(() => {
      if (passage.answer.bytes === 0 && !outgoing.destroyed && !outgoing.writableEnded) outgoing.flushHeaders()
    })
    answer.once('end', () => {
      if (!answer.complete) return
      outgoing.addTrailers(pairsOf(answer.rawTrailers))
      outgoing.end()
      passage.recorded(answer)
    })
    answer.once('error', () => outgoing.destroy())
  })
  upstream.once('error', (error) => {
    if (isAnswered) return
    const wasIdle = upstream.reusedSocket && codeOf(error) === 'ECONNRESET'
    // The target closed its idle connection, so the client's is closed too, as without a proxy.
    if (wasIdle || outgoing.destroyed) outgoing.destroy()
    else refuse(outgoing, passage, error, options)
  })
  upstream.once('close', () => {
    incoming.unpipe(upstream)
    incoming.resume()
  })
}

/** For a webhook, the platform sees this as the receiver's answer; for a call, it is not the platform's answer. */
function refuse(outgoing: ServerResponse, passage: Passage, error: Error, options: PassageOptions): void {
  const refusal = unanswered(options, codeOf(error) ?? error.message)
  const { status, reason, body } = refusal
  writeRefusal(outgoing, refusal)
  if (options.isWebhook) {
    passage.answerBegins()
    passage.answer.add(Buffer.from(body))
    passage.recorded({ statusCode: status, statusMessage: reason, rawHeaders: ['Content-Type', 'application/json'] })
  } else passage.lost()
}

function send(incoming: IncomingMessage, { agent, end }: Line, { target, isWebhook }: PassageOptions): ClientRequest {
  const call = target.protocol === 'https:' ? httpsRequest : httpRequest
  const upstream = call({
    agent,
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method: incoming.method ?? 'GET',
    path: isWebhook ? target.pathname + target.search : prefixOf(target) + (incoming.url ?? ''),
    headers: withHost(forwarded(pairsOf(incoming.rawHeaders)), target).flat(),
    maxHeaderSize: maxHeaderBytes,
    setHost: false,
  })
  upstream.once('socket', (socket) => socket.off('close', end))
  incoming.pipe(upstream)
  return upstream
}

function pass(answer: IncomingMessage, outgoing: ServerResponse): void {
  const { statusCode = 502, statusMessage = '', rawHeaders } = answer
  outgoing.sendDate = false
  outgoing.writeHead(statusCode, statusMessage, forwarded(pairsOf(rawHeaders)).flat())
  answer.pipe(outgoing, { end: false })
}
