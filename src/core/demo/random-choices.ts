/** Random choices for sample data: the same seed gives the same month. */
import { seededRandom } from '../../base/crypto.js'

export interface RandomChoices {
  /** A number from 0 up to, but not including, 1. */
  fraction(): number
  integer(least: number, most: number): number
  /** True in `cases` of 100 cases. */
  isWithPercent(cases: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
}

export function seededChoices(seed: string): RandomChoices {
  const draw = seededRandom(seed).stream('demo')
  const part = () => {
    const [high = 0, middle = 0, low = 0] = draw(3)
    return (high * 65_536 + middle * 256 + low) / 16_777_216
  }
  return {
    fraction: part,
    integer: (least, most) => least + Math.floor(part() * (most - least + 1)),
    isWithPercent: (cases) => part() * 100 < cases,
    pick: (list) => list[Math.floor(part() * list.length)] ?? list[0],
  }
}
