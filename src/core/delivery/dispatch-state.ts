/** What of the deliveries is kept in memory: queue, windows, what waits to be written down, and who waits until it is done. */

import type { DueDelivery } from '../jobs/jobs.js'
import type { MemorySlot } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import { DeliveryQueue } from './queue.js'

/** Business moments of the sends of the last minute, oldest first, per credential. */
export type SendWindows = Map<number, number[]>

export interface DispatchState {
  queue: DeliveryQueue
  windows: SendWindows
  recordings: Recordings
  /** Deliveries waiting in a queue, on the wire, or being written down, by the number of their job. */
  inFlight: Map<number, DueDelivery>
  waiters: Set<Waiter>
  /** Nothing more is sent; what waits in a queue is taken up at the next start. */
  ending: boolean
}

/** What became of a delivery, to be written down. */
export interface Recording {
  /** The number of its job. */
  seq: number
  write: (unit: Unit) => void
  /** Called once it is committed, or never will be. */
  done: () => void
}

interface Recordings {
  waiting: Recording[]
  /** A flush of those waiting is under way or about to be. */
  planned: boolean
}

interface Waiter {
  left: Set<number>
  resolve: () => void
  reject: (error: unknown) => void
}

export const deliveryState: MemorySlot<DispatchState> = {
  begin: () => ({
    queue: new DeliveryQueue(),
    windows: new Map(),
    recordings: { waiting: [], planned: false },
    inFlight: new Map(),
    waiters: new Set(),
    ending: false,
  }),
}

/** A delivery is in flight from here on, until the function that this returns is called. */
export function markInFlight({ inFlight, waiters }: DispatchState, job: DueDelivery): () => void {
  const { seq } = job
  inFlight.set(seq, job)
  return () => {
    inFlight.delete(seq)
    for (const waiter of waiters) {
      if (!waiter.left.delete(seq) || waiter.left.size > 0) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }
}

/**
 * Resolves when, of the deliveries now in flight, none of those that `isAwaited` names by the number of its job is any longer.
 * Rejects with SERVICE_UNAVAILABLE where one could not be written down.
 */
export async function whenDelivered(
  { inFlight, waiters }: DispatchState,
  isAwaited: (seq: number) => boolean = () => true,
): Promise<void> {
  const left = new Set([...inFlight.keys()].filter(isAwaited))
  if (left.size === 0) return
  await new Promise<void>((resolve, reject) => waiters.add({ left, resolve, reject }))
}

/** Whoever waits for the deliveries waits in vain for now. */
export function stalled({ waiters }: DispatchState, error: unknown): void {
  for (const { reject } of waiters) reject(error)
  waiters.clear()
}

/** What is in flight belongs to a state that is gone: nobody waits for it any more, and nothing of it is written down. */
export function abandon({ waiters }: DispatchState): void {
  for (const { resolve } of waiters) resolve()
  waiters.clear()
}

/** Lets what is on the wire be answered and written down, and starts nothing new. */
export function endDeliveries(dispatch: DispatchState): Promise<void> {
  dispatch.ending = true
  return whenDelivered(dispatch).catch(() => undefined)
}
