/** Parses one HAR entry into an exchange: request, response and time. */
import { lowerCaseWebhookHeaders } from '../../../inside/platform.js'
import { bytesOf, bytesWithin, fieldsIn, isKeyOf, joinChunks, parseMoment } from '../../../inside/values.js'
import { type Caller, callers, type Signed, signedKinds } from '../probe/signed.js'

/** A name and a value of a form. */
export interface FormPart {
  name: string
  value: string
  fileName: string | null
  type: string | null
}

export interface Exchange {
  /** Number of the entry in its file, from 1. */
  number: number
  /** Real time of the recorder. */
  startedMs: number
  method: string
  url: URL
  /** By lower-case name. */
  headers: ReadonlyMap<string, string>
  body: string | null
  /** The parts of a form, if the producer parsed it. */
  form: readonly FormPart[]
  status: number
  responseHeaders: ReadonlyMap<string, string>
  responseBody: string | null
  isWebhook: boolean
  /** null: not known, as in every recording that is not of a probe. */
  signed: Signed | null
  /** null: not known, as for `signed`. */
  caller: Caller | null
}

/** The category under which the report counts an entry that is not used. */
export type Unusable = { reason: string }

export async function exchangeOf(entry: unknown, number: number): Promise<Exchange | Unusable> {
  const fields = fieldsIn(entry)
  const request = fieldsIn(fields.request)
  const response = fieldsIn(fields.response)
  const { method, url: address } = request
  if (typeof method !== 'string' || typeof address !== 'string' || !URL.canParse(address))
    return { reason: 'entries without a method or a URL' }
  const url = new URL(address)
  const signed = fields[harFields.signed]
  const status = Number(response.status)
  if (/^wss?:$/.test(url.protocol) || status === 101 || fields._webSocketMessages !== undefined)
    return { reason: 'WebSocket connections' }
  if (method === 'OPTIONS' || method === 'HEAD') return { reason: `${method} requests` }
  if (!(status >= 100 && status <= 599)) return { reason: 'requests without a response' }
  const startedMs = typeof fields.startedDateTime === 'string' ? momentOf(fields.startedDateTime) : null
  if (startedMs === null) return { reason: 'entries without a start time' }
  // Repeating the call without its body would make a different call.
  if (fieldsIn(request.postData)[harFields.omitted] === true) return { reason: 'calls whose body is not recorded' }
  const [headers, responseHeaders] = [headersOf(request.headers), headersOf(response.headers)]
  const isWebhook = fields[harFields.webhook] === true || headers.has(lowerCaseWebhookHeaders.event)
  if (isWebhook && method.toUpperCase() !== 'POST') return { reason: 'webhooks that are not POST requests' }
  try {
    return {
      ...{ number, startedMs, method: method.toUpperCase(), url, headers, responseHeaders, status, isWebhook },
      body: await bodyIn(request.postData, headers),
      form: formOf(fieldsIn(request.postData).params),
      responseBody: await bodyIn(response.content, responseHeaders),
      signed: typeof signed === 'string' && isKeyOf(signedKinds, signed) ? signed : null,
      caller: callers.find((one) => one === fields[harFields.caller]) ?? null,
    }
  } catch (error) {
    if (error instanceof UnreadableBody) return { reason: `exchanges with an unreadable body (${error.message})` }
    throw error
  }
}

/** Producers write more fractional digits than ISO 8601 parsers accept, or none. */
function momentOf(text: string): number | null {
  const ms = parseMoment(text) ?? Date.parse(text)
  return Number.isFinite(ms) ? ms : null
}

function headersOf(list: unknown): Map<string, string> {
  const items = Array.isArray(list) ? list.map(fieldsIn) : []
  return new Map(
    items.flatMap(({ name, value }) =>
      typeof name === 'string' && typeof value === 'string' ? [[name.toLowerCase(), value.trim()] as const] : [],
    ),
  )
}

