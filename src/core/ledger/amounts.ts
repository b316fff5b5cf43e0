/** Amounts on their way in and out of the core. */
import { formatAmount, maxAmountMinor, parseAmount } from '../../base/money.js'
import { type Currency, currencies } from '../../protocol/api/currencies.js'
import { ApiError } from '../../protocol/api/errors.js'
import type { Transaction } from '../operations/transactions.js'

/** The decimal string of an amount. */
export const money = (minor: bigint, currency: Currency): string => formatAmount(minor, currencies[currency].scale)

/** The text of a positive amount as minor units; 422 INVALID_AMOUNT with the rule it breaks. */
export function readAmount(text: string, currency: Currency, field = 'amount'): bigint {
  const { scale } = currencies[currency]
  const parsed = parseAmount(text, scale)
  if (!parsed.ok)
    throw new ApiError('INVALID_AMOUNT', {
      field,
      rule: parsed.reason === 'too_many_decimals' ? `at most ${scale} decimals for ${currency}` : 'must be a number',
    })
  if (parsed.minor <= 0n) throw new ApiError('INVALID_AMOUNT', { field, rule: 'must be greater than zero' })
  return parsed.minor
}

/** The same where zero, negative amounts and a bound on size are our own surface's business. */
export function readBalance(text: string, currency: Currency, field: string): bigint {
  const { scale } = currencies[currency]
  const parsed = parseAmount(text, scale)
  if (!parsed.ok)
    throw new ApiError('INVALID_AMOUNT', { field, rule: `must be a decimal number with at most ${scale} places` })
  if (parsed.minor < 0n || parsed.minor > maxAmountMinor)
    throw new ApiError('INVALID_AMOUNT', { field, rule: `must lie between 0 and ${money(maxAmountMinor, currency)}` })
  return parsed.minor
}

/** The `amount` parameter of an action, the transaction's own where absent. */
export function amountParam(
  transaction: Transaction,
  text: string | undefined,
  rule: { exact?: boolean; atMost?: bigint },
): bigint {
  if (text === undefined) return transaction.amountMinor
  const currency = transaction.currency as Currency
  const minor = readAmount(text, currency)
  if (rule.exact === true && minor !== transaction.amountMinor) {
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `a PIX charge is paid exactly: ${money(transaction.amountMinor, currency)}`,
    })
  }
  if (minor > (rule.atMost ?? maxAmountMinor))
    throw new ApiError('INVALID_AMOUNT', {
      field: 'amount',
      rule: `must be at most ${money(rule.atMost ?? maxAmountMinor, currency)}`,
    })
  return minor
}
