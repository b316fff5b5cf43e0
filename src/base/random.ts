/** The port of randomness: every id, secret, code and address comes from here, so the same seed gives the same ones. */
import { customRandom } from 'nanoid'

/** Returns `size` random bytes. One `RandomBytes` is one stream: the same seed and label give the same bytes. */
export type RandomBytes = (size: number) => Uint8Array

/** One stream for each label, so that reads (`request`) never shift the ids of charges (`transaction`). */
export interface Random {
  stream(label: string): RandomBytes
  /** Saves the position of each seeded stream; call the result to rewind. */
  savePositions(): () => void
  /** Bytes that each seeded stream has produced, by label; null without a seed. */
  positions(): StreamPositions | null
}

export type StreamPositions = Readonly<Record<string, number>>

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** A random text in an alphabet without letters that are easily confused. */
export function randomText(draw: RandomBytes, length: number): string {
  return customRandom(alphabet, length, (size) => draw(size))()
}

/** Seven base-32 digits: room for 34 billion objects of a kind, in order. */
function counterText(sequence: number): string {
  let text = ''
  for (let rest = sequence, place = 0; place < 7; place++, rest = Math.floor(rest / 32))
    text = alphabet[rest % 32] + text
  return text
}

/** `createIdMaker('tx_', draw)(42)` is `tx_000001a…` with 13 random characters after the counter; `mark` replaces the counter. */
export function createIdMaker(prefix: string, draw: RandomBytes, mark?: string): (sequence: number) => string {
  const tail = customRandom(alphabet, 13, (size) => draw(size))
  return (sequence) => prefix + (mark ?? counterText(sequence)) + tail()
}

export const digits = '0123456789'
export const capitals = `${digits}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
export const alphanumerics = `${capitals}abcdefghijklmnopqrstuvwxyz`

/** `length` characters of `alphabet` (at most 256), without modulo bias. */
export function randomFrom(alphabet: string, length: number, draw: RandomBytes): string {
  return customRandom(alphabet, length, draw)()
}
