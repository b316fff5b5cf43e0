/** Waits until an event has reached a status, such as acknowledged. */
import { callAtLimit } from '../../base/clock.js'
import type { EventName } from '../../protocol/platform/events.js'
import { type Condition, given, lister } from '../../store/rows.js'
import { events } from '../../store/schema.js'
import { withExternalId } from '../operations/transactions.js'
import { type Workspace, type WorkspaceSlot, workspaceDeletedError } from '../unit/unit.js'
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

// Callers who wait for an event, indexed by their criteria, so that a change is compared only with the callers it may
// concern.

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

class EventWaiters {
  readonly #byKey = new Map<string, Set<Waiter>>()
  #unsubscribe = () => {}
  #size = 0

  /**
   * `subscribe` is called when the first caller starts to wait. Each changed event must then go to `resolveMatching`,
   * until the function that `subscribe` returned is called.
   */
  constructor(private readonly subscribe: () => () => void) {}

  get size(): number {
    return this.#size
  }

  add(waiter: Waiter): void {
    const key = keyOf(waiter.criteria)
    const waiters = this.#byKey.get(key) ?? new Set()
    this.#byKey.set(key, waiters.add(waiter))
    if (this.#size++ === 0) this.#unsubscribe = this.subscribe()
  }

  remove(waiter: Waiter): void {
    const key = keyOf(waiter.criteria)
    const waiters = this.#byKey.get(key)
    if (!waiters?.delete(waiter)) return
    this.#size--
    if (waiters.size === 0) this.#byKey.delete(key)
    if (this.#size === 0) this.#unsubscribe()
  }

  /** Resolves the callers who wait for this event in its current status. */
  resolveMatching(event: WebhookEvent): void {
    for (const status of [event.status, 'settled']) {
      if (!hasStatus(event, status)) continue
      for (const key of keysOf(event))
        for (const waiter of this.#byKey.get(`${status} ${key}`) ?? [])
          if (isWanted(event, waiter.criteria)) waiter.finish(() => event)
    }
  }

  rejectAll(error: unknown): void {
    for (const waiters of this.#byKey.values())
      for (const waiter of waiters)
        waiter.finish(() => {
          throw error
        })
  }
}

/** Returns the key of the most selective condition. */
function keyOf({ status, transactionId, externalId, event }: EventCriteria): string {
  const about =
    transactionId !== null
      ? `transaction ${transactionId}`
      : externalId !== null
        ? `external ${externalId}`
        : `event ${event ?? ''}`
  return `${status} ${about}`
}

const keysOf = (event: WebhookEvent): Set<string> =>
  new Set([
    `transaction ${event.transactionId}`,
    `transaction ${event.subjectId}`,
    `external ${event.externalId ?? ''}`,
    `event ${event.event}`,
    'event ',
  ])

const isWanted = (event: WebhookEvent, { event: name, transactionId, externalId }: EventCriteria): boolean =>
  (name === null || name === event.event) &&
  (transactionId === null || transactionId === event.transactionId || transactionId === event.subjectId) &&
  (externalId === null || externalId === event.externalId)

export const hasStatus = ({ status }: WebhookEvent, criteria: string): boolean =>
  criteria === 'settled' ? status === 'delivered' || status === 'failed' : status === criteria

export const eventWaiters: WorkspaceSlot<EventWaiters> = { begin: (ws) => new EventWaiters(() => subscribeWaiters(ws)) }

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

/** Reports every change to the waiting callers; returns a function that stops this. */
function subscribeWaiters(ws: Workspace): () => void {
  const { bus, db, name } = ws
  const waiting = ws.state.of(eventWaiters)
  return bus.subscribe((change) => {
    if (change.type === 'workspace' && change.status === 'closed') waiting.rejectAll(workspaceDeletedError(name))
    if (change.type !== 'webhook') return
    try {
      const event = findEvent(db, change.id)
      if (event !== undefined) waiting.resolveMatching(event)
    } catch (error) {
      // The query can fail on a damaged database: the waiting callers get the error.
      waiting.rejectAll(error)
    }
  })
}
