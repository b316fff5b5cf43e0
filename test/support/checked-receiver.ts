/** A receiver that checks each webhook against the interface (§6.1): headers, envelope, schema, and the signature of one account. */
import type { IncomingHttpHeaders } from 'node:http'
import { eventTable } from '../../src/protocol/platform/events.js'
import type { Body } from './http.js'
import { bodyMisfits } from './interface.js'
import { note } from './noted.js'
import { type Post, signatureWith, startReceiver } from './receiver.js'
import { strictly } from './strict.js'

export interface Hook {
  id: string
  event: string
  headers: IncomingHttpHeaders
  /** The raw body as text. */
  raw: string
  body: Body
  data: Body
}

export interface CheckedReceiver {
  url: string
  /** Accepted webhooks, in order of arrival. */
  hooks: Hook[]
  /** Problems of received webhooks; any problem fails the test. */
  problems: string[]
  names(): string[]
  /** Returns `data` of every webhook of an event. */
  dataOf(event: string): Body[]
  /** Sets the statuses of the next responses; later ones are 200. */
  answerNext(...statuses: number[]): void
  /** Answers 503 to every webhook from now on, or accepts webhooks again. */
  refuse(refusing: boolean): void
  close(): Promise<void>
}

/** Returns why a careful receiver rejects a webhook, or null. */
function rejection({ headers, body, fresh }: Post, secret: string): string | null {
  const signature = String(headers['x-webhook-signature'])
  if (!/^[0-9a-f]{64}$/.test(signature)) return `the signature is ${signature}`
  if (signature !== signatureWith(secret, body)) return 'the signature is wrong'
  const stamp = String(headers['x-webhook-timestamp'])
  if (!/^\d{10}$/.test(stamp) || !fresh) return `the timestamp is ${stamp}`
  return null
}

function headerMisfits(headers: IncomingHttpHeaders, body: Body): string[] {
  const expected = {
    'content-type': /^application\/json$/,
    'user-agent': /^Service-Webhook\/2\.0$/,
    'x-webhook-id': /^evt_[0-9A-Za-z]{8,}$/,
    'x-webhook-event': new RegExp(`^${String(body.event).replace('.', '\\.')}$`),
    'x-sandbox': /^1$/,
  }
  return Object.entries(expected).flatMap(([name, pattern]) =>
    pattern.test(String(headers[name])) ? [] : [`${name}: ${String(headers[name])}`],
  )
}

function schemaMisfits(body: Body): string[] {
  const row = eventTable[body.event as keyof typeof eventTable]
  const result = strictly(row.data()).safeParse(body.data)
  return result.success ? [] : result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
}

/** Starts the receiver; the caller closes it. */
export async function startCheckedReceiver(secret: string): Promise<CheckedReceiver> {
  const hooks: Hook[] = []
  const problems: string[] = []
  const statuses: number[] = []
  let refusing = false
  const receiver = await startReceiver((post) => {
    const { headers, body: raw } = post
    const rejected = rejection(post, secret)
    const body = JSON.parse(raw) as Body
    note('event', String(body.event))
    problems.push(...(rejected === null ? [] : [rejected]), ...bodyMisfits(body))
    problems.push(...headerMisfits(headers, body), ...schemaMisfits(body))
    const status = rejected !== null ? 401 : refusing ? 503 : (statuses.shift() ?? 200)
    if (status === 200) hooks.push({ id: post.id, event: body.event, headers, raw, body, data: body.data })
    return { status }
  })
  return {
    url: receiver.url,
    hooks,
    problems,
    names: () => hooks.map((hook) => hook.event),
    dataOf: (event) => hooks.filter((hook) => hook.event === event).map((hook) => hook.data),
    answerNext: (...next) => void statuses.push(...next),
    refuse: (now) => {
      refusing = now
    },
    close: receiver.close,
  }
}
