/** The time limits of certification. */
import { secondMs } from '../../base/duration.js'
import { signatureWindowMs } from '../../protocol/platform/limits.js'

/** Largest accepted difference between a timestamp and the current time. */
export const windowSeconds = signatureWindowMs / secondMs
/** Time over which the body of a slow event arrives. */
export const slowBodyMs = 1.5 * secondMs
/** Time until the state URL has to report a credit. */
export const stateWaitMs = 3 * secondMs
/** Time until a restarted receiver has to accept events. */
export const restartWaitMs = 10 * secondMs

/** Formats a duration, such as `1.5 seconds`. */
export const inSeconds = (ms: number): string => `${ms / secondMs} ${ms === secondMs ? 'second' : 'seconds'}`
