/** Tells everybody who listens of each change, after its commit: the event stream, waits, the scheduler's idle check. */

/** `type` is what changed, `id` which one, `status` its state now. */
export interface Change {
  type: 'transaction' | 'dispute' | 'wallet' | 'webhook' | 'account' | 'clock' | 'run' | 'request' | 'workspace'
  id: string
  status?: string
  [more: string]: unknown
}

export interface Bus {
  publish(change: Change): void
  /** Returns the function that ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void
}

export function createBus(): Bus {
  const listeners = new Set<(change: Change) => void>()
  return {
    publish(change) {
      for (const listener of listeners) listener(change)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
