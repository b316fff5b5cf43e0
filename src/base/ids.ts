/** Random texts, and identifiers: a prefix, a counter that grows with time (so that indexes only append), and a random tail. */

import { customRandom } from 'nanoid'
import type { Draw } from './random.js'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** A random text of the given length over an alphabet that survives being read aloud. */
export function randomText(draw: Draw, length: number): string {
  return customRandom(alphabet, length, (size) => draw(size))()
}

/** Seven digits of base 32: 34 thousand million objects of a kind, in order. */
function counterText(sequence: number): string {
  let text = ''
  for (let rest = sequence, place = 0; place < 7; place++, rest = Math.floor(rest / 32))
    text = alphabet[rest % 32] + text
  return text
}

/** `createIdMaker('tx_', draw)(42)` is `tx_000001a…` with 13 random characters behind the counter. */
export function createIdMaker(prefix: string, draw: Draw): (sequence: number) => string {
  const tail = customRandom(alphabet, 13, (size) => draw(size))
  return (sequence) => prefix + counterText(sequence) + tail()
}

export const digits = '0123456789'
export const capitals = `${digits}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
export const alphanumerics = `${capitals}abcdefghijklmnopqrstuvwxyz`

/** `length` characters of `alphabet` (at most 256 of them), without the bias of a plain modulo. */
export function randomOf(alphabet: string, length: number, draw: Draw): string {
  return customRandom(alphabet, length, draw)()
}
