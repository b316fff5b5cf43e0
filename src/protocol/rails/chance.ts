/** Random text for the rails: every letter of an alphabet equally likely, whatever the alphabet's length. */
import { customRandom } from 'nanoid'
import type { Draw } from '../../base/random.js'

export const digits = '0123456789'
export const capitals = `${digits}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
export const alphanumerics = `${capitals}abcdefghijklmnopqrstuvwxyz`

/** `length` characters of `alphabet` (at most 256 of them), without the bias of a plain modulo. */
export function randomOf(alphabet: string, length: number, draw: Draw): string {
  return customRandom(alphabet, length, draw)()
}
