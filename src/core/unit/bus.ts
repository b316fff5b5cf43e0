/** Publishes each change to its subscribers after the commit: the event stream, waiting callers, the console. */
import type { ChangeType } from '../../protocol/control/stream.js'

/** `type` is the kind of object, `id` the object, `status` its current state. */
export interface Change {
  type: ChangeType
  id: string
  status?: string
  [more: string]: unknown
}

/** Changes remembered for subscribers who reconnect. */
export const rememberedChanges = 2000
/** Upper bound on remembered changes while a subscriber has not read them yet. */
export const maxRememberedChanges = 20_000

export interface Bus {
  publish(change: Change): void
  /**
   * Calls `listener` with each change; returns a function that ends the subscription. A listener must not throw. A
   * listener that reads at its own pace passes `place`, which returns the number of the last change that it has read:
   * later changes are remembered for it.
   */
  subscribe(listener: (change: Change) => void, place?: () => number): () => void
  /** Identifies this bus, so that its change numbers are not confused with the numbers of an earlier bus. */
  readonly origin: string
  /** The number of the newest change; the first is 1. */
  readonly last: number
  /** Returns a change by its number, as long as it is remembered. */
  at(sequence: number): Change | undefined
  /** The number of subscriptions. */
  readonly listeners: number
}

export function createBus(origin: string): Bus {
  const listeners = new Map<(change: Change) => void, (() => number) | undefined>()
  /** Entries before index `head` are removed; the change at `head` has the number `first`. */
  const recent: (Change | undefined)[] = []
  let [head, first, last] = [0, 1, 0]

  const forget = (): void => {
    let unread = last - rememberedChanges
    for (const place of listeners.values()) if (place !== undefined) unread = Math.min(unread, place())
    for (const end = Math.max(unread, last - maxRememberedChanges); first <= end; first++) recent[head++] = undefined
    if (head < rememberedChanges) return
    recent.splice(0, head)
    head = 0
  }
  return {
    publish(change) {
      last++
      recent.push(change)
      for (const listener of listeners.keys()) listener(change)
      forget()
    },
    subscribe(listener, place) {
      listeners.set(listener, place)
      return () => listeners.delete(listener)
    },
    origin,
    get last() {
      return last
    },
    at: (sequence) => (sequence >= first ? recent[sequence - first + head] : undefined),
    get listeners() {
      return listeners.size
    },
  }
}
