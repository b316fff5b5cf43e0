/** Whether a text is a transaction hash in the notation of a network, by the published rules. */
import { base58 } from '@scure/base'
import type { Network } from '../../src/protocol/platform/currencies.js'
import vectors from '../vectors.json' with { type: 'json' }

const { evm, bitcoin } = vectors.tx_hash.rules

export function isTxHash(network: Network, text: string): boolean {
  if (network === 'solana') return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && base58.decode(text).length === 64
  return new RegExp(network === 'bitcoin' || network === 'tron' ? bitcoin : evm).test(text)
}
