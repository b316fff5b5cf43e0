/** The receiver of webhooks in tests: stores every request and answers as the test decides. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { secretsOf } from './signing.js'

export interface Post {
  path: string
  headers: IncomingHttpHeaders
  /** The raw body as text. */
  body: string
  event: string
  id: string
  /** Whether the signature is that of a demonstration account. */
  genuine: boolean
  /** Whether the timestamp is at most five minutes from now. */
  fresh: boolean
  /** Real time, on a clock that never steps back. */
  atMs: number
  /** Unix seconds of the real clock. */
  wallSeconds: number
  answeredAtMs: number
}

/** A response; `null` never answers. */
export type Reply = {
  status?: number
  headers?: Record<string, string>
  body?: string
  delayMs?: number
  /** The response waits for this promise. */
  until?: Promise<void>
  /** Called when the response is sent. */
  answered?: () => void
} | null

export interface Receiver {
  url: string
  port: number
  /** All received requests, in order of arrival. */
  all: Post[]
  /** The names of the events, in order of arrival. */
  names(): string[]
  /** The `external_id` of each event's transaction, in order of arrival. */
  externalIds(): string[]
  /** Decides each response (default: 200). */
  reply: (post: Post, index: number) => Reply
  /** The number of connections that were opened so far. */
  connections: number
  /** The number of open requests, and the highest number so far. */
  open: number
  mostOpen: number
  close(): Promise<void>
}

/** Answers 401 to webhooks that an integrator must reject. */
export const verified = ({ genuine, fresh }: Post): { status: number } => ({ status: genuine && fresh ? 200 : 401 })

export const signatureWith = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex')

const secrets = ['merchant', 'customer'].map((name) => secretsOf(name).webhookSecret)

function postOf(path: string, headers: IncomingHttpHeaders, body: string): Post {
  const header = (name: string) => String(headers[name] ?? '')
  const wallSeconds = Date.now() / 1000
  return {
    path,
    headers,
    body,
    event: header('x-webhook-event'),
    id: header('x-webhook-id'),
    genuine: secrets.some((secret) => signatureWith(secret, body) === header('x-webhook-signature')),
    fresh: Math.abs(wallSeconds - Number(header('x-webhook-timestamp'))) <= 300,
    atMs: performance.now(),
    wallSeconds,
    answeredAtMs: 0,
  }
}

/** Starts a receiver on a free port of loopback; the caller closes it. */
export async function startReceiver(reply: Receiver['reply'] = () => ({})): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    receiver.open += 1
    receiver.mostOpen = Math.max(receiver.mostOpen, receiver.open)
    response.on('close', () => {
      receiver.open -= 1
    })
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const post = postOf(request.url ?? '', request.headers, Buffer.concat(chunks).toString())
      const answer = receiver.reply(post, receiver.all.push(post) - 1)
      if (answer === null) return
      if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs))
      await answer.until
      post.answeredAtMs = performance.now()
      answer.answered?.()
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '')
    })
  })
  server.on('connection', () => {
    receiver.connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    all: [],
    names: () => receiver.all.map(({ event }) => event),
    externalIds: () => receiver.all.map(({ body }) => JSON.parse(body).data.external_id),
    reply,
    connections: 0,
    open: 0,
    mostOpen: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}

/** Starts a receiver that is closed after the test. */
export async function openReceiver(reply?: Receiver['reply']): Promise<Receiver> {
  const receiver = await startReceiver(reply)
  onTestFinished(() => receiver.close())
  return receiver
}
