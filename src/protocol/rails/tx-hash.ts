/** Hashes of on-chain transactions, as each network prints them. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import type { Draw } from '../../base/random.js'
import type { Network } from '../api/currencies.js'

interface HashFormat {
  isValid(text: string): boolean
  create(draw: Draw): string
}

const hex: HashFormat = {
  isValid: (text) => /^[0-9a-f]{64}$/.test(text),
  create: (draw) => bytesToHex(draw(32)),
}

const prefixedHex: HashFormat = {
  isValid: (text) => /^0x[0-9a-f]{64}$/.test(text),
  create: (draw) => `0x${bytesToHex(draw(32))}`,
}

/** A Solana transaction goes by its first signature: 64 bytes, nearly always 86 to 88 characters. */
const signature: HashFormat = {
  isValid: (text) => /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && decodedLength(text) === 64,
  create: (draw) => base58.encode(draw(64)),
}

/** The pattern has checked every letter, so this cannot throw. */
function decodedLength(text: string): number {
  return base58.decode(text).length
}

const formats: Record<Network, HashFormat> = {
  tron: hex,
  ethereum: prefixedHex,
  bsc: prefixedHex,
  polygon: prefixedHex,
  solana: signature,
  bitcoin: hex,
  arbitrum: prefixedHex,
  base: prefixedHex,
  optimism: prefixedHex,
}

/** The `hash` of a cash-out that was broadcast, or of a deposit that came in (§6.5). */
export function newTxHash(network: Network, draw: Draw): string {
  return formats[network].create(draw)
}

/** Whether `text` is a transaction hash as `network` prints it: lower-case hex, or base58 on Solana. */
export function isTxHash(network: Network, text: string): boolean {
  return formats[network].isValid(text)
}
