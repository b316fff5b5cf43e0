/** An exchange as it passed, and its entry of a HAR 1.2 file. */
import { createBodyBudget } from '../../../inside/handlers.js'
import { endpointNames, endpoints } from '../../../inside/platform.js'
import { isoUtc, parseHeaderValue, partsOf } from '../../../inside/values.js'
import { classOf } from '../redact/fields.js'
import type { Pseudonyms } from '../redact/pseudonyms.js'
import {
  decodedHeader,
  type HarPair,
  type HeaderList,
  redactedHeaders,
  redactedTarget,
  redactJson,
  redactName,
  redactPairs,
  redactText,
  type Target,
} from '../redact/values.js'

export interface Message {
  headers: HeaderList
  /** As it was transferred until the exchange is redacted; null if it was not stored. */
  body: Uint8Array | null
  /** Bytes that were transferred. */
  bodyBytes: number
}

/** A call and its answer, as passed by the recorder. */
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

export const headerOf = (headers: HeaderList, name: string): string =>
  headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? ''

/** A longer body is omitted. */
export const longestBytes = 1024 * 1024
/** For all bodies in transit together. */
export const openBudget = () => createBodyBudget(64 * 1024 * 1024)
export type BodyBudget = ReturnType<typeof openBudget>

/** A copy of a passing body, limited for each and in total. */
export class BodyCopy {
  /** Bytes that passed. */
  bytes = 0
  #chunks: Buffer[] | null = []
  readonly #share: ReturnType<BodyBudget>

  constructor(takeShare: BodyBudget) {
    this.#share = takeShare()
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.#chunks === null) return
    if (this.bytes <= longestBytes && this.#share.take(chunk.length)) this.#chunks.push(chunk)
    else this.release()
  }

  /** As it passed; null if it is too long. */
  whole(): Uint8Array | null {
    return this.#chunks === null ? null : Buffer.concat(this.#chunks)
  }

  release(): void {
    this.#chunks = null
    this.#share.release()
  }
}

export interface WrittenEntry {
  text: string
  /** Number of omitted parts. */
  omitted: number
  /** Number of values that are masked only because they look random. */
  masked: number
}

const paths: ReadonlySet<string> = new Set(endpointNames.map((name) => endpoints[name].path))
const textOrNote = (text: string | undefined) =>
  text === undefined ? { comment: 'left out, because it cannot be parsed', _omitted: true } : { text }

/** Throws if anything cannot be written safely; the whole exchange is then omitted. */
export function entryOf(exchange: Exchange, pseudonyms: Pseudonyms): WrittenEntry {
  pseudonyms.secrets.nextExchange()
  // The first time learns what is hidden in any place of the exchange, the second time replaces it in every place.
  redactedEntry(exchange, pseudonyms)
  pseudonyms.masked = 0
  const { entry, omitted } = redactedEntry(exchange, pseudonyms)
  const hide = (_name: string, value: unknown) => (typeof value === 'string' ? pseudonyms.secrets.hide(value) : value)
  return { text: JSON.stringify(entry, hide), omitted, masked: pseudonyms.masked }
}

function redactedEntry(exchange: Exchange, pseudonyms: Pseudonyms) {
  const request = redactedMessage(exchange.request, pseudonyms)
  // A documented path stays, even if it contains a known name.
  const isDocumented = paths.has(exchange.target)
  const target = isDocumented ? { text: exchange.target, pairs: [] } : redactedTarget(exchange.target, pseudonyms)
  const answer = redactedMessage(exchange.answer, pseudonyms)
  const { startedAtMs, waitMs, receiveMs, isWebhook } = exchange
  const entry = {
    startedDateTime: isoUtc(startedAtMs),
    time: waitMs + receiveMs,
    request: harRequest(exchange, request, target),
    response: harResponse(exchange, answer, redactText(decodedHeader(exchange.answer.statusText), null, pseudonyms)),
    cache: {},
    timings: { send: 0, wait: waitMs, receive: receiveMs },
    ...(isWebhook ? { _webhook: true } : {}),
  }
  // A receiver can answer anything: only its status matters to the platform.
  return { entry, omitted: request.body.omitted + (isWebhook || answer.body.text !== undefined ? 0 : 1) }
}

interface Redacted {
  headers: HarPair[]
  type: string
  body: RedactedBody
}

function redactedMessage({ headers, body }: Message, pseudonyms: Pseudonyms): Redacted {
  const redacted = redactedHeaders(headers, pseudonyms)
  const type = headerOf(headers, 'content-type')
  return { headers: redacted, type, body: redactBody(body, type, pseudonyms) }
}

function harRequest(exchange: Exchange, { headers, type, body }: Redacted, target: Target) {
  const { method, base, httpVersion, request } = exchange
  const { text, params } = body
  const postData = {
    // Without the boundary, which the client chose and nobody needs.
    mimeType: type.split(';')[0]?.trim() ?? '',
    ...(params === undefined ? { text: '', ...textOrNote(text) } : { params }),
  }
  return {
    method,
    url: base + target.text,
    httpVersion: `HTTP/${httpVersion}`,
    cookies: [],
    headers,
    queryString: target.pairs,
    ...(request.bodyBytes === 0 ? {} : { postData }),
    headersSize: -1,
    bodySize: request.bodyBytes,
  }
}

function harResponse({ answer, httpVersion }: Exchange, { headers, type, body }: Redacted, statusText: string) {
  const { status, bodyBytes } = answer
  return {
    status,
    statusText,
    httpVersion: `HTTP/${httpVersion}`,
    cookies: [],
    headers,
    content: {
      size: answer.body?.length ?? bodyBytes,
      mimeType: type,
      ...textOrNote(body.text),
    },
    redirectURL: headers.find(({ name }) => name.toLowerCase() === 'location')?.value ?? '',
    headersSize: -1,
    bodySize: bodyBytes,
  }
}

interface HarParam {
  name: string
  value?: string
  fileName?: string
  comment?: string
}

/** A form has `params`; one that is not in parts has its text, too. `omitted` counts the omitted parts. */
interface RedactedBody {
  text?: string
  params?: HarParam[]
  omitted: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** By content type. A body that cannot be parsed could contain a secret anywhere, so it is omitted. */
function redactBody(body: Uint8Array | null, contentType: string, pseudonyms: Pseudonyms): RedactedBody {
  if (body === null) return { omitted: 1 }
  if (body.length === 0) return { text: '', omitted: 0 }
  const { value, parameters } = parseHeaderValue(contentType)
  try {
    if (value === 'multipart/form-data') return multipart(body, parameters.get('boundary') ?? '', pseudonyms)
    const text = utf8.decode(body)
    if (value !== 'application/x-www-form-urlencoded') return { text: redactJson(text, pseudonyms), omitted: 0 }
    const form = redactPairs(text, pseudonyms)
    return { text: form.text, params: form.pairs, omitted: 0 }
  } catch {
    return { omitted: 1 }
  }
}

/** Omits the content of files, because files such as receipts contain personal data. */
function multipart(body: Uint8Array, boundary: string, pseudonyms: Pseudonyms): RedactedBody {
  const parts = partsOf(body, boundary)
  const params = parts.map(({ name, fileName, content }): HarParam => {
    const shownName = redactName(name, pseudonyms)
    if (fileName !== null)
      return { name: shownName, fileName: pseudonyms.of(fileName), comment: `${content.length} bytes are left out` }
    const text = utf8.decode(content)
    return { name: shownName, value: redactText(text, classOf(name), pseudonyms) }
  })
  return { params, omitted: parts.filter(({ fileName }) => fileName !== null).length }
}
