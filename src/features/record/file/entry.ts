/** Converts an exchange to an entry of a HAR 1.2 file. */

import { endpointNames, endpoints } from '../../../inside/platform.js'
import { isoUtc } from '../../../inside/values.js'
import { type RedactedBody, redactBody } from '../redact/bodies.js'
import { decodedHeader, type HarHeader, redactedHeaders } from '../redact/headers.js'
import type { Pseudonyms } from '../redact/pseudonyms.js'
import { redactedTarget, redactText, type Target } from '../redact/values.js'
import { type Exchange, headerOf, type Message } from './exchange.js'

export interface WrittenEntry {
  text: string
  /** Number of omitted parts. */
  omitted: number
  /** Number of values that are masked only because they look random. */
  masked: number
}

const paths: ReadonlySet<string> = new Set(endpointNames.map((name) => endpoints[name].path))
const leftOut = 'left out, because it cannot be parsed'

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
  const target = targetOf(exchange, pseudonyms)
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
  return { entry, omitted: request.body.omitted + answer.body.omitted }
}

interface Redacted {
  headers: HarHeader[]
  type: string
  body: RedactedBody
}

function redactedMessage({ headers, body }: Message, pseudonyms: Pseudonyms): Redacted {
  const redacted = redactedHeaders(headers, pseudonyms)
  const type = headerOf(headers, 'content-type') ?? ''
  return { headers: redacted, type, body: redactBody(body, type, pseudonyms) }
}

/** A documented path stays, even if it contains a known name. */
function targetOf({ target }: Exchange, pseudonyms: Pseudonyms): Target {
  return paths.has(target) ? { text: target, pairs: [] } : redactedTarget(target, pseudonyms)
}

/** Drops the boundary, which the client chose and nobody needs. */
const mimeTypeOf = (type: string) => type.split(';', 1)[0]?.trim() ?? ''

function harRequest(exchange: Exchange, { headers, type, body }: Redacted, target: Target) {
  const { method, base, httpVersion, request } = exchange
  const { omitted: _, ...content } = body
  const postData = {
    mimeType: mimeTypeOf(type),
    ...(Object.keys(content).length === 0 ? { text: '', comment: leftOut, _omitted: true } : content),
  }
  return {
    method,
    url: base + target.text,
    httpVersion: `HTTP/${httpVersion}`,
    cookies: [],
    headers,
    queryString: target.pairs.map(({ name, value }) => ({ name, value })),
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
      ...(body.text === undefined ? { comment: leftOut, _omitted: true } : { text: body.text }),
    },
    redirectURL: headers.find(({ name }) => name.toLowerCase() === 'location')?.value ?? '',
    headersSize: -1,
    bodySize: bodyBytes,
  }
}
