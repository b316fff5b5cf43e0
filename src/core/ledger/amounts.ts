/** Amounts on their way in and out of the core. */
import { type AmountFault, formatAmount, maxAmountMinor, parseAmount } from '../../base/money.js'
import { type Currency, currencies } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'

/** The decimal string of an amount. */
export const money = (minor: bigint, currency: Currency): string => formatAmount(minor, currencies[currency].scale)

const faults: Record<AmountFault, (currency: Currency) => string> = {
  not_a_number: () => 'must be a decimal number',
  too_many_decimals: (currency) => `at most ${currencies[currency].scale} decimals for ${currency}`,
  too_large: (currency) => `must be at most ${money(maxAmountMinor, currency)}`,
}

function read(
  text: string,
  currency: Currency,
  field: string,
  holds: (minor: bigint) => boolean,
  rule: string,
): bigint {
  const parsed = parseAmount(text, currencies[currency].scale)
  if (!parsed.ok) throw new ApiError('INVALID_AMOUNT', { field, rule: faults[parsed.reason](currency) })
  if (!holds(parsed.minor)) throw new ApiError('INVALID_AMOUNT', { field, rule })
  return parsed.minor
}

/** The text of a positive amount as minor units; 422 INVALID_AMOUNT with the rule it breaks. */
export const readAmount = (text: string, currency: Currency, field = 'amount'): bigint =>
  read(text, currency, field, (minor) => minor > 0n, 'must be greater than zero')

/** The same where zero is an amount too: balances, limits, fees. */
export const readBalance = (text: string, currency: Currency, field: string): bigint =>
  read(text, currency, field, (minor) => minor >= 0n, 'must not be negative')

/** The `amount` parameter of an action, the transaction's own where absent. */
export function amountParam(
  transaction: { amountMinor: bigint; currency: Currency },
  text: string | undefined,
  rule: { exact?: boolean; atMost?: bigint },
): bigint {
  if (text === undefined) return transaction.amountMinor
  const currency = transaction.currency
  const minor = readAmount(text, currency)
  if (rule.exact === true && minor !== transaction.amountMinor) {
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `a PIX charge is paid exactly: ${money(transaction.amountMinor, currency)}`,
    })
  }
  if (rule.atMost !== undefined && minor > rule.atMost) {
    throw new ApiError('INVALID_AMOUNT', { field: 'amount', rule: `must be at most ${money(rule.atMost, currency)}` })
  }
  return minor
}
