/** Tells everybody who listens of each change, after its commit: the event stream, waits, the scheduler's idle check. */
import type { ChangeType } from '../../protocol/control/stream.js'

/** `type` is what changed, `id` which one, `status` its state now. */
export interface Change {
  type: ChangeType
  id: string
  status?: string
  [more: string]: unknown
}

/** How many changes are remembered for those who were away. */
export const rememberedChanges = 2000
/** How many at most, as long as somebody who listens has not come to them yet. */
export const keptChanges = 20_000

export interface Bus {
  publish(change: Change): void
  /**
   * Returns the function that ends the subscription. A listener must not throw. One that reads at its own pace gives its
   * `place`, the number of the last change that it has read: what follows is kept for it.
   */
  subscribe(listener: (change: Change) => void, place?: () => number): () => void
  /** Tells the numbers of this bus from those of an earlier one. */
  readonly origin: string
  /** The number of the newest change; the first is 1. */
  readonly last: number
  /** A change by its number, while it is remembered. */
  at(sequence: number): Change | undefined
  /** How many listen. */
  readonly listeners: number
}

export function createBus(origin: string): Bus {
  const listeners = new Map<(change: Change) => void, (() => number) | undefined>()
  /** Those before `head` are forgotten; the one at `head` has the number `first`. */
  const kept: (Change | undefined)[] = []
  let [head, first, last] = [0, 1, 0]

  const forget = (): void => {
    let unread = last - rememberedChanges
    for (const place of listeners.values()) if (place !== undefined) unread = Math.min(unread, place())
    for (const end = Math.max(unread, last - keptChanges); first <= end; first++) kept[head++] = undefined
    if (head < rememberedChanges) return
    kept.splice(0, head)
    head = 0
  }
  return {
    publish(change) {
      last++
      kept.push(change)
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
    at: (sequence) => (sequence >= first ? kept[sequence - first + head] : undefined),
    get listeners() {
      return listeners.size
    },
  }
}
