/** Texts of any length, each handled in one pass (an expression that ends in `+$` starts again at every character), and ASCII without the surprises of Unicode. */

/** `https://example.com//` without its last slashes. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** `1000000` becomes `1,000,000`. */
export function inThousands(digits: string): string {
  const first = digits.length % 3
  const groups = first === 0 ? [] : [digits.slice(0, first)]
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3))
  return groups.join(',')
}

/** As much of it as takes at most so many bytes of UTF-8. */
export function withinBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(most)).read)
}

/** Lowers A to Z only: `toLowerCase` would turn the Kelvin sign into a `k` and so make a wrong key right. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Raises a to z only: `toUpperCase` would turn a dotless i into an `I`. */
export function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

const plain = /^[!-~]+(?: [!-~]+)*$/

/** Accents dropped, whatever else is not printable ASCII left out, runs of space joined, cut to `limit` characters. */
export function foldName(text: string, limit: number): string {
  if (text.length <= limit && plain.test(text)) return text
  const ascii = text
    .normalize('NFKD')
    .replace(/\s+/g, ' ')
    .replace(/[^ -~]/g, '')
  return ascii.replace(/ {2,}/g, ' ').trim().slice(0, limit).trimEnd()
}
