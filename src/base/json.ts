/** JSON read so that nothing is lost: numbers keep their text, hostile depth and broken text are refused. */
import { parse } from 'lossless-json'

/** A number exactly as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
  toJSON(): number {
    return Number(this.text)
  }
}

export class JsonError extends Error {}

export const maxJsonDepth = 32
/** More than any request needs; what is checked value by value must not be told of a hundred thousand. */
export const maxJsonValues = 10_000

const toNumber = (text: string) => new JsonNumber(text)

/** Parses strictly; throws `JsonError` with a reason a client can act on. Numbers become `JsonNumber`. */
export function parseJson(text: string): unknown {
  assertBounds(text)
  let value: unknown
  try {
    value = parse(text, undefined, toNumber)
  } catch (error) {
    throw new JsonError(error instanceof Error ? error.message : 'unreadable')
  }
  if (/\\u|[\ud800-\udfff\0]/.test(text)) assertWellFormed(value)
  return value
}

/** Where the runtime's own parser could change something, or let something in: long numbers, exponents, escapes, surrogates, NUL, `__proto__`. */
const needsCare = /[:,[]\s*-?(?:[\d.]{16}|[\d.]{1,15}[eE])|\\u|__proto__|[\ud800-\udfff\0]/

/**
 * The same values at a fifth of the cost, which is 3 % of a charge: by the runtime's own parser, where a look at the text shows that it loses nothing.
 * The text of a number may be written otherwise (`10.0` as `10`).
 */
export function readJson(text: string): unknown {
  const keys = assertBounds(text)
  if (needsCare.test(text)) return parseJson(text)
  try {
    const value: unknown = JSON.parse(text)
    // Fewer where one name stands twice in an object.
    if (keysIn(value) === keys) return withTexts(value)
  } catch {
    // Said better below.
  }
  return parseJson(text)
}

function keysIn(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  let count = 0
  for (const item of Object.values(value)) count += keysIn(item)
  return Array.isArray(value) ? count : count + Object.keys(value).length
}

function withTexts(value: unknown): unknown {
  if (typeof value === 'number') return new JsonNumber(String(value))
  if (value === null || typeof value !== 'object') return value
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'number' || typeof item === 'object') Object.assign(value, { [key]: withTexts(item) })
  }
  return value
}

/**
 * The value of a text that somebody else wrote; undefined if it is not JSON, is nested too deep or holds too many values.
 * A value from here can always be written as JSON again: the runtime reads any depth, and overflows its stack when it writes.
 */
export function foreignJson(text: string): unknown {
  try {
    assertBounds(text)
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Plain numbers instead of their text: for surfaces that do no arithmetic on them. */
export function plainJson(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(plainJson)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]))
}

/** How many names of fields there are. */
function assertBounds(text: string): number {
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
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x3a) keys++
    else if (code === 0x2c && ++values > maxJsonValues) throw new JsonError(`holds more than ${maxJsonValues} values`)
  }
  return keys
}

/** A lone surrogate would come back changed from UTF-8, and a NUL ends a text in C: neither gets in. */
function assertWellFormed(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new JsonError('a string holds a NUL character')
    if (!value.isWellFormed()) throw new JsonError('a string holds half of a surrogate pair')
  } else if (Array.isArray(value)) value.forEach(assertWellFormed)
  else if (value !== null && typeof value === 'object' && !(value instanceof JsonNumber)) {
    for (const [key, item] of Object.entries(value)) {
      assertWellFormed(key)
      assertWellFormed(item)
    }
  }
}

/** A text that somebody else wrote, indented for people; `otherwise` is how it is shown if it is not JSON. */
export function indentedJson(text: string, otherwise: (text: string) => string = (same) => same): string {
  const value = foreignJson(text)
  return value === undefined ? otherwise(text) : JSON.stringify(value, null, 2)
}
