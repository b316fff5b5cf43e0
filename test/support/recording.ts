/** A minimal recorder that writes a HAR 1.2 file: a proxy in front of a sandbox, and a receiver of its webhooks. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface HarHeader {
  name: string
  value: string
}

// biome-ignore lint/suspicious/noExplicitAny: tests change any field of a recording
export type HarEntry = any

export interface Recorder {
  /** The URL that records calls. */
  url: string
  /** The URL that records webhooks. */
  hooksUrl: string
  entries: HarEntry[]
  /** Sets the status with which webhooks are answered. */
  answerHooks(status: number): void
  har(): string
}

export const harOf = (entries: readonly HarEntry[], more: object = {}): string =>
  JSON.stringify({ log: { version: '1.2', creator: { name: 'test', version: '1' }, entries, ...more } })

export async function openRecorder(target: string): Promise<Recorder> {
  const entries: HarEntry[] = []
  let status = 200
  const proxy = await listen(async (request, body) => {
    const startedDateTime = new Date().toISOString()
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const answer = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(request.method === 'GET' ? {} : { body: body as BodyInit }),
    })
    const text = await answer.text()
    const responseHeaders = Object.fromEntries(answer.headers)
    entries.push(
      entryOf({
        startedDateTime,
        request,
        body,
        url: target + request.url,
        status: answer.status,
        headers: responseHeaders,
        text,
      }),
    )
    return { status: answer.status, headers: responseHeaders, text }
  })
  const hooks = await listen(async (request, body) => {
    const startedDateTime = new Date().toISOString()
    const url = `http://127.0.0.1/hooks`
    entries.push({ ...entryOf({ startedDateTime, request, body, url, status, headers: {}, text: '' }), _webhook: true })
    return { status, headers: {}, text: '' }
  })
  return {
    url: proxy,
    hooksUrl: `${hooks}/hooks`,
    entries,
    answerHooks: (next) => {
      status = next
    },
    har: () => harOf(entries),
  }
}

interface Answer {
  status: number
  headers: Record<string, string>
  text: string
}

interface Made extends Answer {
  startedDateTime: string
  request: IncomingMessage
  body: Buffer
  url: string
}

function entryOf({ startedDateTime, request, body, url, status, headers, text }: Made): HarEntry {
  const list = (fields: object): HarHeader[] =>
    Object.entries(fields).map(([name, value]) => ({
      name,
      value: /^authorization$/i.test(name) ? '***' : String(value),
    }))
  return {
    startedDateTime,
    time: 1,
    request: {
      ...{ method: request.method, url, httpVersion: 'HTTP/1.1', cookies: [], headers: list(request.headers) },
      ...{ queryString: [], headersSize: -1, bodySize: body.length },
      ...(body.length === 0
        ? {}
        : { postData: { mimeType: request.headers['content-type'] ?? '', text: body.toString('utf8') } }),
    },
    response: {
      ...{ status, statusText: '', httpVersion: 'HTTP/1.1', cookies: [], headers: list(headers) },
      content: { size: text.length, mimeType: headers['content-type'] ?? '', text },
      ...{ redirectURL: '', headersSize: -1, bodySize: text.length },
    },
    cache: {},
    timings: { send: 0, wait: 1, receive: 0 },
  }
}

async function listen(answer: (request: IncomingMessage, body: Buffer) => Promise<Answer>): Promise<string> {
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      answer(request, Buffer.concat(parts)).then(
        ({ status, headers, text }) => {
          const {
            'transfer-encoding': _encoding,
            'content-length': _length,
            connection: _connection,
            ...kept
          } = headers
          response.writeHead(status, kept).end(text)
        },
        () => response.destroy(),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
