/** A call and its answer, as passed by the recorder. */

export type HeaderList = readonly (readonly [name: string, value: string])[]

export interface Message {
  headers: HeaderList
  /** As it was transferred until the exchange is redacted; null if it was not stored. */
  body: Uint8Array | null
  /** Bytes that were transferred. */
  bodyBytes: number
}

export interface Exchange {
  /** Whether the platform called the integrator. */
  isWebhook: boolean
  /** Scheme, host and the path prefix. */
  base: string
  /** Path and query. */
  target: string
  method: string
  httpVersion: string
  request: Message
  answer: Message & { status: number; statusText: string }
  startedAtMs: number
  /** Time until the answer began, and from there to its end. */
  waitMs: number
  receiveMs: number
}

export function headerOf(headers: HeaderList, name: string): string | null {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? null
}
