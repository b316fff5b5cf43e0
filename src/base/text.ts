/**
 * Text functions that run in one pass (a regular expression that ends in `+$` restarts at every character), and ASCII
 * case without the surprises of Unicode.
 */

/** `https://example.com//` without its trailing slashes. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** `25.50` becomes `25.5`, and `100.00` becomes `100`. */
export const withoutTrailingZeros = (decimal: string): string =>
  decimal.includes('.') ? withoutTrailing(withoutTrailing(decimal, '0'), '.') : decimal

/** `1000000` becomes `1,000,000`. */
export function inThousands(digits: string): string {
  const first = digits.length % 3
  const groups = first === 0 ? [] : [digits.slice(0, first)]
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3))
  return groups.join(',')
}

/** The longest beginning of a text that fits into `most` bytes of UTF-8. */
export function withinBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(most)).read)
}

/** Lowers A to Z only: `toLowerCase` turns the Kelvin sign into a `k`, which would make a wrong key right. */
export function lowerAscii(text: string): string {
  // Faster for long texts.
  if (!/[\u0080-\uffff]/.test(text)) return text.toLowerCase()
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Raises a to z only: `toUpperCase` turns a dotless i into an `I`. */
export function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

const plain = /^[!-~]+(?: [!-~]+)*$/

/** Removes accents and everything else that is not printable ASCII, joins runs of spaces, and cuts to `limit` characters. */
export function toAsciiName(text: string, limit: number): string {
  if (text.length <= limit && plain.test(text)) return text
  const ascii = text
    .normalize('NFKD')
    .replace(/\s+/g, ' ')
    .replace(/[^ -~]/g, '')
  return ascii.replace(/ {2,}/g, ' ').trim().slice(0, limit).trimEnd()
}

/** `a, b and c`. */
export const joinWords = (names: readonly string[], last = 'and'): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
