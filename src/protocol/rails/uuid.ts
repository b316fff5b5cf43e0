/** UUIDs: disputes, nonces and random PIX keys. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { RandomBytes } from '../../base/random.js'

const anyVersion = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const variants = '89ab'

/** Generates a version 4 UUID in lower case. */
export function newUuid(draw: RandomBytes): string {
  const hex = bytesToHex(draw(16))
  const variant = variants.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** Accepts any version and case. */
export function isUuid(text: string): boolean {
  return anyVersion.test(text)
}

/** Accepts either case (§5.2 `X-Nonce`). */
export function isUuidV4(text: string): boolean {
  return version4.test(text)
}
