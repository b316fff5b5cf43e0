/** A plain receiver: keeps every request as it came and answers as it is told, so that tests can look at each attempt. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Post {
  path: string
  headers: IncomingHttpHeaders
  body: string
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

export interface Posts {
  url: string
  port: number
  /** In the order in which they came. */
  all: Post[]
  /** `external_id` of the charge that each tells of. */
  names(): string[]
  /** Decides each answer; 200 unless set. */
  reply: (post: Post, index: number) => Reply
  /** Requests that are open now, and the most there ever were. */
  open: number
  mostOpen: number
  close(): Promise<void>
}

/** Listens on a free port of loopback until the test is over. */
export async function openPosts(reply: Posts['reply'] = () => ({})): Promise<Posts> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    posts.open += 1
    posts.mostOpen = Math.max(posts.mostOpen, posts.open)
    response.on('close', () => {
      posts.open -= 1
    })
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString()
      const atMs = performance.now()
      const wallSeconds = Date.now() / 1000
      const post: Post = { path: request.url ?? '', headers: request.headers, body, atMs, wallSeconds, answeredAtMs: 0 }
      const answer = posts.reply(post, posts.all.push(post) - 1)
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
  const posts: Posts = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    all: [],
    names: () => posts.all.map(({ body }) => JSON.parse(body).data.external_id),
    reply,
    open: 0,
    mostOpen: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  onTestFinished(() => posts.close())
  return posts
}
