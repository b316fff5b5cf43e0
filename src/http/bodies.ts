/**
 * Reads request bodies within their limits and builds the bodies of answers (§2.1, part 7). Errors of a body are
 * reported later, in the documented order of checks.
 */

import { isoUtc } from '../base/iso.js'
import { JsonError, readJson } from '../base/json.js'
import { isFields } from '../base/unknown.js'
import type { Respond } from '../core/webhooks/faults.js'
import { ApiError, type ErrorDetails, errorBody } from '../protocol/platform/errors.js'
import { answerHeaders } from '../protocol/platform/headers.js'
import { bodyLimits } from '../protocol/platform/limits.js'
import { damageOf } from '../store/stored-json.js'
import type { CallHeaders, CallRequest } from './call-request.js'

export interface Received {
  /** The bytes exactly as received; empty if the body was rejected unread. A view: what outlives the call copies them. */
  bytes: Uint8Array
  /** 413, 503, or 400 for an incomplete body: found before anything else is checked. */
  fault: ApiError | null
}

const empty = new Uint8Array(0)
export const nothingReceived: Received = { bytes: empty, fault: null }

export const tooLarge = (maxBytes: number) => new ApiError('PAYLOAD_TOO_LARGE', { max_bytes: maxBytes })
export const incompleteBody = () => new ApiError('INVALID_JSON', { reason: 'the body broke off before its end' })
export const overBudget = () =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    { reason: 'too many large bodies at one time', retry_after: 1 },
    { message: 'Too many large bodies arrive at the same time. Send the request again in a moment.' },
  )

const refused = (fault: ApiError): Received => ({ bytes: empty, fault })

/** Returns null if the request does not declare a length. */
export function declaredBytes({ headers }: CallRequest): number | null {
  const declared = headers.get('content-length')
  return declared === null ? null : Number(declared)
}

/** Reads the body; the memory that it needs is taken from `bodyShare`. */
export async function receiveBody(
  request: CallRequest,
  bodyShare: BodyShare,
  maxBytes: number = bodyLimits.jsonBytes,
): Promise<Received> {
  if (request.method === 'GET' || request.method === 'HEAD') return { bytes: empty, fault: null }
  const declared = declaredBytes(request)
  if (declared !== null && declared > maxBytes) return refused(tooLarge(maxBytes))
  try {
    if (declared === null || declared > bodyLimits.unaskedBytes) return await readStream(request, bodyShare, maxBytes)
    if (!bodyShare.take(declared)) return refused(overBudget())
    return { bytes: (await request.wholeBody?.()) ?? new Uint8Array(await request.arrayBuffer()), fault: null }
  } catch {
    return refused(incompleteBody())
  }
}

/** Takes memory from the budget as the bytes arrive, so that a merely declared length does not block other calls. */
async function readStream(request: CallRequest, bodyShare: BodyShare, maxBytes: number): Promise<Received> {
  const reader = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    size += next.value.length
    const fault = size > maxBytes ? tooLarge(maxBytes) : bodyShare.take(next.value.length) ? null : overBudget()
    if (fault !== null) {
      void reader?.cancel().catch(() => undefined)
      return refused(fault)
    }
    chunks.push(next.value)
  }
  return { bytes: joinPieces(chunks), fault: null }
}

/**
 * Yields a body as it arrives, for bodies that are too large for memory. 413 PAYLOAD_TOO_LARGE, 400 INVALID_JSON if it
 * is incomplete.
 */
export async function* readPieces(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  if ((declaredBytes(request) ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const reader = request.body?.getReader()
  const read = async () => {
    try {
      return await reader?.read()
    } catch {
      throw incompleteBody()
    }
  }
  let size = 0
  for (let next = await read(); next?.done === false; next = await read()) {
    size += next.value.length
    if (size > maxBytes) {
      void reader?.cancel().catch(() => undefined)
      throw tooLarge(maxBytes)
    }
    yield next.value
  }
}

export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes a body; 400 INVALID_JSON if it is not UTF-8. */
export function bodyText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('INVALID_JSON', { reason: 'the body is not UTF-8' })
  }
}

