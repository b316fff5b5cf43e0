/** A stored image carries the hash of its bytes behind them, so that no damage to it goes unnoticed; whoever reads the image by its own format does not see it. */
import { sha256Hex } from '../../base/crypto.js'

const mark = '\n-- payments-sandbox snapshot 1 sha256 '
export const sealLength = mark.length + 64 + 1

/** What follows the bytes of that hash. */
export const sealOf = (hashHex: string): Uint8Array => new TextEncoder().encode(`${mark}${hashHex}\n`)

/** The hash that the last `sealLength` bytes name; null where they are no seal. */
export function sealedHash(end: Uint8Array): string | null {
  const text = new TextDecoder('latin1').decode(end)
  return end.length === sealLength && text.startsWith(mark) && text.endsWith('\n') ? text.slice(mark.length, -1) : null
}

export function sealed(image: Uint8Array): Uint8Array {
  const seal = sealOf(sha256Hex(image))
  const whole = new Uint8Array(image.length + seal.length)
  whole.set(image)
  whole.set(seal, image.length)
  return whole
}

/** The image without its seal, and whether that held; one without a seal has none to break. */
export function unsealed(bytes: Uint8Array): { image: Uint8Array; isIntact: boolean } {
  const at = Math.max(0, bytes.length - sealLength)
  const hash = sealedHash(bytes.subarray(at))
  if (hash === null) return { image: bytes, isIntact: true }
  const image = bytes.subarray(0, at)
  return { image, isIntact: hash === sha256Hex(image) }
}
