/** A receiver of webhooks in this process: it verifies what comes, keeps it, and answers as it is told. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseDuration } from '../base/duration.js'
import { foreignJson } from '../base/json.js'
import { fieldsIn } from '../base/unknown.js'
import { SandboxError, StartError, UsageError } from '../client/errors.js'
import type { EventData, EventName } from '../client/types/events.js'
import { verifyWebhook, type WebhookRefusal } from '../client/verify-webhook.js'
import { receivedHeaders } from '../protocol/platform/headers.js'
import { portOf } from '../runtime/node/origin.js'
import { explainStartError } from '../runtime/node/start-errors.js'
import type { Duration } from './options.js'
import type { EventFilter } from './webhooks.js'

export interface ReceiverOptions {
  /** Whose webhooks come here, `merchant` where absent; null: nobody's, until somebody names its `url`. */
  account?: string | null | undefined
  /** Address to listen on; `127.0.0.1` where absent. */
  host?: string | undefined
  /** Any free one where absent. */
  port?: number | undefined
  /** How the sandbox reaches it, where that is not `http://host:port`: from a container, say. */
  url?: string | undefined
}

/** One webhook as it came. A body that is no event leaves `event` and the rest empty. */
export interface ReceivedWebhook<Name extends EventName = EventName> {
  /** `evt_…`, the same in every attempt. */
  id: string
  event: Name
  transaction_id: string
  data: EventData[Name]
  headers: Record<string, string>
  /** The exact text. */
  raw: string
  signature_valid: boolean
  /** Why it was refused; null where it was not. */
  refusal: WebhookRefusal | null
  received_at: string
}

export interface ReceiverAnswer {
  status: number
  /** Real time. */
  delay?: Duration | undefined
}

export interface Receiver {
  /** Give it as `postback_url`. */
  readonly url: string
  /** Everything that came, in order of arrival. */
  readonly received: ReceivedWebhook[]
  /** Resolves to the first such webhook, also one from before the call; 3 seconds where no timeout is given. */
  waitFor<Name extends EventName>(
    event: Name,
    filter?: EventFilter | ((webhook: ReceivedWebhook<Name>) => boolean),
    options?: { timeout?: Duration | undefined },
  ): Promise<ReceivedWebhook<Name>>
  /** What to answer next; the last one repeats. Without any: 200, and 401 to what does not verify. */
  respond(...answers: (number | ReceiverAnswer)[]): void
  /** Forgets what came. */
  clear(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** `secrets` are those that a webhook may be signed with. */
export async function openReceiver(secrets: () => string[], options: ReceiverOptions): Promise<LocalReceiver> {
  const receiver = new LocalReceiver(secrets)
  await receiver.listen(options)
  return receiver
}

export class LocalReceiver implements Receiver {
  readonly received: ReceivedWebhook[] = []
  url = ''
  readonly #server: Server
  readonly #waiting = new Set<() => void>()
  #answers: ReceiverAnswer[] = []
  #closed: Promise<void> | null = null
  /** Runs when it closes, before it stops listening. */
  onClose: () => Promise<void> = async () => {}

  constructor(readonly secrets: () => string[]) {
    this.#server = createServer(
      (request, response) => void this.#take(request, response).catch(() => response.destroy()),
    )
  }

  listen({ host = '127.0.0.1', port = 0, url }: ReceiverOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (cause) => {
        const { code, message } = explainStartError(cause, { host, port, db: ':memory:' })
        reject(new StartError(code, message, { cause }))
      })
      this.#server.listen(port, host, () => {
        this.url = url ?? `http://${host.includes(':') ? `[${host}]` : host}:${portOf(this.#server)}`
        resolve()
      })
    })
  }

  async waitFor<Name extends EventName>(
    event: Name,
    filter: EventFilter | ((webhook: ReceivedWebhook<Name>) => boolean) = {},
    { timeout = '3s' }: { timeout?: Duration | undefined } = {},
  ): Promise<ReceivedWebhook<Name>> {
    const timeoutMs = parseDuration(timeout)
    if (timeoutMs === null) throw new UsageError(`${timeout} is no duration such as 500ms or 5s`)
    const wanted = typeof filter === 'function' ? filter : (webhook: ReceivedWebhook<Name>) => fits(webhook, filter)
    // Its payload is that of its event: what else there may be was not signed by the sandbox.
    const isIt = (webhook: ReceivedWebhook): webhook is ReceivedWebhook<Name> => webhook.event === event
    const look = () => this.received.filter(isIt).find(wanted)
    const found = await this.#until(look, timeoutMs)
    if (found !== undefined) return found
    const names = this.received.map(
      (webhook) => `${webhook.event}${webhook.refusal === null ? '' : ` (${webhook.refusal})`}`,
    )
    const instead = names.length === 0 ? 'nothing came' : `what came: ${names.join(', ')}`
    const whose =
      typeof filter === 'function'
        ? ' that fits'
        : Object.entries(filter)
            .map(([key, value]) => ` of ${key} ${value}`)
            .join('')
    const message = `waited ${timeoutMs} ms for ${event}${whose}; ${instead}`
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
    // The sandbox may be gone already.
    await this.onClose().catch(() => undefined)
    await new Promise((resolve) => {
      this.#server.close(resolve)
      this.#server.closeAllConnections()
    })
  }

  #until<T>(look: () => T | undefined, timeoutMs: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const finish = (found: T | undefined) => {
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve(found)
      }
      const check = () => {
        const found = look()
        if (found !== undefined) finish(found)
      }
      const timer = setTimeout(() => finish(undefined), timeoutMs)
      this.#waiting.add(check)
      check()
    })
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const webhook = this.#read(request, Buffer.concat(chunks).toString('utf8'))
    this.received.push(webhook)
    for (const check of [...this.#waiting]) check()
    const [answer = { status: webhook.refusal === null ? 200 : 401 }] = this.#answers
    if (this.#answers.length > 1) this.#answers.shift()
    const delayMs = answer.delay === undefined ? 0 : (parseDuration(answer.delay) ?? 0)
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false })
    response.writeHead(answer.status).end()
  }

  #read(request: IncomingMessage, raw: string): ReceivedWebhook {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const verdicts = this.secrets().map((secret) => verifyWebhook({ secret, body: raw, headers }))
    const verdict = verdicts.find(({ ok }) => ok) ?? verdicts.find((one) => !isUnsigned(one)) ?? verdicts[0]
    const refusal = verdict === undefined ? 'signature_mismatch' : verdict.ok ? null : verdict.reason
    return {
      id: headers[receivedHeaders.id] ?? '',
      ...eventIn(raw),
      headers,
      raw,
      signature_valid: verdicts.some((one) => !isUnsigned(one)),
      refusal,
      received_at: new Date().toISOString(),
    }
  }
}

const unsigned: readonly string[] = ['missing_signature', 'malformed_signature', 'signature_mismatch']
const isUnsigned = (verdict: { ok: boolean; reason?: string }) => unsigned.includes(verdict.reason ?? '')

function eventIn(raw: string): Pick<ReceivedWebhook, 'event' | 'transaction_id' | 'data'> {
  const { event = '', transaction_id = '', data = {} } = fieldsIn(foreignJson(raw))
  // Anybody may send to a receiver: what is not an event is kept as well, and its own text stands in `raw`.
  return { event, transaction_id, data } as Pick<ReceivedWebhook, 'event' | 'transaction_id' | 'data'>
}

/** Any id that the payload bears counts, as it does for the sandbox. */
function fits({ transaction_id, data }: ReceivedWebhook, filter: EventFilter): boolean {
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
