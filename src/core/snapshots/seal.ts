/** Appends the hash of an image to its bytes, so that damage is detected. Readers of the image format ignore it. */
import { sha256Hex } from '../../base/crypto.js'

const mark = '\n-- payments-sandbox snapshot 1 sha256 '
export const sealLength = mark.length + 64 + 1

/** Returns the seal that follows bytes with that hash. */
export const sealOf = (hashHex: string): Uint8Array => new TextEncoder().encode(`${mark}${hashHex}\n`)

/** Returns the hash in the last `sealLength` bytes; null if they are no seal. */
export function sealedHash(end: Uint8Array): string | null {
  const text = new TextDecoder('latin1').decode(end)
  return end.length === sealLength && text.startsWith(mark) && text.endsWith('\n') ? text.slice(mark.length, -1) : null
}

export function addSeal(image: Uint8Array): Uint8Array {
  const seal = sealOf(sha256Hex(image))
  const whole = new Uint8Array(image.length + seal.length)
  whole.set(image)
  whole.set(seal, image.length)
  return whole
}

/** Returns the image without its seal, and whether its hash is correct; an image without a seal counts as intact. */
export function removeSeal(bytes: Uint8Array): { image: Uint8Array; isIntact: boolean } {
  const at = Math.max(0, bytes.length - sealLength)
  const hash = sealedHash(bytes.subarray(at))
  if (hash === null) return { image: bytes, isIntact: true }
  const image = bytes.subarray(0, at)
  return { image, isIntact: hash === sha256Hex(image) }
}
