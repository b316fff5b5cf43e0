/** Parses one HAR entry into an exchange: request, answer and time. */

import { lowerCaseWebhookHeaders } from '../../../inside/platform.js'
import { fieldsIn, parseMoment } from '../../../inside/values.js'
import { bodyIn, UnreadableBody } from './bodies.js'
import { harFields } from './format.js'

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
  answer: string | null
  isWebhook: boolean
}

/** Why an entry is not used. */
export type Unusable = { reason: string }

export async function exchangeOf(entry: unknown, number: number): Promise<Exchange | Unusable> {
  const fields = fieldsIn(entry)
  const request = fieldsIn(fields.request)
  const response = fieldsIn(fields.response)
  const { method, url: address } = request
  if (typeof method !== 'string' || typeof address !== 'string' || !URL.canParse(address))
    return { reason: 'entries without a method or a URL' }
  const url = new URL(address)
  const status = Number(response.status)
  if (/^wss?:$/.test(url.protocol) || status === 101 || fields._webSocketMessages !== undefined)
    return { reason: 'WebSocket connections' }
  if (method === 'OPTIONS' || method === 'HEAD') return { reason: `${method} requests` }
  if (!(status >= 100 && status <= 599)) return { reason: 'requests without a response' }
  const startedMs = typeof fields.startedDateTime === 'string' ? momentOf(fields.startedDateTime) : null
  if (startedMs === null) return { reason: 'entries without a start time' }
  const [headers, responseHeaders] = [headersOf(request.headers), headersOf(response.headers)]
  try {
    return {
      ...{ number, startedMs, method: method.toUpperCase(), url, headers, responseHeaders, status },
      body: await bodyIn(request.postData, headers),
      form: formOf(fieldsIn(request.postData).params),
      answer: await bodyIn(response.content, responseHeaders),
      isWebhook: fields[harFields.webhook] === true || headers.has(lowerCaseWebhookHeaders.event),
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
  return items.flatMap(({ name, value, fileName, contentType }) =>
    typeof name !== 'string'
      ? []
      : [
          {
            name,
            value: typeof value === 'string' ? value : '',
            fileName: typeof fileName === 'string' ? fileName : null,
            type: typeof contentType === 'string' ? contentType : null,
          },
        ],
  )
}
