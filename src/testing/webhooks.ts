/** The events of a sandbox and their delivery. */
import type { ControlClient } from '../client/control.js'
import { SandboxError } from '../client/errors.js'
import type { EventName, Webhook as RawWebhook, WebhookSummary } from '../client/types/control.js'
import type { SandboxEvent } from '../client/types/events.js'
import { readAll } from './lists.js'
import type { Duration } from './options.js'

export type DeliveryStatus = RawWebhook['status']

/** An event with its payload and every attempt to deliver it. */
export type Webhook<Name extends EventName = EventName> = Omit<RawWebhook, 'event' | 'transaction_id'> &
  SandboxEvent<Name>

/** The object: `transaction_id` also accepts the id of a dispute or a conversion. */
export interface EventFilter {
  transaction_id?: string | undefined
  external_id?: string | undefined
}

export interface WaitOptions {
  /** Real time, at most `60s` (default: `3s`, less than the timeout of most test runners). */
  timeout?: Duration | undefined
  /**
   * `settled` (default): resolves when the event was acknowledged or has no address, and throws when the last attempt
   * has failed. Other values: resolves in that state.
   */
  status?: DeliveryStatus | 'settled' | undefined
}

export interface SandboxWebhooks {
  /**
   * Resolves to the newest matching event, including those from before the call. Throws `SandboxError`
   * (`WAIT_TIMEOUT`), which lists what happened instead.
   */
  waitFor<Name extends EventName>(event: Name, filter?: EventFilter, options?: WaitOptions): Promise<Webhook<Name>>
  /** In order of occurrence. */
  all(filter?: EventFilter & { event?: EventName; status?: DeliveryStatus }): Promise<WebhookSummary[]>
  /** Event names in order of occurrence. */
  names(filter?: EventFilter): Promise<EventName[]>
  /** With the exact body and all attempts. */
  get(id: string): Promise<Webhook>
  /** Sends the event again at once, with the same id and body. */
  redeliver(id: string): Promise<WebhookSummary>
}

export function webhooksOf(control: ControlClient): SandboxWebhooks {
  const all: SandboxWebhooks['all'] = async (filter = {}) => (await readAll(control, 'GET /webhooks', filter)).reverse()
  return {
    all,
    names: async (filter) => (await all(filter)).map(({ event }) => event),
    async waitFor<Name extends EventName>(event: Name, filter: EventFilter = {}, options: WaitOptions = {}) {
      const { timeout = '3s', status = 'settled' } = options
      const query = { event, ...filter, status, timeout }
      const found = await control
        .call('GET /webhooks/wait', { query })
        .catch(async (error: unknown) => Promise.reject(await explainTimeout(error, event, filter, all)))
      if (status === 'settled' && found.status === 'failed' && found.url !== null) throw undeliveredError(found)
      // Its event has the requested name.
      return withPayload(found) as Webhook<Name>
    },
    get: async (id) => withPayload(await control.call('GET /webhooks/{id}', { params: { id } })),
    redeliver: (id) => control.call('POST /webhooks/{id}/redeliver', { params: { id } }),
  }
}

function withPayload(raw: RawWebhook): Webhook {
  const event: SandboxEvent = JSON.parse(raw.body)
  return { ...raw, ...event }
}

/** Lists what happened instead, for the error of a test that waited in vain. */
async function explainTimeout(
  error: unknown,
  event: EventName,
  filter: EventFilter,
  all: SandboxWebhooks['all'],
): Promise<unknown> {
  if (!(error instanceof SandboxError) || error.code !== 'WAIT_TIMEOUT') return error
  const rows = await all().catch(() => [])
  const criteria = Object.entries(filter).map(([key, value]) => ` of ${key} ${value}`)
  const events = rows
    .slice(-20)
    .map(({ event: name, status, transaction_id }) => `${name} (${status}) of ${transaction_id}`)
  const seenText = events.length === 0 ? 'there were no events' : `events: ${events.join(', ')}`
  const message = `waited ${String(error.details.waited_ms)} ms for ${event}${criteria.join('')}; ${seenText}. ${error.message}`
  return new SandboxError(error.status, error.code, message, error.details, error.requestId)
}

function undeliveredError({ id, event, url, attempts }: RawWebhook): Error {
  const last = attempts.at(-1)
  const why =
    last === undefined ? 'nothing was sent' : `${last.outcome}${last.status === null ? '' : ` ${last.status}`}`
  const details = { id, event, url, attempts }
  return new SandboxError(409, 'WEBHOOK_FAILED', `${event} could not be delivered to ${url}: ${why}`, details, null)
}
