/** Money as whole minor units: parsed from exact text and formatted to exact text, never through a float. */

/** 15 digits: every smaller amount is exact both as a JSON number and as an SQLite integer. */
export const maxAmountMinor = 999_999_999_999_999n
export const maxAmountDigits = String(maxAmountMinor).length

const numberText = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/

/** Bounds the work for a number: the length of its text, and its exponent. */
const maxDecimalLength = 400

/** `digits` divided by ten to the power of `places`. */
interface Decimal {
  digits: bigint
  places: number
}

/** The exact value of a JSON number or a decimal string; null for any other text, and for one that is too long. */
export function readDecimal(text: string): Decimal | null {
  const match = text.length > maxDecimalLength ? null : numberText.exec(text)
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = BigInt(whole + fraction)
  const places = digits === 0n ? 0 : fraction.length - Number(exponent)
  return Math.abs(places) > maxDecimalLength ? null : { digits: sign === '-' ? -digits : digits, places }
}

export type AmountFault = 'not_a_number' | 'too_many_decimals' | 'too_large'
type ParsedAmount = { ok: true; minor: bigint } | { ok: false; reason: AmountFault }

/**
 * Parses the text of a JSON number, or a decimal string, into minor units of the given scale. All amounts enter the
 * program here.
 * `parseAmount('19.99', 2)` is 1999n. Decimals beyond the scale are rejected unless they are zeros, and so are more
 * than 15 digits.
 */
export function parseAmount(text: string, scale: number): ParsedAmount {
  const decimal = readDecimal(text)
  if (decimal === null) return { ok: false, reason: 'not_a_number' }
  const surplus = decimal.places - scale
  const divisor = 10n ** BigInt(Math.max(surplus, 0))
  if (decimal.digits % divisor !== 0n) return { ok: false, reason: 'too_many_decimals' }
  const minor = (decimal.digits / divisor) * 10n ** BigInt(Math.max(-surplus, 0))
  if (minor > maxAmountMinor || minor < -maxAmountMinor) return { ok: false, reason: 'too_large' }
  return { ok: true, minor }
}

/** `formatAmount(1999n, 2)` is `'19.99'`: always as many decimals as the scale. */
export function formatAmount(minor: bigint, scale: number): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const text = scale === 0 ? whole : `${whole}.${digits.slice(digits.length - scale)}`
  return minor < 0n ? `-${text}` : text
}

/** The text of a number as a plain decimal: `1e1` becomes `10`. Other text does not change. */
export function withoutExponent(text: string): string {
  const decimal = /e/i.test(text) ? readDecimal(text) : null
  if (decimal === null) return text
  const { digits, places } = decimal
  return formatAmount(digits * 10n ** BigInt(Math.max(-places, 0)), Math.max(places, 0))
}

/** The JSON number of an amount; exact, because amounts stay within 15 digits. */
export function amountNumber(minor: bigint, scale: number): number {
  return Number(formatAmount(minor, scale))
}

/** A share in parts per million: `shareOf(10_000n, 12_500n)` is 1.25 % of 100.00. By default it is rounded half up; `roundingPpm` is the part of a unit that rounds up. */
export function shareOf(minor: bigint, partsPerMillion: bigint, roundingPpm = 500_000n): bigint {
  return (minor * partsPerMillion + roundingPpm) / 1_000_000n
}
