/** The time limits of certification. */

import { signatureWindowMs } from '../../../inside/platform.js'
import { formatDuration, minuteMs, secondMs } from '../../../inside/values.js'

/** Ids of a certification contain this, so that nobody takes its transactions for others. */
export const certifyMark = 'certify'

/** Largest accepted difference between a timestamp and the current time. */
export const windowSeconds = signatureWindowMs / secondMs
/** Time over which the body of a slow event arrives. */
export const slowBodyMs = 1.5 * secondMs
/** Time until the state URL has to report a credit. */
export const stateWaitMs = 3 * secondMs
/** Time until a restarted receiver has to accept events. */
export const restartWaitMs = 10 * secondMs

/**
 * The default time limit of a receiver's certification: enough for a receiver that answers at once, and for each event of the
 * run the time that this receiver needs, up to a limit.
 */
export const timeLimits = {
  leastMs: 2 * minuteMs,
  answers: 200,
  mostMs: 15 * minuteMs,
  givenMs: 60 * minuteMs,
} as const

export const timeLimitFor = (answerMs: number): number =>
  Math.min(timeLimits.mostMs, timeLimits.leastMs + timeLimits.answers * answerMs)

const remainWords = `stay in the receiver's database: test with one that you can reset, or delete transactions whose id begins with tx_${certifyMark}. The certification of a ledger leaves these out.`
/** Shown before the first event. */
export const testEventsNotice = `About 200 test events ${remainWords}`
export const loadEventsNotice = `All its events ${remainWords}`

/** Why a rule has no result at the end. */
export const timeOver = (limitMs: number): string =>
  `the time limit of ${formatDuration(Math.round(limitMs))} ended before this check could run; set a longer one with --time-limit`

/** Formats a duration, such as `1.5 seconds`. */
export const inSeconds = (ms: number): string => `${ms / secondMs} ${ms === secondMs ? 'second' : 'seconds'}`
