/**
 * Callers who wait for an event, indexed by their criteria, so that a change is compared only with the callers it
 * may concern.
 */
import type { EventName } from '../../protocol/platform/events.js'
import type { WebhookEvent } from '../webhooks/event-rows.js'

/** Which event a caller waits for. Null means any. Status `settled` means delivered, or failed after the last attempt. */
export interface EventCriteria {
  event: EventName | null
  /** `transaction_id` of the event, or the id of the object that the event is about. */
  transactionId: string | null
  externalId: string | null
  status: string
}

export interface Waiter {
  criteria: EventCriteria
  finish(result: () => WebhookEvent): void
}

export class EventWaiters {
  readonly #byKey = new Map<string, Set<Waiter>>()
  readonly #subscribe: () => () => void
  #unsubscribe = () => {}
  #size = 0

  /**
   * `subscribe` is called when the first caller starts to wait. Each changed event must then go to `resolveMatching`,
   * until the function that `subscribe` returned is called.
   */
  constructor(subscribe: () => () => void) {
    this.#subscribe = subscribe
  }

  get size(): number {
    return this.#size
  }

  add(waiter: Waiter): void {
    const key = keyOf(waiter.criteria)
    const waiters = this.#byKey.get(key) ?? new Set()
    this.#byKey.set(key, waiters.add(waiter))
    if (this.#size++ === 0) this.#unsubscribe = this.#subscribe()
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

  /** Rejects all waiting callers. */
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
