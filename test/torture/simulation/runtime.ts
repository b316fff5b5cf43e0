/** Requests and answers as the app sees them, without what a real runtime puts around them (streams, signals): that was a third of the time. */

/** As much of a `Request` as the app reads of one whose length is known. */
class LightRequest {
  readonly headers: Headers
  readonly body = null
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
    this.headers.set('content-type', 'application/json')
    this.headers.set('content-length', String(this.#bytes.length))
  }

  arrayBuffer = async () => this.#bytes.buffer
}

class LightResponse {
  readonly status: number
  readonly #init: ResponseInit | undefined
  #headers: Headers | undefined

  constructor(
    readonly content: string | null = null,
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

// The app answers with whatever its runtime calls a Response: here that is ours.
Object.assign(globalThis, { Response: LightResponse })

export const requestOf = (method: string, url: string, headers: Record<string, string>, body?: string): Request =>
  // What is missing is not asked for by any call that is simulated.
  new LightRequest(method, url, headers, body) as unknown as Request

export const textOfAnswer = (response: Response): string => (response as unknown as LightResponse).content ?? ''
