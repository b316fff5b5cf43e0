/** Parses JSON without loss: numbers keep their text; excessive depth and malformed text are rejected. Reads JSON that is too long for memory, one value at a time. */
import { parse } from 'lossless-json'
import { orElse } from './text.js'

/** A number exactly as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
  toJSON(): number {
    return Number(this.text)
  }
}

export class JsonError extends Error {}
/** An object has more keys than the caller accepts. */
export class TooManyKeys extends JsonError {}

export const maxJsonDepth = 32
/** More values than any request needs. It bounds the work of checks that look at every value. */
const maxJsonValues = 10_000

const toNumber = (text: string) => new JsonNumber(text)

/** Parses strictly; throws `JsonError` with a reason a client can act on. Numbers become `JsonNumber`. */
export function parseJson(text: string, maxValues = maxJsonValues): unknown {
  assertBounds(text, maxValues)
  let value: unknown
  try {
    value = parse(text, undefined, toNumber)
  } catch (error) {
    throw new JsonError(error instanceof Error ? error.message : 'unreadable')
  }
  if (/\\u|[\ud800-\udfff\0]/.test(text)) assertWellFormed(value)
  return value
}

/**
 * Matches text that the built-in parser could change or wrongly accept: long numbers, exponents, escapes, surrogates,
 * NUL, `__proto__`.
 */
const unsafeForJsonParse = /[:,[]\s*-?(?:[\d.]{16}|[\d.]{1,15}[eE])|\\u|__proto__|[\ud800-\udfff\0]/

/**
 * Parses like `parseJson`, at a fifth of the cost (3 % of a charge): it uses the built-in parser if the text contains
 * nothing that it could change. The text of a number may differ (`10` for `10.0`).
 */
export function readJson(text: string, maxValues = maxJsonValues, maxKeys?: number): unknown {
  const keys = assertBounds(text, maxValues, maxKeys)
  if (unsafeForJsonParse.test(text)) return parseJson(text, maxValues)
  try {
    const counted = { keys: 0 }
    const value = withTextNumbers(JSON.parse(text), counted)
    // There are fewer keys if one name occurs twice in an object.
    if (counted.keys === keys) return value
  } catch {
    // `parseJson` reports the mistake in more detail.
  }
  return parseJson(text, maxValues)
}

/** Counts the keys of all objects. */
function withTextNumbers(value: unknown, counted: { keys: number }): unknown {
  if (typeof value === 'number') return new JsonNumber(String(value))
  if (value === null || typeof value !== 'object') return value
  const keys = Object.keys(value)
  if (!Array.isArray(value)) counted.keys += keys.length
  for (const key of keys) {
    const item: unknown = Reflect.get(value, key)
    // No key is `__proto__`: `unsafeForJsonParse` matches it.
    if (typeof item === 'number' || typeof item === 'object') Reflect.set(value, key, withTextNumbers(item, counted))
  }
  return value
}

/**
 * Parses untrusted text; undefined if it is not JSON, is nested too deeply or has too many values. The result can
 * always be written as JSON again: the built-in parser accepts any depth, but `JSON.stringify` overflows the stack.
 */
export const parseUntrustedJson = (text: string): unknown =>
  orElse(undefined, () => {
    assertBounds(text)
    return JSON.parse(text)
  })

/** Converts to plain numbers: for surfaces that do no arithmetic on them. */
export function toPlainJson(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(toPlainJson)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlainJson(item)]))
}

/** Counts the field names, and checks depth, number of values, and keys of each object, before anything is kept. */
function assertBounds(text: string, maxValues = maxJsonValues, maxKeys = Number.POSITIVE_INFINITY): number {
  /** Keys of the open objects, by depth. */
  const open: number[] = []
  let keys = 0
  let depth = 0
  let values = 1
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxJsonDepth) throw new JsonError(`nested deeper than ${maxJsonDepth} levels`)
      open[depth] = 0
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x3a) {
      keys++
      open[depth] = (open[depth] ?? 0) + 1
      if ((open[depth] ?? 0) > maxKeys) throw new TooManyKeys(`an object has more than ${maxKeys} keys`)
    } else if (code === 0x2c && ++values > maxValues) throw new JsonError(`has more than ${maxValues} values`)
  }
  return keys
}

