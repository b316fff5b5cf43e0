/** Reads values of unknown type safely, and compares them. */
import { JsonError, JsonNumber, readJson } from './json.js'

export type Fields = Record<string, unknown>

/** Whether a value is a JSON object: not a list, and not a `JsonNumber`. */
export const isJsonObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof JsonNumber)

/** The fields of an object; empty for anything else. */
export const fieldsIn = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** The value under a key of an object or a list; undefined if there is none of its own. */
export const fieldAt = (value: unknown, key: PropertyKey): unknown =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** The path of a key `__proto__` that `output` lacks: zod leaves it out of tables with free keys, without an issue. */
export function droppedKey(input: unknown, output: unknown): string[] | undefined {
  if (input === null || typeof input !== 'object' || input === output) return undefined
  if (Object.hasOwn(input, '__proto__') && fieldAt(output, '__proto__') === undefined) return ['__proto__']
  for (const key of Object.keys(input)) {
    const found = droppedKey(fieldAt(input, key), fieldAt(output, key))
    if (found !== undefined) return [key, ...found]
  }
  return undefined
}

/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The error code of a runtime error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code = fieldAt(error, 'code')
  return typeof code === 'string' ? code : undefined
}

/** The fields of a text that should be a JSON object; null if it is anything else. `parseJson` keeps the text of numbers. */
export function fieldsOfJson(text: string, parse: (text: string) => unknown = readJson): Fields | null {
  try {
    const value = parse(text)
    return isJsonObject(value) ? value : null
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

/** The order of fields is ignored; the order of list items is not. */
export function isDeepEqualJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [Object.entries(one), Object.entries(other)]
  if (left.length !== right.length) return false
  const otherEntries = new Map(right)
  return left.every(([name, value]) => otherEntries.has(name) && isDeepEqualJson(value, otherEntries.get(name)))
}
