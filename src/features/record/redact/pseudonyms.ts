/** The pseudonyms of one recording: one for each value, connected with it only by the recording's key. */

import { crc16, field, readFields } from '../../../inside/platform.js'
import { randomText, seededRandom } from '../../../inside/secrets.js'
import { hidden, onlyCodeCharacters, Secrets } from './secrets.js'
import { formatOf, hasCheckDigit, isAlwaysPersonal, madeUntil, valueKey } from './value-formats.js'

/** When it is exceeded, the oldest are dropped; those values are then recognized only by their fields and forms. */
const mostKnown = 100_000
/** Longer texts are replaced completely instead of being searched. */
const longestSearched = 4096
const longestPhrase = 6
const mostTries = 21
/** A shorter name within a text is probably a common word. */
const shortestInText = 4

/** Where a number with a check digit can stand: digits, perhaps in groups. */
const digitGroups = /(?<!\d)\d(?:[./-]?\d){10,21}(?!\d)/g
const spacedGroups = /(?<![\w.@+-])(\+?\d(?:[ .-]?\d){10,21})(?![\w@-])/
/** A label in front of a document, without a space: `cnpj12ABC34501DE35`. */
const labeled = /^([A-Za-z]{3,12}?)([\dA-Z]{12}\d\d)$/
const betweenWords = /([\s"'`<>()[\]{},;|]+)/
const betweenParts = /([/?&=:#]+)/

export class Pseudonyms {
  /** Pseudonyms by original text. */
  readonly #made = new Map<string, string>()
  /** Labels of the values that have a pseudonym. */
  readonly #known = new Set<string>()
  /** Ids that other fields and paths repeat. */
  readonly #ids = new Set<string>()
  readonly secrets = new Secrets()
  /** Number of values that are masked only because they look random. */
  masked = 0

  /** `key` is random and never leaves the process. */
  constructor(private readonly key: string) {}

  /** The pseudonym of a value that must not be written. */
  of(text: string): string {
    const before = this.#made.get(text)
    if (before !== undefined) return before
    if (this.#made.size >= mostKnown) {
      this.#made.clear()
      this.#known.clear()
    }
    const pseudonym = this.#make(text)
    this.#made.set(text, pseudonym)
    return pseudonym
  }

  #make(text: string): string {
    if (!/[\p{L}\d]/u.test(text)) return text
    const code = brCodeFields(text)
    const codeLike = code === null ? null : brCodeLike(text, code, (part) => this.of(part))
    if (codeLike !== null) return codeLike
    const form = formatOf(text)
    const label = valueKey(text, form)
    this.#known.add(label)
    const draw = seededRandom(this.key).stream(label)
    // The form of an address of zeros has no other value.
    return madeUntil(
      (other) => other !== text,
      () => form.make(text, draw),
      mostTries,
    )
  }

  /** The replacement of a complete value; null if it is not known as sensitive. */
  known(text: string): string | null {
    const pseudonym = this.#made.get(text)
    if (pseudonym !== undefined) return pseudonym
    return this.#known.has(valueKey(text)) ? this.of(text) : null
  }

  /** Replaces an id that is a secret too: it still differs from other ids, and nothing of its form stays. */
  secretId(text: string): string {
    return hidden + randomText(seededRandom(this.key).stream(`id\0${text}`), 12)
  }

  /** An id stays, unless a person can be recognized in it. */
  id(text: string): string {
    if (text.length < shortestInText) return text
    const shown = this.found(text) ?? (formatOf(text).name === 'text' ? this.#withoutNumbers(text) : text)
    if (shown === text && looksRandom(text)) {
      if (this.#ids.size >= mostKnown) this.#ids.clear()
      this.#ids.add(text)
    }
    return shown
  }

  /** The replacement of a value in an unknown field. */
  found(text: string): string | null {
    const known = this.known(text)
    if (known !== null) return known
    return brCodeFields(text) !== null || isAlwaysPersonal(text) ? this.of(text) : null
  }

  /** Replaces everything sensitive within a text. */
  within(text: string): string {
    const whole = this.found(text)
    if (whole !== null) return whole
    if (text.length > longestSearched) return this.of(text)
    return text
      .split(spacedGroups)
      .map((part, at) => (at % 2 === 1 && hasCheckDigit(part.replace('+', '')) ? this.of(part) : this.#inWords(part)))
      .join('')
  }

  #inWords(text: string): string {
    const parts = text.split(betweenWords)
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
    for (let length = longestPhrase * 2 - 1; length >= 3; length -= 2) {
      if (at + length > parts.length) continue
      const { body, end } = withoutEnd(parts.slice(at, at + length).join(''))
      const pseudonym = this.known(body)
      if (pseudonym !== null) return { pseudonym: pseudonym + end, length }
    }
    return null
  }

  #inWord(word: string): string {
    if (word.length < shortestInText) return word
    const { body, end } = withoutEnd(word)
    const whole = this.found(body)
    if (whole !== null) return whole + end
    const parts = word.split(betweenParts)
    const inParts = () => parts.map((part, at) => (at % 2 === 1 ? part : this.#inWord(part))).join('')
    const shown = parts.length === 1 ? this.#withoutNumbers(word) : inParts()
    return shown === word ? this.#withoutRandom(word) : shown
  }

  #withoutNumbers(text: string): string {
    const [, label = '', document = ''] = labeled.exec(text) ?? []
    if (hasCheckDigit(document)) return label + this.of(document)
    return text.replace(digitGroups, (digits) => (hasCheckDigit(digits) ? this.of(digits) : digits))
  }

  /** Something random of a known form, such as a UUID, becomes another one. */
  #withoutRandom(text: string): string {
    if (!looksRandom(text) || this.#ids.has(text)) return text
    this.masked++
    const form = formatOf(text)
    return form.name === 'text' ? hidden : this.of(text)
  }
}

function withoutEnd(text: string): { body: string; end: string } {
  const end = /[.!:]?$/.exec(text)?.[0] ?? ''
  return { body: text.slice(0, text.length - end.length), end }
}

/** Fewer letters and digits can change like this in a word. */
const shortest = 16
/** A word or a number is longer on average; Base64 has 1.8, hexadecimal digits have 2.1. */
const mostAverage = 3.2

/** Words in lower case, capitalized or in capitals, and numbers. */
const pieces = /[A-Z]?[a-z]+|[A-Z]+|\d+/g

/** Whether a random generator made a text: letter cases and digits change as often as in tokens and keys. */
function looksRandom(text: string): boolean {
  if (text.length < shortest || !onlyCodeCharacters.test(text)) return false
  const found = text.match(pieces) ?? []
  const length = found.reduce((total, piece) => total + piece.length, 0)
  return length >= shortest && length < mostAverage * found.length
}

type Replace = (text: string) => string

/** Fields with subfields: accounts, additional data, other languages, unreserved templates. */
const isTemplate = (id: string) => /^(2[6-9]|[34]\d|5[01]|62|64|[89]\d)$/.test(id)
/** Subfields that stay: the arrangement's name, and the payee's reference in field 62, which is an id. */
const staysIn = (template: string, id: string) => id === (template === '62' ? '05' : '00')

function brCodeFields(text: string): Map<string, string> | null {
  const fields = text.startsWith('000201') ? readFields(text) : null
  return fields?.has('63') === true ? fields : null
}

/** The same code with replaced personal data and a new checksum; field lengths stay. null if a template cannot be parsed. */
function brCodeLike(text: string, fields: Map<string, string>, replace: Replace): string | null {
  const crc = fields.get('63') ?? ''
  fields.delete('63')
  const parts: string[] = []
  for (const [id, value] of fields) {
    const newValue = replaced(id, value, replace)
    if (newValue === null) return null
    parts.push(field(id, newValue))
  }
  const payload = `${parts.join('')}6304`
  const [right, old] = [crc16(payload), crc16(text.slice(0, -4))]
  if (crc === old) return payload + right
  // A wrong checksum stays wrong.
  return payload + (crc.length !== 4 || crc === right ? '0000' : crc)
}

function replaced(id: string, value: string, replace: Replace): string | null {
  if (id === '59') return replace(value)
  if (!isTemplate(id)) return value
  const inner = readFields(value)
  if (inner === null) return null
  return [...inner]
    .map(([name, one]) => field(name, staysIn(id, name) ? one : innerValue(id, name, one, replace)))
    .join('')
}

/** The host of a charge's URL stays; the rest is replaced. */
function innerValue(id: string, name: string, value: string, replace: Replace): string {
  if (id !== '26' || name !== '25') return replace(value)
  const slash = value.lastIndexOf('/')
  return value.slice(0, slash + 1) + replace(value.slice(slash + 1))
}
