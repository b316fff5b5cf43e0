/** Computes when each event of a load is due, from the rate and the profile. */
import { secondMs } from '../../../inside/values.js'
import { type LoadProfile, profileOf } from './profiles.js'

export interface LoadPlan {
  /** Highest rate in events a second. */
  rate: number
  durationMs: number
  profile: LoadProfile
}

/** Returns the due times in milliseconds since the start, ascending. */
export function* dueTimes({ rate, durationMs, profile }: LoadPlan): Generator<number> {
  const share = shareOver(durationMs, profile)
  for (let atMs = 0; atMs < durationMs; atMs += secondMs / (rate * share(atMs))) yield atMs
}

function shareOver(durationMs: number, name: LoadProfile): (atMs: number) => number {
  const { points, cycleMs = durationMs } = profileOf(name)
  const cycles = Math.max(1, Math.round(durationMs / cycleMs))
  return (atMs) => {
    const time = ((atMs / durationMs) * cycles) % 1
    const next = points.findIndex(([until]) => until > time)
    const [[fromTime, from], [toTime, to]] = [points[next - 1] ?? [0, 1], points[next] ?? [1, 1]]
    return from + ((to - from) * (time - fromTime)) / (toTime - fromTime)
  }
}
