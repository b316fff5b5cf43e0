/** How many of everything: few here, so that all tests together take two minutes; the full figures where a run may take its time. */
import { appendFileSync } from 'node:fs'

/** Set by the long trials: the same tests, at the figures that are promised. */
const full = process.env.TEST_FIGURES === 'full'

export const figure = <T>(few: T, many: T): T => (full ? many : few)

/** So many of them, spread over the whole list; all in the full figures. */
export const someOf = <T>(all: readonly T[], few: number): readonly T[] =>
  all.filter(
    (_, index) => full || Math.floor((index * few) / all.length) !== Math.floor(((index - 1) * few) / all.length),
  )

/** Of what is left to chance: as asked for, else a new one. */
export const seedOf = (variable: string): number => Number(process.env[variable] ?? Math.floor(Math.random() * 2 ** 31))

const seconds = Number(process.env.TRIAL_SECONDS ?? Number.POSITIVE_INFINITY)

/** Of a trial that goes on for as long as it is given, one part of so many: whether that has any time left. */
export function timeShare(parts: number): () => boolean {
  const untilMs = performance.now() + (seconds * 1000) / parts
  return () => performance.now() < untilMs
}

/** What was measured: printed at once, since a long run shows where it is, and kept for the report of the long trials. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
  const file = process.env.TORTURE_NOTES
  if (file !== undefined) appendFileSync(file, `${text}\n`)
}

/** The middle, the 99th of a hundred, and the most. */
export function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return `p50 ${at(0.5).toFixed()}, p99 ${at(0.99).toFixed()}, at most ${at(1).toFixed()}`
}
