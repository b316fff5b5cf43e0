/** What of the deliveries is kept in memory: lanes, windows, what waits to be written down, and who waits until it is done. */

import type { DueDelivery } from '../jobs/jobs.js'
import type { MemorySlot } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import { Lanes } from './queue.js'

/** Business moments of the sends of the last minute, oldest first, per credential. */
export type SendWindows = Map<number, number[]>

export interface DispatchState {
  lanes: Lanes
  windows: SendWindows
  recordings: Recordings
  /** Deliveries waiting in a lane, on the wire, or being written down, by the number of their job. */
  inHand: Map<number, DueDelivery>
  waiters: Set<Waiter>
  /** Nothing more is sent; what waits in a lane is taken up at the next start. */
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
    lanes: new Lanes(),
    windows: new Map(),
    recordings: { waiting: [], planned: false },
    inHand: new Map(),
    waiters: new Set(),
    ending: false,
  }),
}

/** A delivery is in hand from here on, until the function that this returns is called. */
export function takeInHand({ inHand, waiters }: DispatchState, job: DueDelivery): () => void {
  const { seq } = job
  inHand.set(seq, job)
  return () => {
    inHand.delete(seq)
    for (const waiter of waiters) {
      if (!waiter.left.delete(seq) || waiter.left.size > 0) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }
}

/**
 * Resolves when, of the deliveries now in hand, none of those that `isAwaited` names by the number of its job is any longer.
 * Rejects with SERVICE_UNAVAILABLE where one could not be written down.
 */
export async function whenDelivered(
  { inHand, waiters }: DispatchState,
  isAwaited: (seq: number) => boolean = () => true,
): Promise<void> {
  const left = new Set([...inHand.keys()].filter(isAwaited))
  if (left.size === 0) return
  await new Promise<void>((resolve, reject) => waiters.add({ left, resolve, reject }))
}

/** Whoever waits for the deliveries waits in vain for now. */
export function stalled({ waiters }: DispatchState, error: unknown): void {
  for (const { reject } of waiters) reject(error)
  waiters.clear()
}

/** What is in hand belongs to a state that is gone: nobody waits for it any more, and nothing of it is written down. */
export function abandon({ waiters }: DispatchState): void {
  for (const { resolve } of waiters) resolve()
  waiters.clear()
}

/** Lets what is on the wire be answered and written down, and starts nothing new. */
export function endDeliveries(dispatch: DispatchState): Promise<void> {
  dispatch.ending = true
  return whenDelivered(dispatch).catch(() => undefined)
}
