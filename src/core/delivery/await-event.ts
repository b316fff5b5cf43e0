/** Waits until an event has reached a status, such as acknowledged. */
import { callAtLimit } from '../../base/clock.js'
import type { EventName } from '../../protocol/platform/events.js'
import { type Condition, given, lister } from '../../store/rows.js'
import { events } from '../../store/schema.js'
import { withExternalId } from '../operations/transactions.js'
import { type Change, type Workspace, type WorkspaceSlot, workspaceDeletedError } from '../unit/unit.js'
import type { WebhookEvent } from '../webhooks/outbox.js'
import { findEvent } from './deliveries.js'

/** The conditions of events about a transaction and with an `external_id`, both optional. */
export const eventConditions = (event: string | null, id: string | null, externalId: string | null): Condition[] => [
  ...given('event = ?', event),
  ...(id === null ? [] : [['(transaction_id = ? or subject_id = ?)', id, id] as const]),
  // Goes through the transactions with that id, so that both tables are read by index.
  ...(externalId === null
    ? []
    : [
        [
          `subject_id in (select id from transactions where ${withExternalId}) and external_id = ?`,
          externalId,
          externalId,
        ] as const,
      ]),
]

/** Which event a caller waits for. Null means any. Status `settled` means delivered, or failed after the last attempt. */
export interface EventCriteria {
  event: EventName | null
  /** `transaction_id` of the event, or the id of the object that the event is about. */
  transactionId: string | null
  externalId: string | null
  status: string
}

interface Waiter {
  criteria: EventCriteria
  finish(result: () => WebhookEvent): void
}

/** The callers who wait. While there are any, each change is compared with all of them. */
class EventWaiters {
  readonly #waiting = new Set<Waiter>()
  #unsubscribe = () => {}

  constructor(private readonly ws: Workspace) {}

  get size(): number {
    return this.#waiting.size
  }

  add(waiter: Waiter): void {
    if (this.#waiting.size === 0) this.#unsubscribe = this.ws.bus.subscribe(this.#onChange)
    this.#waiting.add(waiter)
  }

  remove(waiter: Waiter): void {
    if (this.#waiting.delete(waiter) && this.#waiting.size === 0) this.#unsubscribe()
  }

  #onChange = (change: Change): void => {
    if (change.type === 'workspace' && change.status === 'closed') this.#rejectAll(workspaceDeletedError(this.ws.name))
    if (change.type !== 'webhook') return
    try {
      const event = findEvent(this.ws.db, change.id)
      if (event === undefined) return
      for (const { criteria, finish } of this.#waiting) if (isWanted(event, criteria)) finish(() => event)
    } catch (error) {
      // The query can fail on a damaged database: the waiting callers get the error.
      this.#rejectAll(error)
    }
  }

  #rejectAll(error: unknown): void {
    for (const { finish } of this.#waiting)
      finish(() => {
        throw error
      })
  }
}

const isWanted = (event: WebhookEvent, { event: name, transactionId, externalId, status }: EventCriteria): boolean =>
  hasStatus(event, status) &&
  (name === null || name === event.event) &&
  (transactionId === null || transactionId === event.transactionId || transactionId === event.subjectId) &&
  (externalId === null || externalId === event.externalId)

export const hasStatus = ({ status }: WebhookEvent, criteria: string): boolean =>
  criteria === 'settled' ? status === 'delivered' || status === 'failed' : status === criteria

export const eventWaiters: WorkspaceSlot<EventWaiters> = { begin: (ws) => new EventWaiters(ws) }

const maxEvents = 20
export const newestEvents = lister(events, 'order by seq desc limit ?')

/** Returns the newest events that match, whatever their status; at most 20. */
export function findEvents(ws: Workspace, { event, transactionId, externalId }: EventCriteria): WebhookEvent[] {
  return newestEvents(ws.db, eventConditions(event, transactionId, externalId), maxEvents)
}

/** Calls back once when the caller disconnects; returns a function that cancels the callback. */
type OnDisconnect = (listener: () => void) => () => void

/**
 * Resolves as soon as a matching event has the status; with undefined after the timeout or when the caller leaves. 404
 * NOT_FOUND if the workspace is deleted meanwhile.
 */
export function awaitEvent(
  ws: Workspace,
  criteria: EventCriteria,
  timeoutMs: number,
  onDisconnect: OnDisconnect = () => () => {},
): Promise<WebhookEvent | undefined> {
  const existing = findEvents(ws, criteria).find((event) => hasStatus(event, criteria.status))
  if (existing !== undefined) return Promise.resolve(existing)
  return new Promise((resolve, reject) => {
    const finish = (found: () => WebhookEvent | undefined) => {
      ws.state.of(eventWaiters).remove(waiter)
      cancel()
      stopWatching()
      try {
        resolve(found())
      } catch (error) {
        reject(error)
      }
    }
    const waiter: Waiter = { criteria, finish }
    ws.state.of(eventWaiters).add(waiter)
    const cancel = callAtLimit(ws.callAfter, timeoutMs, () => finish(() => undefined))
    // Resolves instead of rejecting: a caller that closed only its sending side can still receive a response.
    const stopWatching = onDisconnect(() => finish(() => undefined))
  })
}

/**
 * Like `awaitEvent`, but also resolves with a failed event as soon as every matching event has failed its last attempt.
 */
export async function awaitEventOrFailure(
  ws: Workspace,
  wanted: EventCriteria,
  timeoutMs: number,
  onDisconnect?: OnDisconnect,
): Promise<WebhookEvent | undefined> {
  const untilMs = ws.clock.wall() + timeoutMs
  const settled = await awaitEvent(ws, { ...wanted, status: 'settled' }, timeoutMs, onDisconnect)
  if (settled === undefined || hasStatus(settled, wanted.status)) return settled
  if (findEvents(ws, wanted).every(({ status }) => status === 'failed')) return settled
  return awaitEvent(ws, wanted, Math.max(0, untilMs - ws.clock.wall()), onDisconnect)
}
