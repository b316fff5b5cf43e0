/** A webhook receiver in this process: it verifies and stores what arrives, and answers as configured. */

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { callAtLimit } from '../base/clock.js'
import { parseDuration } from '../base/duration.js'
import { parseUntrustedJson } from '../base/json.js'
import { isKeyOf, mapRows } from '../base/keys.js'
import { didYouMean } from '../base/text.js'
import { fieldsIn } from '../base/unknown.js'
import { SandboxError, StartError, UsageError } from '../client/errors.js'
import { verifyWebhook, type WebhookRefusal } from '../client/signatures.js'
import type { EventData, EventName } from '../client/types/events.js'
import { nearestName } from '../protocol/actions/nearest-name.js'
import { eventNames, eventTable } from '../protocol/platform/events.js'
import { lowerCaseWebhookHeaders } from '../protocol/platform/headers.js'
import { portOf, readWhole } from '../runtime/node/server/http-guard.js'
import { explainStartError } from '../runtime/node/start-errors.js'
import { callAfter } from '../runtime/node/workspaces.js'
import type { EventFilter } from './lists.js'
import type { Duration, ListenOptions } from './options.js'

export interface ReceiverOptions extends ListenOptions {
  /** The account whose webhooks it receives (default: `merchant`). null: none, until you set its `url` somewhere. */
  account?: string | null | undefined
}

/** One received webhook. If the body is not an event, `event` and the rest are empty. */
export interface ReceivedWebhook<Name extends EventName = EventName> {
  /** `evt_…`, the same in every attempt. */
  id: string
  event: Name
  transaction_id: string
  data: EventData[Name]
  headers: Record<string, string>
  /** The exact text of the body. */
  raw: string
  signature_valid: boolean
  /** Why verification failed; null if it succeeded. */
  refusal: WebhookRefusal | null
  received_at: string
}

export interface ReceiverAnswer {
  status: number
  /** Real time. */
  delay?: Duration | undefined
}

export interface Receiver {
  /** Use it as `postback_url`. */
  readonly url: string
  /** Everything received, in order of arrival. */
  readonly received: ReceivedWebhook[]
  /** Resolves to the first matching webhook, including those received before the call (default timeout: 3 seconds). */
  waitFor<Name extends EventName>(
    event: Name,
    filter?: EventFilter | ((webhook: ReceivedWebhook<Name>) => boolean),
    options?: { timeout?: Duration | undefined },
  ): Promise<ReceivedWebhook<Name>>
  /** Sets the next answers; the last one repeats. Default: 200, or 401 if verification fails. */
  respond(...answers: (number | ReceiverAnswer)[]): void
  /** Deletes what was received. */
  clear(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** `secrets` are those that may have signed a webhook. */
export async function openReceiver(secrets: () => string[], options: ReceiverOptions): Promise<LocalReceiver> {
  const receiver = new LocalReceiver(secrets)
  await receiver.listen(options)
  return receiver
}

export class LocalReceiver implements Receiver {
  readonly received: ReceivedWebhook[] = []
  url = ''
  readonly #waiting = new Set<() => void>()
  #answers: ReceiverAnswer[] = []
  #closePlace = async () => {}
  #closed: Promise<void> | null = null
  /** Runs when it closes, before it stops listening. */
  onClose: () => Promise<void> = async () => {}

  constructor(readonly secrets: () => string[]) {}

  async listen(options: ReceiverOptions): Promise<void> {
    const place = await openPlace(
      options,
      (request, response) => void this.#receive(request, response).catch(() => response.destroy()),
    )
    this.url = place.url
    this.#closePlace = place.close
  }

  async waitFor<Name extends EventName>(
    event: Name,
    filter: EventFilter | ((webhook: ReceivedWebhook<Name>) => boolean) = {},
    { timeout = '3s' }: { timeout?: Duration | undefined } = {},
  ): Promise<ReceivedWebhook<Name>> {
    requireEventName(event)
    const timeoutMs = parseDuration(timeout)
    if (timeoutMs === null) throw new UsageError(`${timeout} is not a duration; use a string such as 500ms or 5s`)
    const criteria =
      typeof filter === 'function' ? filter : (webhook: ReceivedWebhook<Name>) => matchesFilter(webhook, filter)
    // The payload has the type of its event, because the sandbox signed it.
    const isExpectedEvent = (webhook: ReceivedWebhook): webhook is ReceivedWebhook<Name> => webhook.event === event
    const findMatch = () => this.received.filter(isExpectedEvent).find(criteria)
    const found = await this.#waitUntil(findMatch, timeoutMs)
    if (found !== undefined) return found
    const names = this.received.map(
      (webhook) => `${webhook.event}${webhook.refusal === null ? '' : ` (${webhook.refusal})`}`,
    )
    const receivedText = names.length === 0 ? 'no webhook was received' : `received: ${names.join(', ')}`
    const whose =
      typeof filter === 'function'
        ? ' that matches'
        : Object.entries(filter)
            .map(([key, value]) => ` of ${key} ${value}`)
            .join('')
    const message = `waited ${timeoutMs} ms for ${event}${whose}; ${receivedText}`
    throw new SandboxError(408, 'WAIT_TIMEOUT', message, { waited_ms: timeoutMs }, null)
  }

  respond(...answers: (number | ReceiverAnswer)[]): void {
    this.#answers = answers.map((answer) => (typeof answer === 'number' ? { status: answer } : answer))
  }

  clear(): void {
    this.received.length = 0
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    // The sandbox may already be closed.
    await this.onClose().catch(() => undefined)
    await this.#closePlace()
  }

  #waitUntil<T>(look: () => T | undefined, timeoutMs: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const finish = (found: T | undefined) => {
        cancel()
        this.#waiting.delete(check)
        resolve(found)
      }
      const check = () => {
        const found = look()
        if (found !== undefined) finish(found)
      }
      const cancel = callAtLimit(callAfter, timeoutMs, () => finish(undefined))
      this.#waiting.add(check)
      check()
    })
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readWhole(request)
    if (body === null) return void request.socket.destroy()
    const webhook = this.#read(request, body.toString('utf8'))
    this.received.push(webhook)
    for (const check of [...this.#waiting]) check()
    const [answer = { status: webhook.refusal === null ? 200 : 401 }] = this.#answers
    if (this.#answers.length > 1) this.#answers.shift()
    const delayMs = answer.delay === undefined ? 0 : (parseDuration(answer.delay) ?? 0)
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false })
    response.writeHead(answer.status).end()
  }

  #read(request: IncomingMessage, raw: string): ReceivedWebhook {
    const headers = mapRows(request.headers, String)
    const verdicts = this.secrets().map((secret) => verifyWebhook({ secret, body: raw, headers }))
    const verdict = verdicts.find(({ ok }) => ok) ?? verdicts.find((one) => !isUnsigned(one)) ?? verdicts[0]
    const refusal = verdict === undefined ? 'signature_mismatch' : verdict.ok ? null : verdict.reason
    return {
      id: headers[lowerCaseWebhookHeaders.id] ?? '',
      ...eventIn(raw),
      headers,
      raw,
      signature_valid: verdicts.some((one) => !isUnsigned(one)),
      refusal,
      received_at: new Date().toISOString(),
    }
  }
}

