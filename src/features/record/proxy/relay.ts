/** The reverse proxy: passes requests and answers unchanged, as they arrive. */
import {
  type ClientRequest,
  createServer,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { Transform } from 'node:stream'
import { loopbackHost } from '../../../inside/handlers.js'
import { codeOf } from '../../../inside/values.js'
import { type BodyBudget, BodyCopy, type Exchange, type Message } from '../file/entry.js'

const maxHeaderBytes = 64 * 1024

export function createRelay(options: ExchangeOptions): Server {
  // The two sides decide how long anything may take.
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
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
  running: Set<RunningExchange>
  /** Closes the client's connection. */
  end: () => void
}

function lineFor(socket: Socket, { protocol }: URL): Line {
  const settings = { keepAlive: true, maxSockets: 1 }
  const agent = protocol === 'https:' ? new HttpsAgent(settings) : new HttpAgent(settings)
  const end = () => void socket.end()
  agent.on('free', (idle: Socket) => idle.once('close', end))
  const running = new Set<RunningExchange>()
  socket.once('close', () => {
    for (const one of running) one.lost()
    // Calls that still wait for the connection are not sent any more.
    for (const waiting of Object.values(agent.requests).flat()) waiting?.destroy()
    agent.destroy()
  })
  return { agent, running, end }
}

function relay(incoming: IncomingMessage, outgoing: ServerResponse, line: Line, options: ExchangeOptions): void {
  const running = new RunningExchange(incoming, options)
  let upstream: ClientRequest
  try {
    upstream = send(incoming, line, options)
  } catch (error) {
    refuse(outgoing, running, reasonOfInvalid(error, 'your app sent a call', options), options)
    return
  }
  // Sends the headers before a slow body.
  setImmediate(() => {
    if (running.request.bytes === 0) upstream.flushHeaders()
  })
  incoming.on('data', (chunk: Buffer) => running.request.add(chunk))
  line.running.add(running)
  outgoing.once('close', () => {
    running.lost()
    line.running.delete(running)
  })
  let isAnswered = false
  upstream.once('response', (answer) => {
    isAnswered = true
    try {
      respond(answer, outgoing, running, options)
    } catch (error) {
      // Node reads status lines that it does not write, such as status 099.
      refuse(outgoing, running, reasonOfInvalid(error, `${options.target.origin} sent a response`, options), options)
    }
  })
  upstream.once('error', (error) => {
    if (isAnswered) return
    const wasIdle = upstream.reusedSocket && codeOf(error) === 'ECONNRESET'
    // The target closed its idle connection, so the client's is closed too, as without a proxy.
    if (wasIdle || outgoing.destroyed) outgoing.destroy()
    else refuse(outgoing, running, error, options)
  })
  upstream.once('close', () => incoming.resume())
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
    if (running.answer.bytes === 0) outgoing.flushHeaders()
  })
  gate.once('end', () => {
    outgoing.addTrailers(pairsOf(answer.rawTrailers))
    outgoing.end()
    running.recorded(answer)
  })
  answer.once('error', () => outgoing.destroy())
}

function reasonOfInvalid(error: unknown, what: string, { onFault }: ExchangeOptions): Error {
  const why = `invalid status line or header, ${codeOf(error) ?? 'unknown error'}`
  onFault(`${what} that cannot be forwarded (${why})`)
  return new Error(why)
}

/** For a webhook, the platform sees this as the receiver's answer; for a call, it is not the platform's answer. */
function refuse(outgoing: ServerResponse, running: RunningExchange, error: Error, options: ExchangeOptions): void {
  const refusal = unanswered(options, codeOf(error) ?? error.message)
  const body = writeRefusal(outgoing, refusal)
  if (!options.isWebhook) {
    running.lost()
    return
  }
  const { status: statusCode } = refusal
  running.answerBegins()
  running.answer.add(Buffer.from(body))
  const rawHeaders = ['Content-Type', 'application/json']
  running.recorded({ statusCode, statusMessage: STATUS_CODES[statusCode], rawHeaders })
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

/** An answer of the recorder itself, for what it cannot pass on. */
interface Refusal {
  status: number
  error: string
}

const upgrade: Refusal = {
  status: 501,
  error: 'payments-sandbox record forwards HTTP calls; upgraded connections are not supported',
}
const notForward = 'payments-sandbox record is not a forward proxy; use its URL as the base URL of the API'

const foreignHost = (host: string): Refusal => ({
  status: 403,
  error: `payments-sandbox record rejects calls for the host ${host}; use 127.0.0.1 or localhost in the base URL of your app`,
})

/** HTTP/2 clients offer an upgrade and continue without it; a web socket cannot. */
function refusalOf({ headers, url }: IncomingMessage, { isWebhook }: ExchangeOptions): Refusal | null {
  // A page in a browser must not reach the platform by a host name that leads here; tunnels keep the host of the sender.
  if (!isWebhook && headers.host !== undefined && !loopbackHost.test(headers.host)) return foreignHost(headers.host)
  if (headers.upgrade !== undefined && !/^h2c?$/i.test(headers.upgrade)) return upgrade
  return url?.startsWith('/') === true ? null : { status: 400, error: notForward }
}

const unanswered = ({ target, isWebhook }: ExchangeOptions, why: string): Refusal => ({
  status: 502,
  error: `${target.origin} did not respond (${why}); check ${isWebhook ? '--forward-to' : '--target'} of payments-sandbox record`,
})

/** Returns the body. */
function writeRefusal(outgoing: ServerResponse, { status, error }: Refusal): string {
  const body = JSON.stringify({ error })
  // Without a text, Node would write one that it has just refused.
  outgoing.writeHead(status, STATUS_CODES[status] ?? '', { 'Content-Type': 'application/json', Connection: 'close' })
  outgoing.end(body)
  return body
}

/** For `CONNECT`, which has no response object. */
const connectRefusal = [
  'HTTP/1.1 405 Method Not Allowed',
  'Connection: close',
  'Content-Type: application/json',
  '',
  JSON.stringify({ error: notForward }),
].join('\r\n')

/** Headers in the order and case in which they came. */
type Pairs = [name: string, value: string][]

function pairsOf(raw: readonly string[]): Pairs {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[at * 2] ?? '', raw[at * 2 + 1] ?? ''])
}

