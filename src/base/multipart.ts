/** Parses multipart/form-data (RFC 7578) as it arrives, in linear time and with only the current chunk in memory. */
import { joinChunks } from './bytes.js'
import { decodeUtf8 } from './text.js'

export class MultipartError extends Error {}

export interface PartSink {
  /** Starts a part; `fileName` is null for a field, `type` without a Content-Type. The returned function receives the content, in any number of chunks. */
  part(name: string, fileName: string | null, type: string | null): (bytes: Uint8Array) => void
}

/** Limits for the headers of one part, and for the blanks after a boundary. */
const maxHeaderBytes = 8 * 1024
const maxPaddingBytes = 64
const maxParts = 100

const [tab, lf, cr, space, dash] = [9, 10, 13, 32, 45]
const crlf = Uint8Array.of(cr, lf)
const endOfHeaders = Uint8Array.of(cr, lf, cr, lf)
const encoder = new TextEncoder()

type State = 'preamble' | 'boundary' | 'headers' | 'content' | 'epilogue'

export class MultipartReader {
  readonly #delimiter: Uint8Array
  #state: State = 'preamble'
  // Starts with a line end, so that the first boundary looks like all others.
  #rest: Uint8Array = crlf
  /** The search for the end of the headers continues from here. */
  #searched = 0
  #parts = 0
  #write: (bytes: Uint8Array) => void = () => {}

  constructor(
    boundary: string,
    private readonly sink: PartSink,
  ) {
    this.#delimiter = encoder.encode(`\r\n--${boundary}`)
  }

