/**
 * Fast path for small calls of the platform API: it uses Node's request, without `Request`, `Headers`, a router or
 * `Response`. These took one sixth of the CPU time of creating a charge.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { joinChunks } from '../../../base/bytes.js'
import type { ResponseData } from '../../../http/bodies.js'
import type { CallHeaders, HttpRequest } from '../../../http/http-request.js'
import { bodyLimits } from '../../../protocol/platform/limits.js'

/** Targets that URL parsing would not change. Requests with a query take the general path, through `Request`. */
const plainTarget = /^\/[\w/-]*$/

/** Returns null for a request that needs the general path: an unusual target, or a body of unknown or large size. */
export function plainRequest(incoming: IncomingMessage): HttpRequest | null {
  const { method, headers, url = '' } = incoming
  if (!plainTarget.test(url) || headers['transfer-encoding'] !== undefined) return null
  const length = headers['content-length']
  const isPlain =
    method === 'GET' ? length === undefined : method === 'POST' && Number(length) <= bodyLimits.beforeAuthBytes
  return isPlain ? new PlainRequest(incoming) : null
}

export function writeAnswer(outgoing: ServerResponse, { status, headers, body }: ResponseData): void {
  // A scenario may have dropped the connection. The response to a pipelined request has no socket of its own yet.
  if (outgoing.destroyed || outgoing.req.socket.destroyed) return
  const bytes = Buffer.byteLength(body)
  outgoing.writeHead(status, { ...headers, 'Content-Length': bytes })
  // For ASCII text latin1 gives the same bytes; for utf8 Node allocates three times the length and converts.
  outgoing.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

class PlainRequest implements HttpRequest {
  readonly body = null
  readonly method: string
  readonly url: string
  readonly headers: CallHeaders
  readonly #incoming: IncomingMessage

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming
    this.method = incoming.method ?? 'GET'
    this.url = `http://localhost${incoming.url ?? '/'}`
    this.headers = new PlainHeaders(incoming.rawHeaders)
  }

  wholeBody(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      this.#incoming
        .on('data', (chunk: Uint8Array) => chunks.push(chunk))
        .on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : joinChunks(chunks)))
        .on('error', reject)
        // `close` also follows a complete body. The error is created only if needed, because its stack is expensive.
        .on('close', () => {
          if (!this.#incoming.complete) reject(new Error('the connection closed before the body was complete'))
        })
    })
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(await this.wholeBody()).buffer
  }
}

class PlainHeaders implements CallHeaders {
  /** Names and values in alternation. */
  readonly #raw: readonly string[]

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  /** Returns a header. The values of a repeated header are joined, as `Headers` does. */
  get(name: string): string | null {
    const lowerCaseName = name.toLowerCase()
    let found: string | null = null
    for (let at = 0; at < this.#raw.length; at += 2) {
      const one = this.#raw[at] ?? ''
      if (one.length !== lowerCaseName.length || one.toLowerCase() !== lowerCaseName) continue
      const value = this.#raw[at + 1] ?? ''
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }

  /** Returns all headers. Only the request log needs them, when an entry is read. */
  [Symbol.iterator](): Iterator<[string, string]> {
    const headers = new Headers()
    for (let at = 0; at < this.#raw.length; at += 2) headers.append(this.#raw[at] ?? '', this.#raw[at + 1] ?? '')
    return headers.entries()
  }
}
