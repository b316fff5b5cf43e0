/** Reads a body within its limits, and makes of it what the endpoint takes; what is wrong with it is told later, in the order of checks. */

import { JsonError, readJson } from '../../base/json.js'
import { isFields } from '../../base/unknown.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import type { Held } from '../body-budget.js'

export interface Received {
  /** Exactly what came; empty where it was refused unread. */
  bytes: Uint8Array
  /** 413, 503, or 400 where it broke off: known before anything else is looked at. */
  fault: ApiError | null
}

const empty = new Uint8Array(0)
export const nothingReceived: Received = { bytes: empty, fault: null }

export const tooLarge = (maxBytes: number) => new ApiError('PAYLOAD_TOO_LARGE', { max_bytes: maxBytes })
export const brokenOff = () => new ApiError('INVALID_JSON', { reason: 'the body broke off before its end' })
export const noRoom = () =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    { reason: 'too many large bodies at one time', retry_after: 1 },
    { message: 'The sandbox is taking in as much as it can hold: send it again in a moment.' },
  )

const refused = (fault: ApiError): Received => ({ bytes: empty, fault })

/** null where the length is not told before. */
export function declaredBytes({ headers }: Request): number | null {
  const declared = headers.get('content-length')
  return declared === null ? null : Number(declared)
}

/** What it holds in memory is taken from `held`. */
export async function receive(
  request: Request,
  held: Held,
  maxBytes: number = bodyLimits.jsonBytes,
): Promise<Received> {
  if (request.method === 'GET' || request.method === 'HEAD') return { bytes: empty, fault: null }
  const declared = declaredBytes(request)
  if (declared !== null && declared > maxBytes) return refused(tooLarge(maxBytes))
  try {
    if (declared === null || declared > bodyLimits.unaskedBytes) return await readStream(request, held, maxBytes)
    if (!held.take(declared)) return refused(noRoom())
    return { bytes: new Uint8Array(await request.arrayBuffer()), fault: null }
  } catch {
    return refused(brokenOff())
  }
}

/** Takes room as the bytes arrive: a length that is only announced keeps nobody else out. */
async function readStream(request: Request, held: Held, maxBytes: number): Promise<Received> {
  const reader = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    size += next.value.length
    const fault = size > maxBytes ? tooLarge(maxBytes) : held.take(next.value.length) ? null : noRoom()
    if (fault !== null) {
      void reader?.cancel().catch(() => undefined)
      return refused(fault)
    }
    chunks.push(next.value)
  }
  return { bytes: joined(chunks), fault: null }
}

/** A body that is too large for memory, as it arrives. 413 PAYLOAD_TOO_LARGE, 400 INVALID_JSON if it breaks off. */
export async function* piecesOf(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  if ((declaredBytes(request) ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const reader = request.body?.getReader()
  const read = async () => {
    try {
      return await reader?.read()
    } catch {
      throw brokenOff()
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

/** Several pieces as one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a body; 400 INVALID_JSON where it is not UTF-8. */
export function bodyText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('INVALID_JSON', { reason: 'the body is not UTF-8' })
  }
}

/** 415 UNSUPPORTED_CONTENT_TYPE unless the media type is one of these, in UTF-8 and not compressed (decision 35). */
export function requireContentType(headers: Headers, accepted: readonly string[]): string {
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

/** The JSON object of a body; nothing at all counts as `{}`. 415, 400 INVALID_JSON. */
export function jsonObject(received: Received, headers: Headers): Record<string, unknown> {
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
