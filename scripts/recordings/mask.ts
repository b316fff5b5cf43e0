/** Masks a recording as the recorder does, whoever made it: secrets are hidden, personal data gets pseudonyms. */
import { randomUUID } from 'node:crypto'
import { parseMoment } from '../../src/base/iso.js'
import { fieldsIn } from '../../src/base/unknown.js'
import { harFields } from '../../src/features/compare/har/exchange.js'
import { type Exchange, entryOf, headerOf, type Message } from '../../src/features/record/file/entry.js'
import { Pseudonyms } from '../../src/features/record/redact/pseudonyms.js'
import { lowerCaseWebhookHeaders } from '../../src/protocol/platform/headers.js'

const creator = { name: 'payments-sandbox recordings:add', version: '1' }

/** Whether `probe` writes this field of an entry; its value is one of our own words. */
const isOfProbe = ([name, value]: readonly [string, unknown]): boolean =>
  ['_probe', harFields.caller, harFields.signed].includes(name) && /^[a-z_]{1,30}$/.test(String(value))

/** Returns the masked file; entries that cannot be masked are left out and counted. `har` is parsed JSON. */
export function maskedRecording(har: unknown): { text: string; omitted: number } {
  const log = fieldsIn(fieldsIn(har).log)
  const entries = Array.isArray(log.entries) ? log.entries : []
  const pseudonyms = new Pseudonyms(randomUUID() + randomUUID())
  let omitted = typeof log._omitted === 'number' ? log._omitted : 0
  const masked = entries.flatMap((entry) => {
    const kept = Object.fromEntries(Object.entries(fieldsIn(entry)).filter(isOfProbe))
    try {
      const written = entryOf(exchangeIn(entry), pseudonyms)
      omitted += written.omitted
      return [{ ...fieldsIn(JSON.parse(written.text)), ...kept }]
    } catch {
      omitted++
      return []
    }
  })
  const { done } = fieldsIn(log._probe)
  const probe = Array.isArray(done) ? { _probe: { done } } : {}
  const file = { log: { version: '1.2', creator, ...probe, pages: [], entries: masked, _omitted: omitted } }
  return { text: `${JSON.stringify(file, null, 1)}\n`, omitted }
}

function exchangeIn(entry: unknown): Exchange {
  const fields = fieldsIn(entry)
  const [request, response] = [fieldsIn(fields.request), fieldsIn(fields.response)]
  const url = new URL(String(request.url))
  const startedAtMs = parseMoment(String(fields.startedDateTime))
  if (startedAtMs === null) throw new Error('an entry without a start time')
  const asked = messageOf(request.headers, fieldsIn(request.postData))
  return {
    isWebhook: fields._webhook === true || headerOf(asked.headers, lowerCaseWebhookHeaders.event) !== '',
    base: url.origin,
    target: url.pathname + url.search,
    method: String(request.method),
    httpVersion: '1.1',
    request: asked,
    answer: {
      ...messageOf(response.headers, fieldsIn(response.content)),
      status: Number(response.status),
      statusText: String(response.statusText ?? ''),
    },
    startedAtMs,
    waitMs: Number(fields.time) || 0,
    receiveMs: 0,
  }
}

function messageOf(list: unknown, { text, encoding, params, mimeType }: Record<string, unknown>): Message {
  const headers = (Array.isArray(list) ? list : []).map((header) => {
    const { name, value } = fieldsIn(header)
    return [String(name), String(value)] as const
  })
  if (!Array.isArray(params) || typeof text === 'string') {
    const body = Buffer.from(typeof text === 'string' ? text : '', encoding === 'base64' ? 'base64' : 'utf8')
    return { headers, body, bodyBytes: body.length }
  }
  const type = `${String(mimeType).split(';')[0]}; boundary=${boundary}`
  const body = Buffer.from(formOf(params))
  const others = headers.filter(([name]) => name.toLowerCase() !== 'content-type')
  return { headers: [...others, ['Content-Type', type]], body, bodyBytes: body.length }
}

const boundary = 'form-of-a-recording'

/** The parts that the producer has parsed, as a multipart body again. */
const formOf = (params: readonly unknown[]): string =>
  `${params
    .map(fieldsIn)
    .map(({ name, value, fileName }) => {
      const file = typeof fileName === 'string' ? `; filename="${fileName}"` : ''
      return `--${boundary}\r\nContent-Disposition: form-data; name="${String(name)}"${file}\r\n\r\n${String(value ?? '')}\r\n`
    })
    .join('')}--${boundary}--\r\n`
