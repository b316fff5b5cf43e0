/** Chance for a demonstration: the same seed gives the same month. */
import { seededRandom } from '../../base/crypto.js'

export interface Chance {
  /** From 0 up to, not including, 1. */
  part(): number
  whole(least: number, most: number): number
  /** Whether it happens in so many cases of a hundred. */
  percent(cases: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
}

export function chanceFrom(seed: string): Chance {
  const draw = seededRandom(seed).stream('demo')
  const part = () => {
    const [high = 0, middle = 0, low = 0] = draw(3)
    return (high * 65_536 + middle * 256 + low) / 16_777_216
  }
  return {
    part,
    whole: (least, most) => least + Math.floor(part() * (most - least + 1)),
    percent: (cases) => part() * 100 < cases,
    pick: (list) => list[Math.floor(part() * list.length)] ?? list[0],
  }
}
