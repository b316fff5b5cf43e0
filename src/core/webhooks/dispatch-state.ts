/** What of the deliveries is kept in memory: lanes, windows, what waits to be written down, and who waits until it is done. */

import type { Unit } from '../workspace/unit.js'
import { createLanes, type Lanes } from './lanes.js'

/** Business moments of the sends of the last minute, oldest first, per credential. */
export type SendWindows = Map<number, number[]>

export interface DispatchState {
  lanes: Lanes
  windows: SendWindows
  settlements: Settlements
  /** Deliveries in hand: waiting in a lane, on the wire, or being settled. */
  active: number
  /** Those that somebody waits for, and one for what comes from here on: who waits does not wait for later ones. */
  cohorts: Cohort[]
  /** Nothing more is sent; what waits in a lane is taken up at the next start. */
  ending: boolean
}

export interface Settlement {
  write: (unit: Unit) => void
  /** Called once it is committed, or never will be. */
  done: () => void
}

interface Settlements {
  waiting: Settlement[]
  /** A flush of those waiting is under way or about to be. */
  planned: boolean
}

interface Cohort {
  active: number
  waiting: { resolve: () => void; reject: (error: unknown) => void }[]
}

export const createDispatchState = (): DispatchState => ({
  lanes: createLanes(),
  windows: new Map(),
  settlements: { waiting: [], planned: false },
  active: 0,
  cohorts: [{ active: 0, waiting: [] }],
  ending: false,
})

/** A delivery is in hand from here on, until the function that this returns is called. */
export function takeInHand(dispatch: DispatchState): () => void {
  const cohort = dispatch.cohorts.at(-1)
  if (cohort === undefined) return () => {}
  dispatch.active++
  cohort.active++
  return () => {
    dispatch.active--
    if (--cohort.active > 0) return
    for (const { resolve } of cohort.waiting.splice(0)) resolve()
  }
}

/** Resolves when no delivery of those now in hand is any longer; rejects with SERVICE_UNAVAILABLE where one could not be written down. */
export async function whenDelivered(dispatch: DispatchState): Promise<void> {
  if (dispatch.active === 0) return
  const cohorts = dispatch.cohorts.filter((cohort) => cohort.active > 0)
  dispatch.cohorts = [...cohorts, { active: 0, waiting: [] }]
  await Promise.all(
    cohorts.map(({ waiting }) => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))),
  )
}

/** Whoever waits for the deliveries waits in vain for now. */
export function stalled(dispatch: DispatchState, error: unknown): void {
  for (const { waiting } of dispatch.cohorts) for (const { reject } of waiting.splice(0)) reject(error)
}

/** What is in hand belongs to a state that is gone: nobody waits for it any more, and it settles nothing. */
export function abandon({ cohorts }: DispatchState): void {
  for (const { waiting } of cohorts) for (const { resolve } of waiting.splice(0)) resolve()
}

/** Lets what is on the wire be answered and settled, and starts nothing new. */
export function endDeliveries(dispatch: DispatchState): Promise<void> {
  dispatch.ending = true
  return whenDelivered(dispatch).catch(() => undefined)
}
