/** The sizes of tests: small in the normal check, so that it stays short, and full in the long tests. */
import { appendFileSync } from 'node:fs'

/** The long tests set it to run the same tests at full size. */
const full = process.env.TEST_FIGURES === 'full'

export const figure = <T>(few: T, many: T): T => (full ? many : few)

/** Returns `few` items spread over the list, or all items at full size. */
export const someOf = <T>(all: readonly T[], few: number): readonly T[] =>
  all.filter(
    (_, index) => full || Math.floor((index * few) / all.length) !== Math.floor(((index - 1) * few) / all.length),
  )

/**
 * Returns the seed in an environment variable, or a random one. `.ci/run` sets `TEST_SEED`, so that its result depends on the
 * change alone.
 */
export const seedOf = (variable: string): number =>
  Number(process.env[variable] ?? process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

const seconds = Number(process.env.TRIAL_SECONDS ?? Number.POSITIVE_INFINITY)

/** Divides the time limit of a long test into parts. Returns a function that says whether its part has time left. */
export function timeShare(parts: number): () => boolean {
  const untilMs = performance.now() + (seconds * 1000) / parts
  return () => performance.now() < untilMs
}

/** Prints a measurement at once, to show progress, and stores it for the report of the long tests. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
  const file = process.env.TORTURE_NOTES
  if (file !== undefined) appendFileSync(file, `${text.replaceAll('\n', ' ')}\n`)
}

/** Formats the median, the 99th percentile and the maximum. */
export function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return `p50 ${at(0.5).toFixed()}, p99 ${at(0.99).toFixed()}, at most ${at(1).toFixed()}`
}
