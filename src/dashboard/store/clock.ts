/** The sandbox's clock on the page, which ticks between two readings. */
import type { ClockReading } from '../../client/types/control.js'
import { call, type Failure } from '../api.js'
import { type Query, readOnChange } from './query.js'
import { createValue, useValue } from './value.js'

export interface Reading extends ClockReading {
  nowMs: number
  readAtMs: number
}

export const clock = createValue<Reading | undefined>(undefined)
const failure = createValue<Failure | undefined>(undefined)
/** Milliseconds since 1970 on the sandbox's clock, updated each second. */
const now = createValue(0)

function tick(): void {
  const reading = clock.get()
  if (reading === undefined) return
  now.set(reading.nowMs + (reading.mode === 'realtime' ? Date.now() - reading.readAtMs : 0))
}

/** Almost any change can change what is due. */
export const clockTopics = ['clock', 'transaction', 'dispute', 'webhook', 'run', 'workspace']

export function followClock(): void {
  readOnChange(
    (signal) => call('GET /clock', { signal }),
    () => clockTopics,
    (outcome) => {
      failure.set('error' in outcome ? outcome.error : undefined)
      if (!('data' in outcome)) return
      clock.set({ ...outcome.data, nowMs: Date.parse(outcome.data.now), readAtMs: Date.now() })
      tick()
    },
  )
  setInterval(tick, 1000)
}

export const useClock = (): Reading | undefined => useValue(clock)
/** The clock with the reason if it cannot be read. */
export const useClockQuery = (): Query<Reading> => ({ data: useClock(), error: useValue(failure) })
export const useNow = (): number => useValue(now)
