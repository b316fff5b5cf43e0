/** Errors that end a command; `terminal/report.ts` prints them and chooses the exit code. */

import { UnreachableError } from '../client/errors.js'

export { didYouMean } from '../base/text.js'

/**
 * Exit codes: 0 done, 1 rejected or failed, 2 wrong usage or nothing to judge, 3 no sandbox answers at the URL, 4 a required
 * requirement could not be decided.
 */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 3, incomplete: 4 } as const

/** Wrong usage: an unknown or invalid flag, argument or value; exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** A requirement failed, or something could not be done on this machine; exit code 1. */
export class Failure extends Error {
  override name = 'Failure'
}

/** No sandbox answers, and `--url` is not the flag that names another one. */
export class NoSandbox extends UnreachableError {
  constructor(
    message: string,
    readonly flag: string,
  ) {
    super(message)
  }
}
