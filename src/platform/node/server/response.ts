/** An answer that is a text and its headers until somebody asks for more, and how answers are written: Node's own `Response` makes streams and copies of both. */
import type { ServerResponse } from 'node:http'

type Body = string | Uint8Array | ReadableStream<Uint8Array> | null
type Reader = ReadableStreamDefaultReader<Uint8Array>

interface Init {
  status?: number
  statusText?: string
  headers?: HeadersInit
}

class LightResponse {
  readonly status: number
  readonly statusText: string
  readonly #body: Body
  readonly #plain: Record<string, string>
  /** Once somebody has asked for them, which may have been to change them. */
  #headers: Headers | undefined

  constructor(body: Body = null, init: Init | LightResponse = {}) {
    this.status = init.status ?? 200
    this.statusText = init.statusText ?? ''
    this.#body = body
    const given = init instanceof LightResponse ? (init.#headers ?? init.#plain) : init.headers
    if (isPlain(given)) this.#plain = given
    else {
      this.#plain = typeof body === 'string' ? { 'Content-Type': 'text/plain; charset=utf-8' } : {}
      if (given !== undefined) this.#headers = new Headers(given)
    }
  }

  static json(value: unknown, init: Init = {}): LightResponse {
    const headers = new Headers(init.headers)
    if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
    return new LightResponse(JSON.stringify(value), { ...init, headers })
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }
  get headers(): Headers {
    this.#headers ??= new Headers(this.#plain)
    return this.#headers
  }
  get body(): ReadableStream<Uint8Array> | null {
    const body = this.#body
    return body === null || body instanceof ReadableStream ? body : new Blob([bytesOf(body)]).stream()
  }
  async arrayBuffer(): Promise<ArrayBuffer> {
    const reader = this.body?.getReader()
    const pieces: Uint8Array<ArrayBuffer>[] = []
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      pieces.push(Uint8Array.from(next.value))
    return new Blob(pieces).arrayBuffer()
  }
  async text(): Promise<string> {
    return typeof this.#body === 'string' ? this.#body : new TextDecoder().decode(await this.arrayBuffer())
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async writeTo(outgoing: ServerResponse): Promise<void> {
    const body = this.#body
    if (this.#headers !== undefined) outgoing.setHeaders(this.#headers)
    const headers = this.#headers === undefined ? this.#plain : {}
    if (body === null) outgoing.writeHead(this.status, headers).end()
    else if (body instanceof ReadableStream) {
      outgoing.writeHead(this.status, headers).flushHeaders()
      await pour(body.getReader(), outgoing)
    } else {
      const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
      outgoing.writeHead(this.status, { 'Content-Length': length, ...headers }).end(body)
    }
  }
}

/** From here on every `new Response` of the process is a light one. */
export const makeResponsesLight = (): void =>
  void Object.defineProperty(globalThis, 'Response', { value: LightResponse, configurable: true, writable: true })

export function write(response: Response | LightResponse, outgoing: ServerResponse): Promise<void> {
  return response instanceof LightResponse ? response.writeTo(outgoing) : writeStandard(response, outgoing)
}

/** So many pieces are waited for before an answer counts as a stream. */
const wholePieces = 3

async function writeStandard({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.setHeaders(headers)
  const reader = body?.getReader()
  if (reader === undefined) return void outgoing.writeHead(status).end()
  const pieces: Uint8Array[] = []
  for (;;) {
    const reading = reader.read()
    const next = pieces.length < wholePieces ? await Promise.race([reading, turnOfTheLoop()]) : undefined
    if (next?.done === true) {
      const whole = Buffer.concat(pieces)
      return void outgoing.writeHead(status, { 'Content-Length': whole.length }).end(whole)
    }
    if (next === undefined) {
      outgoing.writeHead(status).flushHeaders()
      for (const piece of pieces) outgoing.write(piece)
      return pour(reader, outgoing, reading)
    }
    pieces.push(next.value)
  }
}

/** As fast as the client takes it; who leaves ends the source too. */
async function pour(reader: Reader, outgoing: ServerResponse, begun?: ReturnType<Reader['read']>): Promise<void> {
  const cancel = () => void reader.cancel().catch(() => undefined)
  outgoing.once('close', cancel)
  try {
    for (let next = await (begun ?? reader.read()); !next.done && !outgoing.writableEnded; next = await reader.read())
      if (!outgoing.write(next.value)) await roomIn(outgoing)
    outgoing.end()
  } catch {
    // It broke off in the middle, and the client is to see that.
    outgoing.destroy()
  } finally {
    outgoing.off('close', cancel)
    cancel()
  }
}

const roomIn = (outgoing: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done)
      resolve()
    }
    outgoing.once('drain', done).once('close', done)
    if (outgoing.closed) done()
  })

const turnOfTheLoop = () => new Promise<undefined>((resolve) => setImmediate(resolve, undefined))

const isPlain = (headers: HeadersInit | undefined): headers is Record<string, string> =>
  headers !== undefined && !(Symbol.iterator in headers)

const bytesOf = (body: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body)