/** A lone surrogate changes when it is written as UTF-8, and a NUL ends a text in C: both are rejected. */
function assertWellFormed(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new JsonError('a string contains a NUL character')
    if (!value.isWellFormed()) throw new JsonError('a string contains half of a surrogate pair')
  } else if (Array.isArray(value)) value.forEach(assertWellFormed)
  else if (value !== null && typeof value === 'object' && !(value instanceof JsonNumber)) {
    for (const [key, item] of Object.entries(value)) {
      assertWellFormed(key)
      assertWellFormed(item)
    }
  }
}

/** Indents untrusted JSON for people; `otherwise` formats text that is not JSON. */
export function indentedJson(text: string, otherwise: (text: string) => string = (same) => same): string {
  const value = parseUntrustedJson(text)
  return value === undefined ? otherwise(text) : JSON.stringify(value, null, 2)
}

const space = /\s*/y
/** A longer value is rejected: it would have to fit into memory as a whole. */
const longestValue = 64 * 1024 * 1024

/** Thrown if the text is not JSON, or not the JSON that the reader expects. */
export class UnexpectedJson extends Error {}

export class JsonPieces {
  readonly #chunks: Iterator<string>
  #text = ''
  #at = 0

  constructor(chunks: Iterable<string>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  /** The next character that is not white space; undefined at the end. */
  peek(): string | undefined {
    for (;;) {
      space.lastIndex = this.#at
      space.test(this.#text)
      this.#at = Math.max(this.#at, space.lastIndex)
      if (this.#at < this.#text.length) return this.#text[this.#at]
      if (!this.#more()) return undefined
    }
  }

  /** Consumes the next character if it is this one, and returns whether it was. */
  accept(character: string): boolean {
    if (this.peek() !== character) return false
    this.#at++
    return true
  }

  expect(character: string): void {
    if (!this.accept(character)) throw new UnexpectedJson(`${JSON.stringify(character)} is missing`)
  }

  /** Reads an object; `each` reads the value of its key. */
  object(each: (key: string) => void): void {
    this.expect('{')
    if (this.accept('}')) return
    do {
      const key = this.value()
      if (typeof key !== 'string') throw new UnexpectedJson('a key is not a string')
      this.expect(':')
      each(key)
    } while (this.accept(','))
    this.expect('}')
  }

  /** Reads a list; `each` reads its next element. */
  list(each: () => void): void {
    this.expect('[')
    if (this.accept(']')) return
    do each()
    while (this.accept(','))
    this.expect(']')
  }

  value(): unknown {
    const first = this.peek()
    if (first === undefined) throw new UnexpectedJson('the JSON text is incomplete')
    const end = this.#endOfValue()
    const text = this.#text.slice(this.#at, end)
    this.#at = end
    try {
      return JSON.parse(text)
    } catch {
      throw new UnexpectedJson('it is not JSON')
    }
  }

  #endOfValue(): number {
    let depth = 0
    let inText = false
    let offset = 0
    for (;;) {
      const at = this.#at + offset
      if (at >= this.#text.length) {
        if (!this.#more()) {
          if (depth === 0 && !inText) return this.#text.length
          throw new UnexpectedJson('the JSON text is incomplete')
        }
        continue
      }
      const code = this.#text.charCodeAt(at)
      offset++
      if (inText) {
        if (code === 92) offset++
        else if (code === 34) inText = false
        if (!inText && depth === 0) return at + 1
      } else if (code === 34) inText = true
      else if (code === 91 || code === 123) depth++
      else if (code === 93 || code === 125) {
        if (depth === 0) return at
        depth--
        if (depth === 0) return at + 1
      } else if (depth === 0 && (code === 44 || code === 58 || code <= 32)) return at
    }
  }

  #more(): boolean {
    const next = this.#chunks.next()
    if (next.done === true) return false
    this.#text = this.#text.slice(this.#at) + next.value
    this.#at = 0
    if (this.#text.length > longestValue) throw new UnexpectedJson('one of its values is too long')
    return true
  }
}