  /** Throws `MultipartError` if the body is not multipart, and every error of the sink. */
  push(chunk: Uint8Array): void {
    if (this.#state === 'epilogue') return
    this.#rest = this.#rest.length === 0 ? chunk : joinChunks([this.#rest, chunk])
    while (this.#step()) {}
  }

  /** Call this after the last chunk. */
  end(): void {
    if (this.#state !== 'epilogue') throw new MultipartError('the last boundary is missing')
  }

  /** Returns false if more bytes are needed. */
  #step(): boolean {
    if (this.#state === 'boundary') return this.#afterBoundary()
    if (this.#state === 'headers') return this.#headers()
    if (this.#state === 'epilogue') return false
    return this.#content()
  }

  #content(): boolean {
    const isPart = this.#state === 'content'
    const at = indexOf(this.#rest, this.#delimiter, 0)
    const end = at < 0 ? Math.max(0, this.#rest.length - this.#delimiter.length + 1) : at
    if (isPart && end > 0) this.#write(this.#rest.subarray(0, end))
    this.#rest = this.#rest.subarray(at < 0 ? end : end + this.#delimiter.length)
    if (at >= 0) this.#state = 'boundary'
    return at >= 0
  }

  #afterBoundary(): boolean {
    const rest = this.#rest
    if (rest.length < 2) return false
    if (rest[0] === dash && rest[1] === dash) {
      this.#state = 'epilogue'
      this.#rest = crlf
      return false
    }
    let at = 0
    while (rest[at] === space || rest[at] === tab) at++
    if (at > maxPaddingBytes) throw new MultipartError('a boundary is not followed by a line break')
    if (rest.length < at + 2) return false
    if (rest[at] !== cr || rest[at + 1] !== lf) throw new MultipartError('a boundary is not followed by a line break')
    // Leaves the line end in place, because a part may have no headers.
    this.#rest = rest.subarray(at)
    this.#searched = 0
    this.#state = 'headers'
    if (++this.#parts > maxParts) throw new MultipartError(`there are more than ${maxParts} parts`)
    return true
  }

  #headers(): boolean {
    const at = indexOf(this.#rest, endOfHeaders, this.#searched)
    if (at < 0) {
      if (this.#rest.length > maxHeaderBytes) throw new MultipartError('the headers of a part are too long')
      this.#searched = Math.max(0, this.#rest.length - endOfHeaders.length + 1)
      return false
    }
    const { name, fileName, type } = partHeaders(textOf(this.#rest.subarray(0, at)))
    this.#write = this.sink.part(name, fileName, type)
    this.#rest = this.#rest.subarray(at + endOfHeaders.length)
    this.#state = 'content'
    return true
  }
}

interface Part {
  name: string
  fileName: string | null
  type: string | null
  content: Uint8Array
}

/** Returns the parts of a whole body. Throws `MultipartError`. */
export function partsOf(body: Uint8Array, boundary: string): Part[] {
  const parts: (Omit<Part, 'content'> & { pieces: Uint8Array[] })[] = []
  const reader = new MultipartReader(boundary, {
    part(name, fileName, type) {
      const pieces: Uint8Array[] = []
      parts.push({ name, fileName, type, pieces })
      return (bytes) => pieces.push(bytes)
    },
  })
  reader.push(body)
  reader.end()
  return parts.map(({ pieces, ...part }) => ({ ...part, content: joinChunks(pieces) }))
}

/** @returns the position of `wanted` at or after `from`, or -1. Runs in linear time, because a match can begin only at a CR. */
function indexOf(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  const first = pattern[0]
  const last = bytes.length - pattern.length
  for (let at = from; at <= last; at++) {
    if (bytes[at] !== first) continue
    let length = 1
    while (length < pattern.length && bytes[at + length] === pattern[length]) length++
    if (length === pattern.length) return at
  }
  return -1
}

/** Decodes text; throws `MultipartError` if it is not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new MultipartError('a name or a field is not UTF-8')
  return text
}

function partHeaders(text: string): Omit<Part, 'content'> {
  // The first of several headers of one name counts.
  const lines = text.split('\r\n').reverse()
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).trim().toLowerCase(), parseHeaderValue(line.slice(colon + 1))] as const
    }),
  )
  const disposition = headers.get('content-disposition')
  const name = disposition?.parameters.get('name')
  if (disposition?.value !== 'form-data' || name === undefined)
    throw new MultipartError('a part has no Content-Disposition: form-data with a name')
  const fileName = disposition.parameters.get('filename') ?? null
  // RFC 7578 forbids `filename*`, and a file must not pass for a text field.
  if (fileName === null && disposition.parameters.has('filename*'))
    throw new MultipartError('a part has `filename*`; use `filename`')
  return { name, fileName, type: headers.get('content-type')?.value ?? null }
}

/**
 * Parses `form-data; name="a"; filename="b"`. Value and parameter names are returned in lower case. If a name occurs
 * several times, its first value counts.
 */
export function parseHeaderValue(header: string): { value: string; parameters: Map<string, string> } {
  const parameters = new Map<string, string>()
  const end = header.indexOf(';')
  const value = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase()
  for (let at = end < 0 ? header.length : end + 1; at < header.length; ) {
    const equals = header.indexOf('=', at)
    if (equals < 0) break
    const name = header.slice(at, equals).trim().toLowerCase()
    const { text, next } = header[equals + 1] === '"' ? quotedAt(header, equals + 2) : tokenAt(header, equals + 1)
    if (!parameters.has(name)) parameters.set(name, text)
    at = next
  }
  return { value, parameters }
}

function tokenAt(header: string, from: number): { text: string; next: number } {
  const semicolon = header.indexOf(';', from)
  const end = semicolon < 0 ? header.length : semicolon
  return { text: header.slice(from, end).trim(), next: end + 1 }
}

/** Browsers write a quote in a name as %22, curl as \". */
function quotedAt(header: string, from: number): { text: string; next: number } {
  let text = ''
  let at = from
  while (at < header.length && header[at] !== '"') {
    const isEscape = header[at] === '\\' && (header[at + 1] === '"' || header[at + 1] === '\\')
    if (isEscape) at++
    text += header[at]
    at++
  }
  const semicolon = header.indexOf(';', at)
  return {
    text: text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n'),
    next: semicolon < 0 ? header.length : semicolon + 1,
  }
}
