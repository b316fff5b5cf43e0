/** The pseudonyms of one recording: one for each value, connected with it only by the recording's key. */
import { seededRandom } from '../../base/crypto.js'
import { brCodeLike, isBrCode } from './br-code.js'
import { formatOf, textKey, valueKey } from './value-formats.js'

export const hidden = '***'

/** When it is exceeded, the oldest are dropped; those values are then recognized only by their fields and forms. */
const mostKnown = 100_000
/** Longer texts are replaced completely instead of being searched. */
const longestSearched = 4096
const longestPhrase = 6
const mostTries = 20
/** A shorter name within a text is probably a common word. */
const shortestInText = 4

const jsonWebToken = /^eyJ[\w-]{10,}\.[\w-]+\.[\w-]*$/
const betweenWords = /([\s"'`<>()[\]{},;|]+)/
const betweenParts = /([/?&=:#]+)/

export class Pseudonyms {
  /** Pseudonyms by original text. */
  readonly #made = new Map<string, string>()
  /** Labels of the values that have a pseudonym. */
  readonly #known = new Set<string>()
  readonly #secrets = new Set<string>()

  /** `key` is random and never leaves the process. */
  constructor(private readonly key: string) {}

  /** The pseudonym of a value that must not be written. */
  of(text: string): string {
    const before = this.#made.get(text)
    if (before !== undefined) return before
    const pseudonym = this.#make(text)
    remember(this.#made, text, pseudonym)
    return pseudonym
  }

  #make(text: string): string {
    if (/^\s*$/.test(text)) return text
    if (isBrCode(text)) {
      const pseudonym = brCodeLike(text, (part) => this.of(part))
      if (pseudonym !== null) return pseudonym
    }
    const form = formatOf(text)
    const label = valueKey(text, form)
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.add(label)
    const draw = seededRandom(this.key).stream(label)
    let pseudonym = form.make(text, draw)
    // The form of an address of zeros has no other value.
    for (let tries = 0; tries < mostTries && pseudonym === text; tries++) pseudonym = form.make(text, draw)
    return pseudonym
  }

  /** Hides the text everywhere from now on. */
  learnSecret(text: string): void {
    if (text.length < shortestInText) return
    if (this.#secrets.size >= mostKnown) this.#secrets.clear()
    this.#secrets.add(text)
  }

  /** The replacement of a complete value; null if it is neither a secret nor known as sensitive. */
  known(text: string): string | null {
    if (this.#secrets.has(text) || jsonWebToken.test(text)) return hidden
    const pseudonym = this.#made.get(text)
    if (pseudonym !== undefined) return pseudonym
    return this.#known.has(valueKey(text)) ? this.of(text) : null
  }

  /** The replacement of a value in an unknown field. */
  found(text: string): string | null {
    const known = this.known(text)
    if (known !== null) return known
    return isBrCode(text) || formatOf(text).isAlwaysPersonal(text) ? this.of(text) : null
  }

  /** Replaces everything sensitive within a text. */
  within(text: string): string {
    const whole = this.found(text)
    if (whole !== null) return whole
    if (text.length > longestSearched) return this.of(text)
    const parts = text.split(betweenWords)
    if (parts.length === 1) return this.#inWord(text)
    let result = ''
    for (let at = 0; at < parts.length; ) {
      const phrase = at % 2 === 0 ? this.#phraseAt(parts, at) : null
      result += phrase?.pseudonym ?? this.#inWord(parts[at] ?? '')
      at += phrase?.length ?? 1
    }
    return result
  }

  /** The longest known phrase that begins at this word. */
  #phraseAt(parts: readonly string[], at: number): { pseudonym: string; length: number } | null {
    for (let length = longestPhrase * 2 - 1; length > 1; length -= 2) {
      if (at + length > parts.length) continue
      const { body, end } = withoutEnd(parts.slice(at, at + length).join(''))
      if (this.#known.has(textKey(body)) || this.#made.has(body)) return { pseudonym: this.of(body) + end, length }
    }
    return null
  }

  #inWord(word: string): string {
    if (word.length < shortestInText) return word
    const { body, end } = withoutEnd(word)
    const whole = this.found(body)
    if (whole !== null) return whole + end
    const parts = word.split(betweenParts)
    return parts.length === 1 ? word : parts.map((part) => this.#inWord(part)).join('')
  }
}

function withoutEnd(text: string): { body: string; end: string } {
  const end = /[.!:]?$/.exec(text)?.[0] ?? ''
  return { body: text.slice(0, text.length - end.length), end }
}

function remember(map: Map<string, string>, key: string, value: string): void {
  if (map.size >= mostKnown) map.clear()
  map.set(key, value)
}
