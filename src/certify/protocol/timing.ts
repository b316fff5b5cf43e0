/** How long certification lets things take. */
import { secondMs } from '../../base/duration.js'
import { signatureWindowMs } from '../../protocol/platform/limits.js'

/** By how much a timestamp may differ from the current time. */
export const windowSeconds = signatureWindowMs / secondMs
/** Of an event that arrives slowly. */
export const slowBodyMs = 1.5 * secondMs
/** Until the state URL has to report a credit. */
export const stateWaitMs = 3 * secondMs
/** Until a restarted receiver has to accept events. */
export const restartWaitMs = 10 * secondMs

/** `1.5 seconds` */
export const inSeconds = (ms: number): string => `${ms / secondMs} seconds`
