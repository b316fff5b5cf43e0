/** Seeded random numbers. */

/** Returns a generator of numbers from 0 to 1 that the seed repeats. */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export const oneOf = <T>(chance: () => number, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(chance() * choices.length)] ?? choices[0]
