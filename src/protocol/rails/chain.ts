/** Chains: crypto by address, on a chain or on a second layer (decisions 15, 18, 20). */
import { isoOffset } from '../../base/iso.js'
import { labelOf, type Network, networks } from '../platform/currencies.js'
import { cryptoAddressLifeMs } from '../platform/limits.js'
import { isAddress, newAddress, newTxHash } from './addresses.js'
import type { Rail } from './rail.js'

/** Whoever asks for crypto has named a network, or its currency has only one. */
function named(network: Network | null): Network {
  if (network === null) throw new Error('crypto moves on a network, and none is named')
  return network
}

export const chain: Rail = {
  type: 'crypto',
  method: 'crypto',
  makeCharge(source, { currency, network }) {
    const on = named(network)
    const expiresAtMs = source.atMs + cryptoAddressLifeMs
    const info = {
      address: newAddress(on, source.draw('address')),
      chain: on,
      network: labelOf(currency, on),
      min_confirmations: networks[on].minConfirmations,
      expiration: cryptoAddressLifeMs / 1000,
      expires_at: isoOffset(expiresAtMs),
    }
    return { info, expiresAtMs }
  },
  isPaidExactly: false,
  tellsExpiry: false,
  isDisputable: false,
  newDestination: (source, network) => newAddress(named(network), source.draw('address')),
  confirmations: (network) => networks[named(network)].minConfirmations,
  hasKeyTypes: false,
  keyTypeOf: () => null,
  faultOf: ({ key, network }) => (isAddress(named(network), key) ? null : 'INVALID_ADDRESS'),
  bankOf: () => null,
  proof: 'hash',
  newProof: (source, network) => newTxHash(named(network), source.draw('hash')),
}
