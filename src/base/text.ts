/** Functions of text. They use no regular expression that ends in `+$`, because it restarts at every character of a hostile text. */

/** `https://example.com//` without its trailing slashes. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Returns what `work` returns, or `otherwise` if it throws, as decoders do for invalid text. */
export function orElse<T, Else>(otherwise: Else, work: () => T): T | Else {
  try {
    return work()
  } catch {
    return otherwise
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Undefined if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => orElse(undefined, () => strictUtf8.decode(bytes))

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** `minor_units` becomes `minorUnits`. */
export const camelCase = <Name extends string>(name: Name) =>
  // The type follows the same rule.
  name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>

/** `25.50` becomes `25.5`, and `100.00` becomes `100`. */
export const withoutTrailingZeros = (decimal: string): string =>
  decimal.includes('.') ? withoutTrailing(withoutTrailing(decimal, '0'), '.') : decimal

/** `1000000` becomes `1,000,000`. */
export function withThousandsSeparators(digits: string): string {
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

/** Returns `; did you mean start?`, or an empty string. */
export const didYouMean = (guess: string | null): string => (guess === null ? '' : `; did you mean ${guess}?`)

/** Returns `; did you mean start?`, or `; use one of start, stop` if no name is near; `none` if there are no names. */
export const suggestion = (given: string, names: readonly string[], none = ''): string =>
  names.length === 0 ? none : didYouMean(nearest(given, names)) || `; use one of ${names.join(', ')}`

/** Longer than any name. It bounds the work. */
const mostCharacters = 64

/** Short words are one edit away from many others, so a word of up to four letters allows one edit, a longer one two. */
const editsAllowed = (text: string, candidate: string) => (Math.min(text.length, candidate.length) <= 4 ? 1 : 2)

/** The nearest candidate that a typing error explains, or null. Two swapped letters count as one edit. */
export function nearest(text: string, candidates: readonly string[]): string | null {
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(text.toLowerCase().slice(0, mostCharacters), candidate.toLowerCase())
    if (distance > editsAllowed(text, candidate) || distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** The path that shares the most segments with `path`, misspelled ones included; among equals the one with the fewest edits. */
export function nearestPath(path: string, candidates: readonly string[]): string | null {
  const text = path.slice(0, mostCharacters)
  const shared = (candidate: string) => {
    const names = candidate.split('/')
    return text.split('/').filter((segment) => segment !== '' && nearest(segment, names) !== null).length
  }
  const ranked = candidates
    .map((candidate) => ({ candidate, shared: shared(candidate), edits: editDistance(text, candidate) }))
    .sort((a, b) => b.shared - a.shared || a.edits - b.edits)
  return ranked[0]?.candidate ?? null
}

function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const exchanged = isExchanged ? (beforePrevious[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      current.push(Math.min(substituted, exchanged, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1))
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length] ?? 0
}

/** A short key in place of a long text, the same in every build: 32 bits of FNV-1a. */
export function textKey(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return `#${(hash >>> 0).toString(36)}`
}
