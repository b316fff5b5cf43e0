/** The rate of a load test: limits, notation, and the profiles that change the rate over time. */
import { minutes } from '../../../inside/platform.js'
import { formatDuration, keysOf, minuteMs, secondMs } from '../../../inside/values.js'

/** Limits of the rate in events a second, and of the duration in real time. */
export const loadLimits = { leastRate: 0.1, rate: 500, durationMs: 10 * minuteMs } as const
export const defaultLoadMs = minuteMs
export const loadDurationHelp = `how long, at most ${minutes(loadLimits.durationMs)} (default: ${formatDuration(defaultLoadMs)})`

/** Which side can end a load early, and what reports say then. */
export const stopWords = {
  caller: 'nobody waited for the result any more',
  receiver: 'too many events waited for their acknowledgement',
  sandbox: 'the sandbox could not send at this rate',
} as const
export type StopReason = keyof typeof stopWords

interface Profile {
  title: string
  /** Approximate period after which a run repeats the profile. */
  cycleMs?: number
  /** Points of the profile: fraction of the time and fraction of the rate, joined by straight lines. */
  points: readonly (readonly [time: number, rate: number])[]
}

// biome-ignore format: a table, a row a line
export const loadProfiles = {
  steady: { title: 'the same rate from beginning to end', points: [[0, 1], [1, 1]] },
  burst: { title: 'the full rate for a fifth of the time, otherwise a tenth of the rate', cycleMs: 10 * secondMs, points: [[0, 1], [0.2, 1], [0.2, 0.1], [1, 0.1]] },
  blackfriday: { title: 'a quiet start, a sudden peak, a busy day and a second peak', points: [[0, 0.1], [0.15, 0.15], [0.2, 1], [0.4, 1], [0.5, 0.4], [0.7, 0.5], [0.8, 0.9], [0.9, 0.9], [1, 0.1]] },
} as const satisfies Record<string, Profile>

export type LoadProfile = keyof typeof loadProfiles
export const loadProfileNames = keysOf(loadProfiles)
export const profileOf = (name: LoadProfile): Profile => loadProfiles[name]

/** Parses a rate such as `20/s` or `20` to events a second; null if the text is not a rate. */
export function parseRate(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)(?:\/s)?$/.exec(text.trim())
  return match === null ? null : Number(match[1])
}

export const formatRate = (rate: number): string => `${Math.round(rate * 10) / 10}/s`