/** A name that no event has would be waited for in vain. */
function requireEventName(event: string): void {
  if (isKeyOf(eventTable, event)) return
  const rule = didYouMean(nearestName(event, eventNames)) || `; use one of ${eventNames.join(', ')}`
  throw new UsageError(`${event} is not an event${rule}`)
}

const unsigned: readonly string[] = ['missing_signature', 'malformed_signature', 'signature_mismatch']
const isUnsigned = (verdict: { ok: boolean; reason?: string }) => unsigned.includes(verdict.reason ?? '')

function eventIn(raw: string): Pick<ReceivedWebhook, 'event' | 'transaction_id' | 'data'> {
  const { event = '', transaction_id = '', data = {} } = fieldsIn(parseUntrustedJson(raw))
  // Anyone can send to a receiver: a body that is not an event is stored too, with its text in `raw`.
  return { event, transaction_id, data } as Pick<ReceivedWebhook, 'event' | 'transaction_id' | 'data'>
}

/** Matches any id in the payload, as the sandbox does. */
function matchesFilter({ transaction_id, data }: ReceivedWebhook, filter: EventFilter): boolean {
  const fields = fieldsIn(data)
  const ids = [transaction_id, ...idFields.map((name) => fields[name])]
  return (
    (filter.transaction_id === undefined || ids.includes(filter.transaction_id)) &&
    (filter.external_id === undefined || fields.external_id === filter.external_id)
  )
}

const idFields = [
  'transaction_id',
  'original_transaction_id',
  'infraction_id',
  'conversion_id',
  'original_conversion_id',
] as const

// Where receivers listen: on an address of their own if one is asked for, else all of this process on one server.

type Take = (request: IncomingMessage, response: ServerResponse) => void

interface ReceiverPlace {
  url: string
  /** Drops what is not answered yet; nothing answers at `url` from here on. */
  close(): Promise<void>
}

function openPlace({ host, port, url }: ListenOptions, take: Take): Promise<ReceiverPlace> {
  if (host === undefined && port === undefined && url === undefined) return openPath(take)
  return openServer({ host: host ?? '127.0.0.1', port: port ?? 0, url }, take)
}

async function openServer(
  { host, port, url }: { host: string; port: number; url: string | undefined },
  take: Take,
): Promise<ReceiverPlace> {
  const server = createServer(take)
  await listen(server, host, port)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: url ?? `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`, close }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const { code, message } = explainStartError(cause, { host, port, db: ':memory:' })
      reject(new StartError(code, message, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

/** By path. A server and a connection for each receiver would be a quarter of a test's CPU. */
const receivers = new Map<string, Take>()
let shared: Promise<Server> | null = null

async function openPath(take: Take): Promise<ReceiverPlace> {
  shared ??= openShared()
  const port = portOf(await shared)
  const path = `/${randomUUID()}`
  const open = new Set<ServerResponse>()
  receivers.set(path, (request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    take(request, response)
  })
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async close() {
      receivers.delete(path)
      for (const response of open) response.destroy()
    },
  }
}

/** It stays until the process ends, and does not keep it from ending. */
async function openShared(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    const take = receivers.get(path)
    // Like a port that nobody listens on any more.
    if (take === undefined) request.socket.destroy()
    else take(request, response)
  })
  server.on('connection', (socket) => socket.unref())
  await listen(server, '127.0.0.1', 0)
  server.unref()
  return server
}
