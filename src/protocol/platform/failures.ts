/** Why a cash-out fails: the `error_code` table of §6.5, `cashout.failed`, and where each code is possible. */
import { keysOf } from '../../base/keys.js'
import { type Currency, currencies, currencyNames, labelOf, type Network, networksOf } from './currencies.js'

interface FailureRow {
  meaning: string
  /** The rails on which a withdrawal can fail for this reason, or single networks. */
  on: readonly ((typeof currencies)[Currency]['rail'] | Network)[]
}

// biome-ignore format: a table, a row a line
export const cashoutFailures = {
  TRON_ENERGY_FAIL: { meaning: 'Hot wallet lacks energy or bandwidth to broadcast', on: ['tron'] },
  INSUFFICIENT_BALANCE: { meaning: 'Hot wallet lacks on-chain balance', on: ['chain'] },
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

/** What a withdrawal is paid out by; the network is null for money in banks. */
export interface Route {
  currency: Currency
  network: Network | null
}

/** Every route, in the order of the table of currencies. */
export const cashoutRoutes: readonly Route[] = currencyNames.flatMap((currency): Route[] => {
  const networks = networksOf(currency)
  return networks.length === 0 ? [{ currency, network: null }] : networks.map((network) => ({ currency, network }))
})

export function canFail(code: CashoutFailure, { currency, network }: Route): boolean {
  const { on }: FailureRow = cashoutFailures[code]
  return on.includes(currencies[currency].rail) || (network !== null && on.includes(network))
}

/** The same of a withdrawal as answers show it, whose network is a label. */
export function failuresShown({ currency, network }: { currency: Currency; network: string | null }): CashoutFailure[] {
  const route = cashoutRoutes.find((one) => one.currency === currency && labelOf(currency, one.network) === network)
  return route === undefined ? cashoutFailureCodes : failuresOn(route)
}

export const failuresOn = (route: Route): CashoutFailure[] => cashoutFailureCodes.filter((code) => canFail(code, route))