/** Throws 415 UNSUPPORTED_CONTENT_TYPE unless the media type is one of these, in UTF-8 and not compressed (decision 35). */
export function requireContentType(headers: CallHeaders, accepted: readonly string[]): string {
  const header = headers.get('content-type')
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') throw new ApiError('UNSUPPORTED_CONTENT_TYPE', { content_encoding: encoding })
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  if (accepted.includes(type) && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return type
  throw new ApiError('UNSUPPORTED_CONTENT_TYPE', { received: header, accepted })
}

/** Parses a body as a JSON object; an empty body counts as `{}`. 415, 400 INVALID_JSON. */
export function jsonObject(received: Received, headers: CallHeaders): Record<string, unknown> {
  if (received.fault !== null) throw received.fault
  if (received.bytes.length === 0) return {}
  requireContentType(headers, ['application/json'])
  let value: unknown
  try {
    value = readJson(bodyText(received.bytes))
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError('INVALID_JSON', { reason: error.message })
    throw error
  }
  if (!isFields(value)) throw new ApiError('INVALID_JSON', { reason: 'the body must be a JSON object' })
  return value
}

/** The part of the body budget that one call uses. The budget limits the memory for the bodies of all calls. */
export interface BodyShare {
  /** false if the budget does not allow it. */
  take(bytes: number): boolean
  release(): void
}

/** Returns a function that creates the share of one call. */
export function createBodyBudget(maxBytes: number): () => BodyShare {
  let taken = 0
  return () => {
    let own = 0
    return {
      take(bytes) {
        if (taken + bytes > maxBytes) return false
        taken += bytes
        own += bytes
        return true
      },
      release() {
        taken -= own
        own = 0
      },
    }
  }
}

export interface Answer {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  errorCode: string | null
}

const json: Readonly<Record<string, string>> = { 'Content-Type': 'application/json; charset=utf-8' }

/** `{success, data, request_id, timestamp}`; all times in a body are business time (decision 5). */
export function successAnswer(status: number, data: unknown, requestId: string, atMs: number): Answer {
  return {
    status,
    headers: json,
    body: JSON.stringify({ success: true, data, request_id: requestId, timestamp: isoUtc(atMs) }),
    errorCode: null,
  }
}

/** For the control API and the token endpoint: the object without an envelope. */
export function plainAnswer(status: number, value: unknown): Answer {
  return { status, headers: json, body: JSON.stringify(value), errorCode: null }
}

/** Any error but an `ApiError` is a fault of the sandbox: 500 INTERNAL_ERROR, reported on standard error. */
export function errorAnswer(error: unknown): Answer {
  const known = error instanceof ApiError ? error : (damageOf(error) ?? new ApiError('INTERNAL_ERROR'))
  if (known.code === 'INTERNAL_ERROR') console.error('payments-sandbox: unexpected error', error)
  return {
    status: known.status,
    headers: { ...json, ...headersOf(known.details) },
    body: JSON.stringify(errorBody(known)),
    errorCode: known.code,
  }
}

/** Returns the headers that repeat details of the error. */
function headersOf({ retry_after: seconds, allow }: ErrorDetails): Record<string, string> {
  return {
    ...(typeof seconds === 'number' ? { [answerHeaders.retryAfter]: String(seconds) } : {}),
    ...(Array.isArray(allow) ? { [answerHeaders.allow]: allow.join(', ') } : {}),
  }
}

/** The answer that a scenario gives instead of the real one; null: no answer, because the connection is closed. */
export function scenarioAnswer(respond: Respond | null): Answer {
  if (respond === null) return { status: 0, headers: json, body: '', errorCode: null }
  const { status, code, details } = respond
  return {
    status,
    headers: { ...json, ...headersOf(details) },
    body: JSON.stringify(errorBody(respond)),
    errorCode: code,
  }
}

export const withId = (answer: Answer, requestId: string): Answer => ({
  ...answer,
  headers: { [answerHeaders.requestId]: requestId, ...answer.headers },
})
