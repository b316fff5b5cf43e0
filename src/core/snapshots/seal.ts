/** A kept image carries the hash of its bytes behind them, so that no damage to it goes unnoticed; whoever reads the image by its own format does not see it. */
import { sha256Hex } from '../../base/crypto.js'

const mark = '\n-- payments-sandbox snapshot 1 sha256 '
const sealLength = mark.length + 64 + 1

export function sealed(image: Uint8Array): Uint8Array {
  const seal = new TextEncoder().encode(`${mark}${sha256Hex(image)}\n`)
  const whole = new Uint8Array(image.length + seal.length)
  whole.set(image)
  whole.set(seal, image.length)
  return whole
}

/** The image without its seal, and whether that held; one without a seal has none to break. */
export function unsealed(bytes: Uint8Array): { image: Uint8Array; isIntact: boolean } {
  const at = bytes.length - sealLength
  const seal = at < 0 ? '' : new TextDecoder('latin1').decode(bytes.subarray(at))
  if (!seal.startsWith(mark)) return { image: bytes, isIntact: true }
  const image = bytes.subarray(0, at)
  return { image, isIntact: seal === `${mark}${sha256Hex(image)}\n` }
}
