/** Chance from one number: the same seed gives the same history on every machine. */

export interface Chance {
  /** A number from 0 up to, but not including, 1. */
  next(): number
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number
  pick<T>(list: readonly T[]): T
  /** True as often as `share` of 1 says. */
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
