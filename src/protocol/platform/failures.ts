/** Why operations fail: codes of failed withdrawals (interface.md §6.5, `cashout.failed`), outcomes of webhook attempts, default reasons. */
import { keysOf, tableOf } from '../../base/keys.js'
import { type Currency, currencies, currencyNames, labelOf, type Network, networksOf } from './currencies.js'
import type { Basis } from './emulated-interface.js'
import { seconds, webhookTimeouts } from './limits.js'

/** Default reasons of refunds and disputes. */
export const reasons = {
  'cashin.refund': { text: 'PROVIDER_REVERSAL', basis: 'spec' },
  'cashout.refund': { text: 'RETURNED_BY_DESTINATION', basis: 'assumed' },
  'conversion.refund': { text: 'SUPPORT_MANUAL_REVERSAL', basis: 'spec' },
  'dispute.open': { text: 'The payer does not recognize the transaction', basis: 'assumed' },
  'dispute.lose': { text: 'MED_DISPUTE_LOST', basis: 'assumed' },
  'dispute.confirm': { text: 'MED_DISPUTE_CONFIRMED', basis: 'assumed' },
} as const satisfies Record<string, { text: string; basis: Basis }>

export type ReasonName = keyof typeof reasons
export const reasonTexts: Readonly<Record<ReasonName, string>> = /* @__PURE__ */ tableOf(
  /* @__PURE__ */ keysOf(reasons),
  (name) => reasons[name].text,
)

export const disputeType = 'REFUND_REQUEST'

/** `no_url`: there was no address to send to. */
export const outcomeWords = {
  ok: 'delivered',
  http_error: 'the receiver answered with a status other than 2xx',
  timeout: `no response within ${seconds(webhookTimeouts.totalMs)}`,
  connect_timeout: `no connection within ${seconds(webhookTimeouts.connectMs)}`,
  refused: 'nothing listens at this URL',
  reset: 'the receiver closed the connection without a response',
  dns: 'the host name cannot be resolved',
  tls: 'the certificate is not valid',
  insecure_url: 'the sandbox is not allowed to call this URL',
  no_url: 'no URL is set',
} as const satisfies Record<string, string>

/** `detail` of an attempt to a blocked address ends with this. */
export const blockedDetail = 'which this sandbox is not allowed to call'

export type AttemptOutcome = keyof typeof outcomeWords
export const attemptOutcomes = keysOf(outcomeWords)

interface FailureRow {
  meaning: string
  /** The rails or networks on which a withdrawal can fail for this reason. */
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

/** Currency and network of a withdrawal; the network is null for bank rails. */
export interface CashoutRoute {
  currency: Currency
  network: Network | null
}

/** All combinations, in the order of the currencies. */
export const cashoutRoutes: readonly CashoutRoute[] = currencyNames.flatMap((currency): CashoutRoute[] => {
  const networks = networksOf(currency)
  return networks.length === 0 ? [{ currency, network: null }] : networks.map((network) => ({ currency, network }))
})

export function canFail(code: CashoutFailure, { currency, network }: CashoutRoute): boolean {
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

export const failuresOn = (route: CashoutRoute): CashoutFailure[] =>
  cashoutFailureCodes.filter((code) => canFail(code, route))
