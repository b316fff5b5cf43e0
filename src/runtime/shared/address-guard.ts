/** Where webhooks may go: which addresses the sender refuses, asked for each one that it would connect to. */
import { addressKind, canonicalHost, mayBePlain } from '../../protocol/platform/webhook-hosts.js'

export interface Refusal {
  outcome: 'refused' | 'insecure_url'
  detail: string
}
export interface GuardRules {
  /** Refuse every address that is not public: for a sandbox that others can reach. */
  guardPrivate: boolean
  /** Names and addresses that `guardPrivate` leaves alone. */
  allowHosts: readonly string[]
}
/** `host` is what the URL names (a name or an address), `address` what would be connected to; undefined: go ahead. */
export type AddressGuard = (protocol: string, host: string, address: string) => Refusal | undefined

/** @returns a check of one address, to be asked for literals and for each address that a name resolves to. */
export function createAddressGuard({ guardPrivate, allowHosts }: GuardRules): AddressGuard {
  const exempt = new Set(allowHosts.map(canonicalHost))
  return (protocol, host, address) => {
    const kind = addressKind(address)
    const to = host === address ? address : `${host} (${address})`
    if (protocol !== 'https:' && !mayBePlain(address)) {
      return { outcome: 'insecure_url', detail: `http:// to ${to}, which is not a private address: use https://` }
    }
    if (!guardPrivate || kind === 'public' || exempt.has(canonicalHost(host)) || exempt.has(canonicalHost(address))) {
      return undefined
    }
    return {
      outcome: 'refused',
      detail: `${to} is a ${kind.replace('_', '-')} address, which this sandbox may not call`,
    }
  }
}
