/** Exchange rates: exact fractions of the configured values, shown with 12 decimals, and what an amount buys at the rate shown (decisions 10 and 24). */

import { formatAmount, readDecimal } from '../../base/money.js'
import { withoutTrailing } from '../../base/text.js'
import { type Currency, currencies } from '../../protocol/platform/currencies.js'
import { ratePlaces } from '../../protocol/platform/limits.js'

/** Decimals of a rate. */
/** A JSON number keeps 15 digits: a rate with more before the point shows fewer behind it, so that every reader sees the same one. */
const rateDigits = 15

export interface RateTable {
  /** What one unit is worth in BRL, decimal strings. */
  rates: Record<Currency, string>
  spreadPercent: string
}

/** What one unit of `from` buys of `to`, spread included, rounded down: a decimal string without idle zeros. */
export function rateOf({ rates, spreadPercent }: RateTable, from: Currency, to: Currency): string {
  const worth = decimalOf(rates[from])
  const price = decimalOf(rates[to])
  const spread = decimalOf(spreadPercent)
  // Multiplied out before the one division: worth / price * (100 - spread) / 100.
  const kept = 100n * 10n ** BigInt(spread.places) - spread.digits
  const over = worth.digits * kept * 10n ** BigInt(price.places + ratePlaces)
  const under = price.digits * 100n * 10n ** BigInt(worth.places + spread.places)
  return withoutIdleZeros(formatAmount(cut(over / under), ratePlaces))
}

/** Without the digits beyond the fifteenth. */
function cut(rate: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, rate.toString().length - rateDigits))
  return rate - (rate % unit)
}

/** What `minor` of `from` buys at a rate of `rateOf`, in minor units of `to`, rounded down. */
export function bought(minor: bigint, from: Currency, to: Currency, rate: string): bigint {
  const { digits, places } = decimalOf(rate)
  return (minor * digits * 10n ** BigInt(currencies[to].scale)) / 10n ** BigInt(places + currencies[from].scale)
}

/** Places are never negative: `1e3` is 1000 without decimals. */
function decimalOf(text: string): { digits: bigint; places: number } {
  const decimal = readDecimal(text)
  if (decimal === null) throw new Error(`the rate ${text} is unreadable`)
  const { digits, places } = decimal
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places }
}

const withoutIdleZeros = (text: string) => withoutTrailing(withoutTrailing(text, '0'), '.')
