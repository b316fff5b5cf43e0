/** Notations of on-chain transaction hashes. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import type { RandomBytes } from '../../base/random.js'
import { newPoint, newScalar } from './ed25519.js'

export interface HashFormat {
  isValid(text: string): boolean
  create(draw: RandomBytes): string
}

export const hex: HashFormat = {
  isValid: (text) => /^[0-9a-f]{64}$/.test(text),
  create: (draw) => bytesToHex(draw(32)),
}

export const prefixedHex: HashFormat = {
  isValid: (text) => /^0x[0-9a-f]{64}$/.test(text),
  create: (draw) => `0x${bytesToHex(draw(32))}`,
}

/** The id of a Solana transaction is its first signature: 64 bytes, nearly always 86 to 88 characters. */
export const signature: HashFormat = {
  isValid: (text) => /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && decodedLength(text) === 64,
  create: (draw) => base58.encode(Uint8Array.of(...newPoint(draw), ...newScalar(draw))),
}

/** Cannot throw: the pattern has checked every letter. */
function decodedLength(text: string): number {
  return base58.decode(text).length
}
