/** Makes one HTTP exchange with a sandbox, and turns its response into a value or an error. */
import { chunksWithin } from '../base/bytes.js'
import { orElse } from '../base/text.js'
import { fieldAt, fieldsIn, isJsonObject } from '../base/unknown.js'
import { responseHeaders } from '../protocol/platform/headers.js'
import { SandboxError, UnreachableError } from './errors.js'

/** The part of `Response` that is used. */
export interface Answer {
  ok: boolean
  status: number
  url: string
  headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** An answer whose body can be read as it arrives. */
export interface StreamedAnswer extends Answer {
  body: ReadableStream<Uint8Array> | null
}

/** Sends one request and does not follow redirects; rejects if no answer arrives. */
export type Send<Received extends Answer = Answer> = (url: string, init: RequestInit) => Promise<Received>

export const sendWithFetch: Send<Response> = (url, init) => fetch(url, { ...init, redirect: 'manual' })

export function sendRequest(url: string, init: RequestInit): Promise<Response>
export function sendRequest<Received extends Answer>(
  url: string,
  init: RequestInit,
  send: Send<Received>,
): Promise<Received>
export function sendRequest(url: string, init: RequestInit, send: Send | undefined): Promise<Answer>
/** Throws `UnreachableError`; an aborted call rejects with the reason of its signal. */
export async function sendRequest(url: string, init: RequestInit, send: Send = sendWithFetch): Promise<Answer> {
  try {
    return await send(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason
    throw new UnreachableError(unreachableMessage(originOf(url), reasonOf(error)), { cause: error })
  }
}

/** Codes of a certificate that is not trusted, or not for this name. */
const untrusted = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT)/

const unreachableMessage = (origin: string, reason: string): string =>
  untrusted.test(reason)
    ? `the certificate of ${origin} is not trusted (${reason}): set NODE_EXTRA_CA_CERTS to its authority, which payments-sandbox env prints for a sandbox that was started with --tls`
    : `nothing answers at ${origin} (${reason})`

/** Codes of a connection that was lost during a call. */
const brokenConnectionCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET'])

/** Repeats a request that changes nothing, once, if its reused connection was closed by the other side meanwhile. */
export async function retryIfCut<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof UnreachableError && brokenConnectionCodes.has(reasonOf(error.cause))) return ask()
    throw error
  }
}

/**
 * Returns the JSON of an answer, null without a body. The caller knows its type by the route. Throws `SandboxError`,
 * and `UnreachableError` if the answer is not from a sandbox.
 */
export async function readAnswer<T = unknown>(answer: Answer): Promise<T> {
  const requestId = answer.headers.get(responseHeaders.requestId)
  const text = await textOf(answer)
  if (answer.status === 204) return parseOrUndefined('null')
  const value = parseOrUndefined(text)
  if (answer.ok && value !== undefined && requestId !== null) return value
  const error = errorOf(value)
  if (error !== undefined && !answer.ok)
    throw new SandboxError(
      answer.status,
      error.code,
      error.message,
      error.details ?? {},
      requestId,
      error.group,
      error.retryable,
    )
  throw new UnreachableError(`the server at ${originOf(answer.url)} is not a sandbox (HTTP ${answer.status})`)
}

async function textOf(answer: Answer): Promise<string> {
  try {
    return await answer.text()
  } catch (error) {
    throw new UnreachableError(`the response of ${originOf(answer.url)} was incomplete (${reasonOf(error)})`, {
      cause: error,
    })
  }
}

/** Yields the body as it arrives. Throws `UnreachableError` if it is cut off. */
export async function* piecesOf({ body, url }: StreamedAnswer): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksWithin(body)
  } catch (error) {
    throw new UnreachableError(`the response of ${originOf(url)} was incomplete (${reasonOf(error)})`, { cause: error })
  }
}

interface ErrorFields {
  code: string
  message: string
  group?: string
  retryable?: boolean
  details?: Record<string, unknown>
}

function errorOf(value: unknown): ErrorFields | undefined {
  const { code, message, group, retryable, details } = fieldsIn(fieldsIn(value).error)
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  return {
    code,
    message,
    ...(typeof group === 'string' ? { group } : {}),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(isJsonObject(details) ? { details } : {}),
  }
}

const parseOrUndefined = (text: string) => orElse(undefined, () => JSON.parse(text))

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}

/** The network's error code (`ECONNREFUSED`), which `fetch` puts into the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (cause === null || typeof cause !== 'object') return String(cause)
  return String(fieldAt(cause, 'code') ?? fieldAt(cause, 'message') ?? cause)
}

export interface ApiCallOptions {
  /** Applies this scenario to this one call. */
  scenario?: string | undefined
  /** Additional headers; they override those that the client sets. */
  headers?: Readonly<Record<string, string>> | undefined
  signal?: AbortSignal | undefined
}

/** A file that is attached to a reply to a dispute. */
export interface UploadFile {
  name: string
  content: string | Uint8Array
  /** Media type. The sandbox also checks the content. */
  type?: string | undefined
}

/** Node's `IncomingMessage.headers`, a Fetch `Headers`, or a plain object; names in any case. */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Undefined if the header is missing, or occurs several times with different values. */
export function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const values = Object.entries(headers as Record<string, string | readonly string[] | undefined>)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return new Set(values).size === 1 ? values[0] : undefined
}
