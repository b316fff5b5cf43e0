/** What a command ends with when it cannot do as told; `run.ts` turns each into its line and its exit code. */

/** Exit codes: 0 done, 1 the sandbox said no, 2 wrong usage, 3 nothing answers at that address. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const

/** Wrong usage: a flag, an argument or a value that cannot be; exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Something did not hold or could not be done on this side; exit code 1. */
export class Failure extends Error {
  override name = 'Failure'
}

/** `; did you mean start?`, or nothing. */
export const didYouMean = (guess: string | null): string => (guess === null ? '' : `; did you mean ${guess}?`)
