/** Seeded random numbers: the same seed gives the same history on every machine. */

export interface Chance {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** Returns an integer from 0 (inclusive) to `below` (exclusive). */
  int(below: number): number
  pick<T>(list: readonly T[]): T
  /** Returns true with the probability `share`. */
  hit(share: number): boolean
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    next,
    int,
    pick: (list) => list[int(list.length)] as (typeof list)[number],
    hit: (share) => next() < share,
  }
}
