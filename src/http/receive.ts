/** Reads a body within its limits, and makes of it what the endpoint takes; what is wrong with it is told later, in the order of checks. */
import { JsonError, JsonNumber, parseJson } from '../base/json.js'
import { ApiError } from '../protocol/api/errors.js'
import { bodyLimits } from '../protocol/api/limits.js'

export interface Received {
  /** Exactly what came; empty where it was refused unread. */
  bytes: Uint8Array
  /** 413 PAYLOAD_TOO_LARGE, known before anything else is looked at. */
  fault: ApiError | null
}

const empty = new Uint8Array(0)

export async function receive(request: Request, maxBytes: number): Promise<Received> {
  if (request.method === 'GET' || request.method === 'HEAD') return { bytes: empty, fault: null }
  const declared = request.headers.get('content-length')
  const tooLarge = () => ({ bytes: empty, fault: new ApiError('PAYLOAD_TOO_LARGE', { max_bytes: maxBytes }) })
  if (declared !== null && Number(declared) > maxBytes) return tooLarge()
  if (declared !== null) return { bytes: new Uint8Array(await request.arrayBuffer()), fault: null }
  const bytes = await readStream(request, maxBytes)
  return bytes === null ? tooLarge() : { bytes, fault: null }
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  if (request.body === null) return empty
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > maxBytes) {
      void reader.cancel().catch(() => undefined)
      return null
    }
    chunks.push(value)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
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

/** 415 UNSUPPORTED_CONTENT_TYPE unless the media type is one of these, in UTF-8. */
export function requireContentType(header: string | null, accepted: readonly string[]): string {
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
export function jsonObject(received: Received, contentType: string | null): Record<string, unknown> {
  if (received.fault !== null) throw received.fault
  if (received.bytes.length === 0) return {}
  requireContentType(contentType, ['application/json'])
  let value: unknown
  try {
    value = parseJson(bodyText(received.bytes))
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError('INVALID_JSON', { reason: error.message })
    throw error
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value) || value instanceof JsonNumber) {
    throw new ApiError('INVALID_JSON', { reason: 'the body must be a JSON object' })
  }
  return value as Record<string, unknown>
}

export interface Form {
  /** Text fields; the last of a name counts. */
  fields: Record<string, string>
  files: { name: string; bytes: Uint8Array }[]
}

/** The fields and files of a multipart body, or what is wrong with it: 413, 415, 400 INVALID_JSON. */
export async function readForm(received: Received, contentType: string | null): Promise<Form | ApiError> {
  if (received.fault !== null) return received.fault
  try {
    requireContentType(contentType, ['multipart/form-data'])
    const data = await new Response(received.bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'Content-Type': contentType ?? '' },
    }).formData()
    const form: Form = { fields: {}, files: [] }
    for (const [name, value] of data) {
      if (typeof value === 'string') form.fields[name] = value
      else form.files.push({ name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) })
    }
    return form
  } catch (error) {
    if (error instanceof ApiError) return error
    return new ApiError(
      'INVALID_JSON',
      { reason: 'the multipart body cannot be read' },
      { message: 'The body is not readable multipart/form-data.' },
    )
  }
}

export const maxBytesOf = {
  json: bodyLimits.jsonBytes,
  multipart: bodyLimits.multipartBytes,
  query: bodyLimits.jsonBytes,
  none: bodyLimits.jsonBytes,
} as const
