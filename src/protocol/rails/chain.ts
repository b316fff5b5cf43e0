/** Chains: crypto payments by address, on a chain or on a second layer (decisions 15, 18, 20). */
import { isoOffset } from '../../base/iso.js'
import { labelOf, type Network, networks } from '../platform/currencies.js'
import { cryptoAddressLifeMs } from '../platform/limits.js'
import { isAddress, newAddress, newTxHash } from './addresses.js'
import type { Rail } from './rail.js'

/** The network is never null here: the request named it, or the currency has only one. */
function requireNetwork(network: Network | null): Network {
  if (network === null) throw new Error('a crypto withdrawal requires a network')
  return network
}

export const chain: Rail = {
  type: 'crypto',
  method: 'crypto',
  makeCharge(source, { currency, network, lifeMs }) {
    const on = requireNetwork(network)
    const addressLifeMs = lifeMs ?? cryptoAddressLifeMs
    const expiresAtMs = source.atMs + addressLifeMs
    const info = {
      address: newAddress(on, source.draw('address')),
      chain: on,
      network: labelOf(currency, on),
      min_confirmations: networks[on].minConfirmations,
      expiration: Math.round(addressLifeMs / 1000),
      expires_at: isoOffset(expiresAtMs),
    }
    return { info, expiresAtMs }
  },
  isPaidExactly: false,
  hasExpiryEvent: false,
  isDisputable: false,
  newDestination: (source, network) => newAddress(requireNetwork(network), source.draw('address')),
  confirmations: (network) => networks[requireNetwork(network)].minConfirmations,
  hasKeyTypes: false,
  keyTypeOf: () => null,
  failureOf: ({ key, network }) => (isAddress(requireNetwork(network), key) ? null : 'INVALID_ADDRESS'),
  bankOf: () => null,
  proof: 'hash',
  newRailReference: (source, network) => newTxHash(requireNetwork(network), source.draw('hash')),
}