function formOf(params: unknown): FormPart[] {
  const items = Array.isArray(params) ? params.map(fieldsIn) : []
  return items.flatMap(({ name, value, fileName, contentType }) => {
    if (typeof name !== 'string') return []
    return { name, value: textOrNull(value) ?? '', fileName: textOrNull(fileName), type: textOrNull(contentType) }
  })
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Why a body cannot be used. */
class UnreadableBody extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()

/** Returns the text of a body; null if there is none or it is not UTF-8. Throws `UnreadableBody`. `headers` have lower-case names. */
async function bodyIn(content: unknown, headers: ReadonlyMap<string, string>): Promise<string | null> {
  const { text, encoding, _encoding } = fieldsIn(content)
  if (typeof text !== 'string') return null
  if (text.length > maxHarBodyChars) throw new UnreadableBody('a body is too large')
  const isBase64 = (encoding ?? _encoding) === 'base64'
  if (!isBase64 && headers.get('transfer-encoding') !== 'chunked') return text
  const raw = isBase64 ? decodedBase64(text) : encoder.encode(text)
  const bytes = await inflated(dechunked(raw, headers), headers)
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

function decodedBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytesOf(text))
  } catch {
    throw new UnreadableBody('a body is not base64')
  }
}

/** Longest head of a chunk that is recognized: its size, a short extension and the line break. */
const maxChunkHeadBytes = 18

/** Most producers join the chunks; some write each chunk as received, with its size before it. */
function dechunked(bytes: Uint8Array<ArrayBuffer>, headers: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  if (headers.get('transfer-encoding') !== 'chunked') return bytes
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const head = new TextDecoder('latin1').decode(bytes.subarray(at, at + maxChunkHeadBytes))
    const size = /^([0-9a-f]{1,8})(?:;[^\r\n]*)?\r\n/i.exec(head)
    if (size === null) return bytes
    const start = at + size[0].length
    const length = Number.parseInt(size[1] ?? '0', 16)
    if (length === 0) break
    parts.push(bytes.subarray(start, start + length))
    at = start + length + 2
  }
  return joinChunks(parts)
}

/** A producer that decompresses a body leaves Content-Encoding unchanged, so the first bytes of the body decide. */
async function inflated(bytes: Uint8Array<ArrayBuffer>, headers: ReadonlyMap<string, string>): Promise<Uint8Array> {
  const encoding = headers.get('content-encoding') ?? ''
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  const isDeflate = encoding === 'deflate' && bytes[0] === 0x78
  if (!isGzip && !isDeflate) {
    if (encoding !== 'br' && encoding !== 'zstd') return bytes
    // JSON begins with { or [, so the producer has decompressed the body.
    if (bytes[0] === 0x7b || bytes[0] === 0x5b || bytes.length === 0) return bytes
    throw new UnreadableBody(`a body is compressed with ${encoding}; record without compression`)
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(isGzip ? 'gzip' : 'deflate'))
  try {
    return await bytesWithin(stream, maxHarBodyChars, () => new UnreadableBody('a body is too large'))
  } catch (error) {
    throw error instanceof UnreadableBody ? error : new UnreadableBody('a compressed body is damaged')
  }
}

export const harFields = {
  /** On an entry: a webhook. */
  webhook: '_webhook',
  /** On an entry of a probe: how the call was signed. */
  signed: '_signed',
  /** On an entry of a probe: whose credentials the call has. */
  caller: '_caller',
  /** On the log of a probe: withdrawals that are not in the recording may have been made. */
  interrupted: '_interrupted',
  /** On the log of a probe: when its run was continued. Texts have other pseudonyms from then on. */
  resumed: '_resumed',
  /** On the log of a probe: until when its receiver listened. */
  ended: '_ended',
  /** On the log: number of parts that were not written. On a body: it was not written. */
  omitted: '_omitted',
} as const

/** The text is not a recording; the message is for the user. */
export class NotHar extends Error {
  constructor(
    message: string,
    /** What the file is not, or does not have. */
    readonly problem: 'json' | 'har' | 'calls',
    /** A field of the file beside `log`. */
    readonly extraField: string | null = null,
  ) {
    super(message)
  }
}

/** Larger recordings must be split. */
export const maxHarBytes = 64 * 1024 * 1024
/** An exchange with a longer body is left out. */
const maxHarBodyChars = 4 * 1024 * 1024