/** Removes the headers that concern one connection. The framing of a body is the same on both sides. */
function forwarded(pairs: Pairs): Pairs {
  const connectionHeaders = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade'])
  for (const [name, value] of pairs)
    if (name.toLowerCase() === 'connection')
      for (const one of value.split(',')) connectionHeaders.add(one.trim().toLowerCase())
  connectionHeaders.delete('transfer-encoding')
  connectionHeaders.delete('content-length')
  return pairs.filter(([name]) => !connectionHeaders.has(name.toLowerCase()))
}

function withHost(pairs: Pairs, { host }: URL): Pairs {
  return [['Host', host], ...pairs.filter(([name]) => name.toLowerCase() !== 'host')]
}

interface ExchangeOptions {
  /** The target: an API whose paths are appended, or the exact address of a receiver. */
  target: URL
  isWebhook: boolean
  budget: BodyBudget
  now: () => number
  /** Resolves when the exchange is written or left out. */
  onExchange(exchange: Exchange): Promise<void>
  /** Called before any part of a response leaves, which then waits for `leave`. */
  beforeAnswer(leave: () => void): void
  onFault(message: string): void
  /** Called if an exchange breaks off or gets no answer. */
  onLost(): void
}

interface AnswerHead {
  statusCode?: number | undefined
  statusMessage?: string | undefined
  rawHeaders: readonly string[]
}

const basePathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '')

/** One exchange in transit: copies of both bodies, and its end. */
class RunningExchange {
  readonly request: BodyCopy
  readonly answer: BodyCopy
  readonly #startedAtMs: number
  #beganAtMs = 0
  #isOver = false

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly options: ExchangeOptions,
  ) {
    this.request = new BodyCopy(options.budget)
    this.answer = new BodyCopy(options.budget)
    this.#startedAtMs = options.now()
  }

  answerBegins(): void {
    this.#beganAtMs = this.options.now()
  }

  /** Only the first call counts. */
  recorded(answer: AnswerHead): void {
    this.#end(() => this.options.onExchange(this.#exchange(answer)))
  }

  lost(): void {
    this.#end(async () => this.options.onLost())
  }

  /** The copies count in the budget until they are no longer needed. */
  #end(work: () => Promise<void>): void {
    if (this.#isOver) return
    this.#isOver = true
    void work().finally(() => {
      this.request.release()
      this.answer.release()
    })
  }

  #exchange({ statusCode = 0, statusMessage = '', rawHeaders }: AnswerHead): Exchange {
    const { target, isWebhook, now } = this.options
    const { rawHeaders: rawRequestHeaders, url = '', method = '', httpVersion } = this.incoming
    return {
      isWebhook,
      base: target.origin + (isWebhook ? '' : basePathOf(target)),
      target: isWebhook ? target.pathname + target.search : url,
      method,
      httpVersion,
      request: messageOf(withHost(pairsOf(rawRequestHeaders), target), this.request),
      answer: { ...messageOf(pairsOf(rawHeaders), this.answer), status: statusCode, statusText: statusMessage },
      startedAtMs: this.#startedAtMs,
      waitMs: this.#beganAtMs - this.#startedAtMs,
      receiveMs: now() - this.#beganAtMs,
    }
  }
}

function messageOf(headers: Pairs, copy: BodyCopy): Message {
  return { headers, body: copy.whole(), bodyBytes: copy.bytes }
}
