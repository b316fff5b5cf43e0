/** The one receiver of webhooks in tests: it stores every request and answers as it is asked to. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { secretsOf } from './signing.js'

export interface Post {
  path: string
  headers: IncomingHttpHeaders
  /** The bytes as they came, as text. */
  body: string
  event: string
  id: string
  /** The signature is that of one of the demonstration accounts. */
  genuine: boolean
  /** The timestamp is at most five minutes away. */
  fresh: boolean
  /** Real time, on a clock that never steps back. */
  atMs: number
  /** Unix seconds of the real clock. */
  wallSeconds: number
  answeredAtMs: number
}

/** `null` never answers. */
export type Reply = {
  status?: number
  headers?: Record<string, string>
  body?: string
  delayMs?: number
  /** The answer waits for this. */
  until?: Promise<void>
  /** Called as the answer goes out. */
  answered?: () => void
} | null

export interface Receiver {
  url: string
  port: number
  /** Returns all saved calls, in order of arrival. */
  all: Post[]
  /** The events, in that order. */
  names(): string[]
  /** `external_id` of each event's transaction, in that order. */
  externalIds(): string[]
  /** Decides each answer (default: 200). */
  reply: (post: Post, index: number) => Reply
  /** Requests that are open now, and the most there ever were. */
  open: number
  mostOpen: number
  close(): Promise<void>
}

/** Answers 401 to what an integrator must not accept. */
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

/** Listens on a free port of loopback until it is closed. */
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

/** Is closed after the test. */
export async function openReceiver(reply?: Receiver['reply']): Promise<Receiver> {
  const receiver = await startReceiver(reply)
  onTestFinished(() => receiver.close())
  return receiver
}
