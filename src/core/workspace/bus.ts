/** Tells everybody who listens of each change, after its commit: the event stream, waits, the scheduler's idle check. */
import type { ChangeType } from '../../protocol/control/stream.js'

/** `type` is what changed, `id` which one, `status` its state now. */
export interface Change {
  type: ChangeType
  id: string
  status?: string
  [more: string]: unknown
}

/** How many changes are remembered for those who were away, or read slowly. */
export const rememberedChanges = 2000

export interface Bus {
  publish(change: Change): void
  /** Returns the function that ends the subscription. A listener must not throw. */
  subscribe(listener: (change: Change) => void): () => void
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
  const listeners = new Set<(change: Change) => void>()
  const remembered: Change[] = []
  let last = 0
  return {
    publish(change) {
      last++
      remembered[last % rememberedChanges] = change
      for (const listener of listeners) listener(change)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    origin,
    get last() {
      return last
    },
    at: (sequence) =>
      sequence > Math.max(0, last - rememberedChanges) && sequence <= last
        ? remembered[sequence % rememberedChanges]
        : undefined,
    get listeners() {
      return listeners.size
    },
  }
}
