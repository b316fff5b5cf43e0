/** Why a withdrawal fails: the `error_code` table of §6.5, `cashout.failed`, with the routes on which each code is possible. */
import { keysOf } from '../../base/keys.js'
import { type Currency, currencies, currencyNames, labelOf, type Network, networksOf } from './currencies.js'

interface FailureRow {
  meaning: string
  /** The rails, or single networks, on which a withdrawal can fail for this reason. */
  on: readonly ((typeof currencies)[Currency]['rail'] | Network)[]
}

// biome-ignore format: a table, a row a line
export const cashoutFailures = {
  TRON_ENERGY_FAIL: { meaning: 'Hot wallet lacks energy or bandwidth to broadcast', on: ['tron'] },
  INSUFFICIENT_BALANCE: { meaning: 'The platform’s hot wallet lacks balance on the chain (not the API error of the same name)', on: ['chain'] },
  NO_HOT_WALLET: { meaning: 'No hot wallet available for the chain', on: ['chain'] },
  INVALID_ADDRESS: { meaning: 'Destination address invalid (checksum or format)', on: ['chain', 'spei'] },
  BLACKLISTED: { meaning: 'Destination on a sanctions/AML blacklist', on: ['pix', 'spei', 'chain'] },
  BLOCKCHAIN_REVERT: { meaning: 'Transaction reverted in block', on: ['chain'] },
  BROADCAST_FAIL: { meaning: 'Failure sending to the network', on: ['chain'] },
  PIX_KEY_NOT_FOUND: { meaning: 'PIX key not found in the directory', on: ['pix'] },
  PROVIDER_TIMEOUT: { meaning: 'PIX/SPEI provider timeout', on: ['pix', 'spei'] },
  UNKNOWN: { meaning: 'Uncategorised error', on: ['pix', 'spei', 'chain'] },
} as const satisfies Record<string, FailureRow>

export type CashoutFailure = keyof typeof cashoutFailures
export const cashoutFailureCodes = keysOf(cashoutFailures)

/** The route of a withdrawal; the network is null for bank rails. */
export interface Route {
  currency: Currency
  network: Network | null
}

/** All routes, in the order of the currencies. */
export const cashoutRoutes: readonly Route[] = currencyNames.flatMap((currency): Route[] => {
  const networks = networksOf(currency)
  return networks.length === 0 ? [{ currency, network: null }] : networks.map((network) => ({ currency, network }))
})

export function canFail(code: CashoutFailure, { currency, network }: Route): boolean {
  const { on }: FailureRow = cashoutFailures[code]
  return on.includes(currencies[currency].rail) || (network !== null && on.includes(network))
}

/** The possible failures of a withdrawal as answers show it, with the label of its network. */
export function failuresForLabel({
  currency,
  network,
}: {
  currency: Currency
  network: string | null
}): CashoutFailure[] {
  const route = cashoutRoutes.find((one) => one.currency === currency && labelOf(currency, one.network) === network)
  return route === undefined ? cashoutFailureCodes : failuresOn(route)
}

export const failuresOn = (route: Route): CashoutFailure[] => cashoutFailureCodes.filter((code) => canFail(code, route))
