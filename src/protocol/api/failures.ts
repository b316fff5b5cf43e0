/** Why a cash-out fails: the `error_code` table of §6.5, `cashout.failed`. */
import { keysOf } from '../../base/keys.js'

export const cashoutFailures = {
  TRON_ENERGY_FAIL: 'Hot wallet lacks energy or bandwidth to broadcast',
  INSUFFICIENT_BALANCE: 'Hot wallet lacks on-chain balance',
  NO_HOT_WALLET: 'No hot wallet available for the chain',
  INVALID_ADDRESS: 'Destination address invalid (checksum or format)',
  BLACKLISTED: 'Destination on a sanctions/AML blacklist',
  BLOCKCHAIN_REVERT: 'Transaction reverted in block',
  BROADCAST_FAIL: 'Failure sending to the network',
  PIX_KEY_NOT_FOUND: 'PIX key not found in the directory',
  PROVIDER_TIMEOUT: 'PIX/SPEI provider timeout',
  UNKNOWN: 'Uncategorised error',
} as const

export type CashoutFailure = keyof typeof cashoutFailures
export const cashoutFailureCodes = keysOf(cashoutFailures)
