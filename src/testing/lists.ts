/** What a test reads of its sandbox: transactions, disputes, wallets, requests and webhooks, all pages, and expectations about requests. */
import type { ControlClient, RouteInput } from '../client/control.js'
import { SandboxError } from '../client/errors.js'
import type {
  ControlRoute,
  ControlRoutes,
  Dispute,
  DisputeDetails,
  EventName,
  LoggedCall,
  LoggedCallDetails,
  Webhook as RawWebhook,
  Transaction,
  TransactionDetails,
  Wallet,
  WalletDetails,
  WebhookSummary,
} from '../client/types/control.js'
import type { SandboxEvent } from '../client/types/events.js'
import type { Duration } from './options.js'

interface Page<Row> {
  data: Row[]
  next: string | null
}

/** The routes with pages, except the inbox, which has a name in its path. */
type ListRoute = {
  [Route in ControlRoute]: ControlRoutes[Route] extends { params: unknown }
    ? never
    : ControlRoutes[Route] extends { query: { after?: string | undefined }; answer: Page<unknown> }
      ? Route
      : never
}[ControlRoute]
export type Filter<Route extends ListRoute> = Omit<ControlRoutes[Route]['query'], 'limit' | 'after'>
type RowOf<Route extends ListRoute> = ControlRoutes[Route]['answer'] extends Page<infer Row> ? Row : never

/** Every row, newest first. */
export async function readAll<Route extends ListRoute>(
  control: ControlClient,
  route: Route,
  filter: Filter<Route>,
): Promise<RowOf<Route>[]> {
  const rows: RowOf<Route>[] = []
  for (let after: string | null | undefined; after !== null; ) {
    // The compiler cannot express what all lists have in common.
    const input = { query: { ...filter, limit: 500, after } } as unknown as RouteInput<'GET /runs'>
    const page = (await control.call(route as 'GET /runs', input)) as unknown as Page<RowOf<Route>>
    rows.push(...page.data)
    after = page.next
  }
  return rows
}

export interface ObjectReader<Row, Details, Query> {
  /** Newest first; filters have the names of the control API. */
  list(filter?: Query): Promise<Row[]>
  get(id: string | number): Promise<Details>
}

/** All kinds, distinguished by `type`. */
export type SandboxTransactions = ObjectReader<Transaction, TransactionDetails, Filter<'GET /transactions'>>
export type SandboxDisputes = ObjectReader<Dispute, DisputeDetails, Filter<'GET /disputes'>>
export type SandboxWallets = ObjectReader<Wallet, WalletDetails, Filter<'GET /wallets'>>

export const transactionsOf = (control: ControlClient): SandboxTransactions => ({
  list: (filter = {}) => readAll(control, 'GET /transactions', filter),
  get: (id) => control.call('GET /transactions/{id}', { params: { id } }),
})

export const disputesOf = (control: ControlClient): SandboxDisputes => ({
  list: (filter = {}) => readAll(control, 'GET /disputes', filter),
  get: (id) => control.call('GET /disputes/{id}', { params: { id } }),
})

export const walletsOf = (control: ControlClient): SandboxWallets => ({
  list: (filter = {}) => readAll(control, 'GET /wallets', filter),
  get: (id) => control.call('GET /wallets/{id}', { params: { id } }),
})

/** Only the named fields of a body are compared. `times`: the exact number (default: at least one). */
export type ExpectedCall = RouteInput<'POST /requests/verify'>['body']

export interface SandboxRequests extends ObjectReader<LoggedCall, LoggedCallDetails, Filter<'GET /requests'>> {
  /** Resolves to the number of matching calls. Throws `SandboxError` (`CONFLICT`), which reports how near misses differ. */
  expect(call: ExpectedCall): Promise<number>
  /** Calls that were rejected with a 4xx, newest first. */
  unexpected(): Promise<LoggedCall[]>
  /** Calls that the platform accepts but that are probably mistakes, newest first: each has `warnings`. */
  warnings(): Promise<LoggedCall[]>
  /** Repeats the call, with a fresh token and signature if it needs them. */
  replay(id: string): Promise<LoggedCallDetails>
}

export function requestsOf(control: ControlClient): SandboxRequests {
  const list: SandboxRequests['list'] = (filter = {}) => readAll(control, 'GET /requests', filter)
  return {
    list,
    get: (id) => control.call('GET /requests/{id}', { params: { id } }),
    async expect(body = {}) {
      const { matched } = await control.call('POST /requests/verify', { body })
      if (matched > 0 || body.times !== undefined) return matched
      return (await control.call('POST /requests/verify', { body: { ...body, times: 1 } })).matched
    },
    unexpected: async () => (await list()).filter(({ status }) => status >= 400 && status < 500),
    warnings: () => list({ warnings: 'true' }),
    replay: (id) => control.call('POST /requests/{id}/replay', { params: { id } }),
  }
}

// The events of a sandbox and their delivery.

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
