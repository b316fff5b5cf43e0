/**
 * Exchange rates: exact fractions of the configured values, shown with 12 decimals, and conversion at the rate shown
 * (decisions 10 and 24).
 */

import { formatAmount, readDecimal } from '../../base/money.js'
import { withoutTrailingZeros } from '../../base/text.js'
import { type Currency, currencies } from '../../protocol/platform/currencies.js'
import { ratePlaces } from '../../protocol/platform/limits.js'

/**
 * A JSON number has 15 exact digits. A rate with more digits before the point has fewer after it, so that every reader
 * sees the same rate.
 */
const rateDigits = 15

interface RateTable {
  /** The value of one unit in BRL, as decimal strings. */
  rates: Record<Currency, string>
  spreadPercent: string
  rateDecimals: number
}

/** Returns how much `to` one unit of `from` buys, spread included, rounded down: a decimal string without trailing zeros. */
export function rateOf({ rates, spreadPercent, rateDecimals }: RateTable, from: Currency, to: Currency): string {
  const worth = decimalOf(rates[from])
  const price = decimalOf(rates[to])
  const spread = decimalOf(spreadPercent)
  // worth / price * (100 - spread) / 100, with a single division at the end.
  const afterSpread = 100n * 10n ** BigInt(spread.places) - spread.digits
  const numerator = worth.digits * afterSpread * 10n ** BigInt(price.places + ratePlaces)
  const denominator = price.digits * 100n * 10n ** BigInt(worth.places + spread.places)
  return withoutTrailingZeros(
    formatAmount(truncateRate(numerator / denominator, ratePlaces - rateDecimals), ratePlaces),
  )
}

/** Sets the digits after the fifteenth, and the last `leastZeros`, to zero. */
function truncateRate(rate: bigint, leastZeros: number): bigint {
  const unit = 10n ** BigInt(Math.max(leastZeros, rate.toString().length - rateDigits))
  return rate - (rate % unit)
}

/** Returns how much `minor` of `from` buys at a rate from `rateOf`, in minor units of `to`, rounded down. */
export function convertAmount(minor: bigint, from: Currency, to: Currency, rate: string): bigint {
  const { digits, places } = decimalOf(rate)
  return (minor * digits * 10n ** BigInt(currencies[to].scale)) / 10n ** BigInt(places + currencies[from].scale)
}

/** Parses a decimal number. `places` is never negative: `1e3` is 1000 with 0 decimals. */
function decimalOf(text: string): { digits: bigint; places: number } {
  const decimal = readDecimal(text)
  if (decimal === null) throw new Error(`the rate ${text} cannot be parsed`)
  const { digits, places } = decimal
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places }
}
