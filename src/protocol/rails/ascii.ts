/** Text cut down to ASCII: case without the surprises of Unicode, and names as the rails print them. */

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
