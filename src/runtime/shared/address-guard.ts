/** Who may be reached and who may call: the addresses that webhooks may go to, and admin tokens for sandboxes that others can reach. */

import { systemRandom } from '../../base/crypto.js'
import { randomText } from '../../base/random.js'
import { blockedDetail } from '../../protocol/platform/failures.js'
import { addressKind, allowsPlainHttp, canonicalHost } from '../../protocol/platform/webhook-hosts.js'

export interface Refusal {
  outcome: 'refused' | 'insecure_url'
  detail: string
}
interface GuardRules {
  /** Blocks addresses that are not public. Used when the sandbox is shared. */
  guardPrivate: boolean
  /** Names and addresses that `guardPrivate` does not block. */
  allowHosts: readonly string[]
}
/** `host` is the host of the URL (a name or an address), `address` the address to connect to. Returns undefined if allowed. */
export type AddressGuard = (protocol: string, host: string, address: string) => Refusal | undefined

/** Returns a check of one address, for literals and for each address of a name. */
export function createAddressGuard({ guardPrivate, allowHosts }: GuardRules): AddressGuard {
  const exempt = new Set(allowHosts.map(canonicalHost))
  return (protocol, host, address) => {
    const kind = addressKind(address)
    const to = host === address ? address : `${host} (${address})`
    if (protocol !== 'https:' && !allowsPlainHttp(address)) {
      return { outcome: 'insecure_url', detail: `http:// to ${to}, which is not a private address: use https://` }
    }
    if (!guardPrivate || kind === 'public' || exempt.has(canonicalHost(host)) || exempt.has(canonicalHost(address))) {
      return undefined
    }
    return {
      outcome: 'refused',
      detail: `${to} is ${kind === 'unspecified' ? 'an' : 'a'} ${kind.replace('_', '-')} address, ${blockedDetail}`,
    }
  }
}

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)

export const generateAdminToken = (): string => randomText(systemRandom().stream('admin'), 40)
