/** Points of the curve ed25519 in compressed form: Solana addresses are such keys (RFC 8032, §5.1). */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { RandomBytes } from '../../base/random.js'

const prime = 2n ** 255n - 19n
/** The `d` of the curve -x² + y² = 1 + dx²y². */
const curveD = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const signBit = 2n ** 255n

const modulo = (value: bigint) => ((value % prime) + prime) % prime

/** Whether a number other than zero has this square. Uses the Jacobi symbol, ten times faster than a power. */
function isSquare(value: bigint): boolean {
  let sign = 1
  let top = modulo(value)
  let bottom = prime
  while (top !== 0n) {
    while ((top & 1n) === 0n) {
      top >>= 1n
      const rest = bottom & 7n
      if (rest === 3n || rest === 5n) sign = -sign
    }
    if ((top & 3n) === 3n && (bottom & 3n) === 3n) sign = -sign
    const rest = bottom % top
    bottom = top
    top = rest
  }
  return bottom === 1n && sign === 1
}

/** Whether 32 bytes are a point: y little-endian and below the prime, the sign of x in the highest bit. */
export function isPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false
  const whole = BigInt(`0x${bytesToHex(bytes.toReversed())}`)
  const y = whole >= signBit ? whole - signBit : whole
  if (y >= prime) return false
  const ySquared = (y * y) % prime
  // x² = (y² - 1) / (dy² + 1), and a quotient is a square if the product is one.
  return isSquare((ySquared - 1n) * (curveD * ySquared + 1n))
}

/** Tries random bytes; about every second attempt is a point. */
export function newPoint(draw: RandomBytes): Uint8Array {
  for (;;) {
    const bytes = draw(32)
    if (isPoint(bytes)) return bytes
  }
}

/** A number below 2²⁵², so below the order of the curve: the second half of a signature. */
export function newScalar(draw: RandomBytes): Uint8Array {
  return draw(32).map((byte, at) => (at === 31 ? byte & 0x0f : byte))
}
