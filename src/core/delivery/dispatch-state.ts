/** The deliveries in memory: queue, rate windows, results to record, and callers who wait for them. */

import type { DueDelivery } from '../jobs/jobs.js'
import type { MemorySlot } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import { DeliveryQueue } from './queue.js'

/** Per credential, the business times of the sends of the last minute, oldest first. */
type SendWindows = Map<number, number[]>

export interface DispatchState {
  queue: DeliveryQueue
  windows: SendWindows
  recordings: Recordings
  /** Deliveries that are queued, on the wire or being recorded, by the number of their job. */
  inFlight: Map<number, DueDelivery>
  waiters: Set<Waiter>
  /** Nothing more is sent; queued deliveries are sent after the next start. */
  isEnding: boolean
}

/** The result of a delivery, to be recorded. */
export interface Recording {
  /** The number of its job. */
  seq: number
  write: (unit: Unit) => void
  /** Called once it is committed, or can no longer be. */
  done: () => void
}

interface Recordings {
  waiting: Recording[]
  /** A flush of `waiting` is running or scheduled. */
  isFlushScheduled: boolean
}

interface Waiter {
  remaining: Set<number>
  resolve: () => void
  reject: (error: unknown) => void
}

export const deliveryState: MemorySlot<DispatchState> = {
  begin: () => ({
    queue: new DeliveryQueue(),
    windows: new Map(),
    recordings: { waiting: [], isFlushScheduled: false },
    inFlight: new Map(),
    waiters: new Set(),
    isEnding: false,
  }),
}

/** Marks a delivery as in flight, until the returned function is called. */
export function markInFlight({ inFlight, waiters }: DispatchState, job: DueDelivery): () => void {
  const { seq } = job
  inFlight.set(seq, job)
  return () => {
    inFlight.delete(seq)
    for (const waiter of waiters) {
      if (!waiter.remaining.delete(seq) || waiter.remaining.size > 0) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }
}

/**
 * Resolves when none of the deliveries that are in flight now and match `isAwaited` (by job number) is in flight any
 * longer. Rejects with SERVICE_UNAVAILABLE if one could not be recorded.
 */
export async function whenDelivered(
  { inFlight, waiters }: DispatchState,
  isAwaited: (seq: number) => boolean = () => true,
): Promise<void> {
  const remaining = new Set([...inFlight.keys()].filter(isAwaited))
  if (remaining.size === 0) return
  await new Promise<void>((resolve, reject) => waiters.add({ remaining, resolve, reject }))
}

/** Rejects everyone who waits for deliveries. */
export function rejectWaiters({ waiters }: DispatchState, error: unknown): void {
  for (const { reject } of waiters) reject(error)
  waiters.clear()
}

/** Releases everyone who waits, after a reset or restore: deliveries in flight belong to the old state and are not recorded. */
export function releaseWaiters({ waiters }: DispatchState): void {
  for (const { resolve } of waiters) resolve()
  waiters.clear()
}

/** Starts no new deliveries, and waits until the ones in flight are completed and recorded. */
export function endDeliveries(dispatch: DispatchState): Promise<void> {
  dispatch.isEnding = true
  return whenDelivered(dispatch).catch(() => undefined)
}
