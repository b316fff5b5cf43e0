/** Minimal requests and responses for the app, without the streams and signals of a real runtime, which took a third of the time. */

/** The part of a `Request` that the app uses when the body's length is known. */
class LightRequest {
  readonly headers: Headers
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(
    readonly method: string,
    readonly url: string,
    headers: Record<string, string>,
    body: string | undefined,
  ) {
    this.#bytes = new TextEncoder().encode(body ?? '')
    this.headers = new Headers(headers)
    if (body === undefined) return
    if (!this.headers.has('content-type')) this.headers.set('content-type', 'application/json')
    this.headers.set('content-length', String(this.#bytes.length))
  }

  arrayBuffer = async () => this.#bytes.buffer

  get body(): ReadableStream | null {
    return this.#bytes.length === 0 ? null : new Blob([this.#bytes]).stream()
  }
}

class LightResponse {
  readonly status: number
  readonly #init: ResponseInit | undefined
  #headers: Headers | undefined

  constructor(
    readonly content: string | ReadableStream | null = null,
    init?: ResponseInit,
  ) {
    this.status = init?.status ?? 200
    this.#init = init
  }

  get headers(): Headers {
    this.#headers ??= new Headers(this.#init?.headers)
    return this.#headers
  }
}

const WholeResponse = globalThis.Response
// The app creates responses with the global `Response`.
Object.assign(globalThis, { Response: LightResponse })

export const requestOf = (method: string, url: string, headers: Record<string, string>, body?: string): Request =>
  // No simulated call uses the missing members.
  new LightRequest(method, url, headers, body) as unknown as Request

export async function textOfAnswer(response: Response): Promise<string> {
  // The app created it with the class above.
  const { content } = response as unknown as LightResponse
  return content instanceof ReadableStream ? new WholeResponse(content).text() : (content ?? '')
}
